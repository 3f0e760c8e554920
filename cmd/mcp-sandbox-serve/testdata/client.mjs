// One session by the official TypeScript SDK over HTTP: node client.mjs MODULES URL prints the tools and a result.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, url] = process.argv.slice(2);
const require = createRequire(join(modules, "client.cjs"));
const load = (name) => import(pathToFileURL(require.resolve("@modelcontextprotocol/sdk/" + name)).href);
const { Client } = await load("client/index.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");

const client = new Client({ name: "mcp-sandbox-client-ts", version: "1" });
const transport = new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const result = await client.callTool({ name: "echo", arguments: { text: "hi there" } });
console.log(JSON.stringify({ tools, result }));
await transport.terminateSession();
await client.close();
