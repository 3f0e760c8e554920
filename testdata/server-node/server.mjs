// A small MCP server on Node alone: JSON-RPC, one message a line. It stands for a server on the official SDK, which tests
// without a network cannot install; the tools are real. What it reads of /proc at its start many servers read: where there
// is none process.memoryUsage() throws, and os.cpus() is empty.
import { readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { createInterface } from "node:readline";

const resident = process.memoryUsage().rss;
if (resident === 0 || cpus().length === 0) throw new Error(`${resident} bytes resident, ${cpus().length} processors`);

const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const path = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const tools = [
  { name: "echo", description: "Say the text again.", inputSchema: text },
  { name: "read_file", description: "Read a text file whole.", inputSchema: path },
  { name: "fetch", description: "Read what a URL leads to.", inputSchema: text },
];

async function call(name, args) {
  if (name === "echo") return args.text;
  if (name === "read_file") return await readFile(args.path, "utf8");
  if (name === "fetch") return await (await fetch(args.text)).text();
  throw new Error(`unknown tool ${name}`);
}

async function answer(method, params) {
  switch (method) {
    case "initialize":
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "server-node", version: "1" } };
    case "ping":
      return {};
    case "tools/list":
      return { tools };
    case "tools/call":
      try {
        return { content: [{ type: "text", text: await call(params.name, params.arguments ?? {}) }] };
      } catch (err) {
        return { content: [{ type: "text", text: String(err) }], isError: true };
      }
  }
  throw Object.assign(new Error(`unknown method ${method}`), { code: -32601 });
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) continue;
  const reply = { jsonrpc: "2.0", id };
  try {
    reply.result = await answer(method, params ?? {});
  } catch (err) {
    reply.error = { code: err.code ?? -32603, message: err.message };
  }
  process.stdout.write(JSON.stringify(reply) + "\n");
}
