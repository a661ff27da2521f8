/** What the README's examples find there: the addresses that the test gives, and a tool. */
import { fakeTools } from "@nestbox/codemode/durable/conformance";

const given = JSON.parse(process.argv[2] ?? "{}") as Readonly<Record<string, string>>;

export const ingressUrl = given["ingressUrl"] ?? "";
export const adminUrl = given["adminUrl"] ?? "";
export const blobFolder = given["blobFolder"] ?? "";

export const code = "return (await tools.effect({ version: 42 })).version";

export const { callerFor } = fakeTools();
