import { writeFileSync } from "node:fs";
import { serveMcpStdio } from "@nestbox/mcp/node";
import { exampleHost } from "./example-host.ts";

// Its first argument is a file that is written when a call was stopped.
const [, , stopped = ""] = process.argv;
serveMcpStdio(
  exampleHost(() => writeFileSync(stopped, "stopped")),
  { name: "example", version: "1.0.0" },
);
