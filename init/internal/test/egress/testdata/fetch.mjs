// Fetches /x of each of its targets, HOST:PORT, over TLS, and writes a line about each. For runtimes other than Node.
for (const target of process.argv.slice(2)) {
	try {
		console.log("OK", (await (await fetch(`https://${target}/x`)).text()).trim());
	} catch (e) {
		const all = [];
		for (let cause = e; cause; cause = cause.cause) all.push(cause.code ?? "", cause.message);
		console.log("ERR", all.join(" ").replaceAll("\n", " "));
	}
}
