/** What Restate itself does: a workflow of `n` steps that do nothing. */
import { createServer, type ServerHttp2Session } from "node:http2";
import * as restate from "@restatedev/restate-sdk";

export const FLOOR = "floor";

export interface RestateFloorOptions {
  readonly port: number;
  readonly hold: (runId: string) => Promise<void>;
}

export async function openRestateFloor({
  port,
  hold,
}: RestateFloorOptions): Promise<{ close(): Promise<void> }> {
  const floor = restate.workflow({
    name: FLOOR,
    handlers: {
      run: async (ctx: restate.WorkflowContext, steps: number): Promise<number> => {
        if (steps === 0) await ctx.run("hold", () => hold(ctx.key));
        let sum = 0;
        for (let n = 0; n < steps; n++) sum += await ctx.run("noop", () => n);
        return sum;
      },
    },
  });
  const server = createServer(restate.createEndpointHandler({ services: [floor], logger: () => undefined }));
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("error", () => session.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port, reusePort: true }, resolve);
  });
  return {
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}
