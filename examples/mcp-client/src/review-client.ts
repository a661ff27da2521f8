import { Client, type Transport } from "@modelcontextprotocol/client";
import type { ReviewReport } from "@nestbox/review";

/** What a client sees of a server that reviews. */
export interface SeenReview {
  readonly instructions: string | undefined;
  readonly tools: readonly string[];
  readonly review: ReviewReport;
  /** Notifications while the review ran. */
  readonly progress: readonly string[];
  /** What the server answers to a call that its policy denies. */
  readonly denied: string;
}

/** Connects the official client, lists the tools, has a change reviewed, and tries what is not allowed. */
export async function reviewOver(transport: Transport): Promise<SeenReview> {
  const client = new Client({ name: "reviewer", version: "1.0.0" });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    const progress: string[] = [];
    const reviewed = await client.callTool(
      { name: "review_diff", arguments: {} },
      { onprogress: ({ message }) => void progress.push(message ?? ""), timeout: 300_000 },
    );
    // The client has checked it against the schema that the server declared.
    const review = reviewed.structuredContent as ReviewReport;
    const refused = await client.callTool({ name: "run_checks", arguments: {} });
    const denied = refused.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    return {
      instructions: client.getInstructions(),
      tools: tools.map(({ name }) => name),
      review,
      progress,
      denied: refused.isError === true ? denied : "",
    };
  } finally {
    await client.close();
  }
}
