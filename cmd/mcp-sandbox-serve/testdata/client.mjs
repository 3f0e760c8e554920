// One session by the official TypeScript SDK over HTTP: node client.mjs MODULES URL [MODE] prints the version, the tools and
// a result. With a MODE of negotiation the SDK is of version 2.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, url, mode] = process.argv.slice(2);
const require = createRequire(join(modules, "client.cjs"));
const load = (name) => import(pathToFileURL(require.resolve("@modelcontextprotocol/" + name)).href);
const { Client, StreamableHTTPClientTransport } = mode
  ? await load("client")
  : { ...(await load("sdk/client/index.js")), ...(await load("sdk/client/streamableHttp.js")) };

const client = new Client({ name: "mcp-sandbox-client-ts", version: "1" }, mode ? { versionNegotiation: { mode } } : {});
const transport = new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
const version = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion;
const tools = client.getServerCapabilities().tools ? (await client.listTools()).tools.map((tool) => tool.name) : [];
const result = await client.callTool({ name: "echo", arguments: { text: "hi there" } });
console.log(JSON.stringify({ version, tools, result }));
await transport.terminateSession();
await client.close();
