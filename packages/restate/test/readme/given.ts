/** What the README's examples find there: the addresses that the test gives, and a tool. */
import type { CallerFor } from "@nestbox/codemode/durable";

const given = JSON.parse(process.argv[2] ?? "{}") as Readonly<Record<string, string>>;

export const ingressUrl = given["ingressUrl"] ?? "";
export const adminUrl = given["adminUrl"] ?? "";
export const blobFolder = given["blobFolder"] ?? "";

export const code = "return (await tools.release({ version: 42 })).version";

const object = { type: "object" };
const tool = {
  name: "release",
  label: "release",
  description: "Releases",
  parameters: object,
  outputSchema: object,
};

export const callerFor: CallerFor = (callId) => ({
  tools: [tool],
  executeTool: (name) =>
    Promise.resolve({
      toolCall: { type: "toolCall", id: `${callId}/1`, name, arguments: {} },
      result: { content: [], details: {}, structuredContent: { version: 42 } },
      isError: false,
    }),
});
