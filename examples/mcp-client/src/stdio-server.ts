// What an MCP client starts: node --conditions=@nestbox/source stdio-server.ts <project>
import { serveMcpStdio } from "@nestbox/mcp/node";
import { reviewHost } from "./review-host.ts";

const [, , project = process.cwd()] = process.argv;
serveMcpStdio(reviewHost(project), { name: "review", version: "1.0.0" });
