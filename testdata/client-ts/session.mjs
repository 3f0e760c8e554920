// One MCP session by the official TypeScript SDK, as a host on Node would have it: StdioClientTransport gives the server
// socketpairs, not pipes, for its standard input and output.
//
//   node session.mjs '{"modules": "/…/node_modules", "command": "node", "args": ["server.js"],
//                      "env": {"A": "b"}, "cwd": "/", "calls": [{"name": "echo", "arguments": {"message": "hi"}}]}'
//
// prints one line of JSON: server (name and version), tools (names), results (one for each call, as the server gave
// them), initializeMs, closeMs (the SDK's close sequence: end of input, 2 s, SIGTERM, 2 s, SIGKILL), stderr (of the server).
// A call that the server answers with isError is a result. Exit status 1 and an "error" in the line when there was no
// session or a call got no answer; 2 when the description is wrong.
//
// env is the server's whole environment but for what the SDK itself passes on (HOME, PATH, …).
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const started = () => performance.now();
const since = (t) => Math.round((performance.now() - t) * 10) / 10;

function description(text) {
  const d = JSON.parse(text);
  for (const key of ["modules", "command"]) {
    if (typeof d[key] !== "string") throw new Error(`description: ${key} is missing`);
  }
  return { args: [], calls: [], env: {}, ...d };
}

// The SDK lives in a cache, not above this file, so its place is part of the description.
async function sdk(modules) {
  const require = createRequire(join(modules, "session.cjs"));
  const load = (name) => import(pathToFileURL(require.resolve("@modelcontextprotocol/sdk/" + name)).href);
  const [{ Client }, { StdioClientTransport }] = await Promise.all([
    load("client/index.js"),
    load("client/stdio.js"),
  ]);
  return { Client, StdioClientTransport };
}

async function session(d, out) {
  const { Client, StdioClientTransport } = await sdk(d.modules);
  const transport = new StdioClientTransport({
    command: d.command, args: d.args, env: d.env, cwd: d.cwd, stderr: "pipe",
  });
  transport.stderr.on("data", (chunk) => { out.stderr += chunk; });
  const client = new Client({ name: "mcp-sandbox-client-ts", version: "1" });
  try {
    let t = started();
    await client.connect(transport);
    out.initializeMs = since(t);
    out.server = client.getServerVersion();
    out.tools = (await client.listTools()).tools.map((tool) => tool.name);
    for (const call of d.calls) out.results.push(await client.callTool(call));
  } finally {
    const t = started();
    await client.close();
    out.closeMs = since(t);
  }
}

let d;
try {
  d = description(process.argv[2] ?? "");
} catch (err) {
  console.error("session.mjs:", err.message);
  process.exit(2);
}
const out = { server: null, tools: [], results: [], initializeMs: null, closeMs: null, stderr: "" };
try {
  await session(d, out);
} catch (err) {
  out.error = String(err?.message ?? err);
  process.exitCode = 1;
}
console.log(JSON.stringify(out));
