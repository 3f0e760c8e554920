// Serves one protocol, argument 1, at an address and a port, until a signal.
const [kind, host, port] = process.argv.slice(2);
if (kind === "ws") {
	const { WebSocketServer } = require("ws");
	new WebSocketServer({ host, port: Number(port) }).on("connection", c => c.on("message", m => c.send(String(m))));
} else {
	const grpc = require("@grpc/grpc-js");
	const server = new grpc.Server();
	server.addService(require("./service"), { say: (call, answer) => answer(null, call.request) });
	server.bindAsync(`${host}:${port}`, grpc.ServerCredentials.createInsecure(), e => { if (e) throw e; });
}
