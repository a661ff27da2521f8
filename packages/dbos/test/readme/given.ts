/** What the README's examples find there: the address that the test gives, and a tool. */
import { fakeTools } from "@nestbox/codemode/durable/conformance";

export const databaseUrl = process.argv[2] ?? "";

export const code = "return (await tools.effect({ version: 42 })).version";

export const { callerFor } = fakeTools();
