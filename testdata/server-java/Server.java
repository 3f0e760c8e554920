import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A small MCP server on the platform alone: JSON-RPC, one message a line, each answered by a thread of a pool. It stands
 * for a server on the official SDK, which tests without a network cannot install; the tools are real.
 */
public final class Server {
	private static final class Refusal extends RuntimeException {
		final int code;

		Refusal(int code, String text) {
			super(text);
			this.code = code;
		}
	}

	private static final PrintStream out = new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), false, StandardCharsets.UTF_8);

	public static void main(String[] args) throws Exception {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		ExecutorService pool = Executors.newFixedThreadPool(4);
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			Map<String, Object> message = Json.object(Json.parse(line));
			if (message.containsKey("id") && message.containsKey("method")) {
				pool.submit(() -> serve(message));
			}
		}
		pool.shutdown();
		pool.awaitTermination(10, TimeUnit.SECONDS);
	}

	private static void serve(Map<String, Object> message) {
		String reply;
		try {
			Object params = message.getOrDefault("params", Map.of());
			reply = Json.write(Map.of("jsonrpc", "2.0", "id", message.get("id"),
					"result", answer((String) message.get("method"), Json.object(params))));
		} catch (Refusal e) {
			reply = Json.write(Map.of("jsonrpc", "2.0", "id", message.get("id"),
					"error", Map.of("code", (double) e.code, "message", e.getMessage())));
		}
		synchronized (out) {
			out.print(reply + "\n");
			out.flush();
		}
	}

	private static Map<String, Object> answer(String method, Map<String, Object> params) {
		switch (method) {
		case "initialize":
			return Map.of("protocolVersion", params.get("protocolVersion"), "serverInfo", Map.of("name", "server-java", "version", "1"),
					"capabilities", Map.of("tools", Map.of(), "resources", Map.of()));
		case "ping":
			return Map.of();
		case "tools/list":
			return Map.of("tools", List.of(tool("echo", "Say the text again.", "text"), tool("read_file", "Read a text file whole.", "path"),
					Map.of("name", "threads", "description", "Run ten threads and count them.", "inputSchema", Map.of("type", "object"))));
		case "tools/call":
			try {
				return content(call((String) params.get("name"), Json.object(params.getOrDefault("arguments", Map.of()))), false);
			} catch (IOException | InterruptedException | IllegalArgumentException e) {
				return content(e.toString(), true);
			}
		case "resources/list":
			return Map.of("resources", List.of(Map.of("uri", "test://about", "name", "about", "mimeType", "text/plain")));
		case "resources/read":
			return Map.of("contents", List.of(Map.of("uri", "test://about", "mimeType", "text/plain", "text", "java")));
		}
		throw new Refusal(-32601, "unknown method " + method);
	}

	private static Map<String, Object> tool(String name, String description, String argument) {
		return Map.of("name", name, "description", description, "inputSchema", Map.of("type", "object",
				"properties", Map.of(argument, Map.of("type", "string")), "required", List.of(argument)));
	}

	private static Map<String, Object> content(String text, boolean failed) {
		return Map.of("content", List.of(Map.of("type", "text", "text", text)), "isError", failed);
	}

	private static String call(String tool, Map<String, Object> args) throws IOException, InterruptedException {
		switch (tool) {
		case "echo":
			return (String) args.get("text");
		case "read_file":
			return Files.readString(Path.of((String) args.get("path")));
		case "threads":
			AtomicInteger done = new AtomicInteger();
			Thread[] threads = new Thread[10];
			for (int i = 0; i < threads.length; i++) {
				threads[i] = new Thread(done::incrementAndGet);
				threads[i].start();
			}
			for (Thread t : threads) {
				t.join();
			}
			return done + " threads";
		}
		throw new IllegalArgumentException("unknown tool " + tool);
	}
}
