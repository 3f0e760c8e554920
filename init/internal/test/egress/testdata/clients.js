// Reaches each of its targets, HOST:PORT, in one manner, and writes a line about each.
const net = require("net"), http = require("http");

const failed = e => { throw e.cause || e.errors?.[0] || e; };

const manners = {
	// Node's own, twice on one connection at the most
	async fetch(host, port) { return (await fetch(`https://${host}:${port}/x`)).text(); },

	// two requests on one connection
	async http(host, port) {
		const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
		const get = () => new Promise((resolve, reject) => {
			const request = http.get({ host, port, path: "/x", agent }, answer => {
				let text = "";
				answer.on("data", b => text += b).on("error", reject).on("end", () => resolve([text, request.reusedSocket]));
			}).on("error", reject);
		});
		try {
			await get();
			const [text, reused] = await get();
			return text + (reused ? " again" : " by another connection");
		} finally {
			agent.destroy();
		}
	},

	// each address in turn, as browsers do
	net(host, port) {
		return new Promise((resolve, reject) => {
			let text = "";
			const c = net.connect({ host, port, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 250 });
			c.on("error", reject).on("data", b => text += b).on("end", () => resolve(text.split("\r\n\r\n")[1]));
			c.on("connect", () => c.write("GET /x HTTP/1.0\r\n\r\n"));
		});
	},

	async undici(host, port) {
		const { Client } = require("undici");
		const client = new Client(`https://${host}:${port}`, { pipelining: 2 });
		try {
			const all = await Promise.all([1, 2].map(() => client.request({ method: "GET", path: "/x" })));
			return (await Promise.all(all.map(r => r.body.text()))).join(" ");
		} finally {
			await client.destroy();
		}
	},

	ws(host, port) {
		const WebSocket = require("ws");
		return new Promise((resolve, reject) => {
			const c = new WebSocket(`ws://${host}:${port}/`);
			c.on("error", reject).on("close", () => reject(new Error("closed")));
			c.on("open", () => c.send("hello")).on("message", m => { resolve(String(m)); c.close(); });
		});
	},

	grpc(host, port) {
		const grpc = require("@grpc/grpc-js");
		const c = new (grpc.makeGenericClientConstructor(require("./service"), "Echo"))(`${host}:${port}`, grpc.credentials.createInsecure());
		return new Promise((resolve, reject) => {
			c.say(Buffer.from("hello"), { deadline: Date.now() + 15000 }, (e, answer) => e ? reject(e) : resolve(String(answer)));
		}).finally(() => c.close());
	},
};

(async () => {
	for (const target of process.argv.slice(3)) {
		const [host, port] = target.split(":");
		try {
			console.log("OK", (await manners[process.argv[2]](host, Number(port)).catch(failed)).trim());
		} catch (e) {
			console.log("ERR", e.code ?? "", String(e.message).replaceAll("\n", " "));
		}
	}
})();
