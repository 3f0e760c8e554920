#!/usr/bin/env python3
"""A small MCP server on the standard library: JSON-RPC, one message a line, each answered by a thread of a pool.

It stands for a server on the official SDK, which tests without a network cannot install; the tools are real.
"""
import json
import pathlib
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = [
    {"name": "echo", "description": "Say the text again.", "inputSchema": TEXT},
    {"name": "read_file", "description": "Read a text file whole.", "inputSchema": PATH},
    {"name": "threads", "description": "Run ten threads and count them.", "inputSchema": {"type": "object"}},
]
ABOUT = {"uri": "test://about", "name": "about", "mimeType": "text/plain"}


class Refusal(Exception):
    """An error of the protocol: its code and its text."""


def call(tool, args):
    if tool == "echo":
        return args["text"]
    if tool == "read_file":
        return pathlib.Path(args["path"]).read_text(encoding="utf-8")
    if tool == "threads":
        done = []
        threads = [threading.Thread(target=done.append, args=(i,)) for i in range(10)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return f"{len(done)} threads"
    raise ValueError(f"unknown tool {tool}")


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}, "resources": {}},
                "serverInfo": {"name": "server-python", "version": "1"}}
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        try:
            text, failed = call(params["name"], params.get("arguments") or {}), False
        except (OSError, ValueError) as e:
            text, failed = str(e), True
        return {"content": [{"type": "text", "text": text}], "isError": failed}
    if method == "resources/list":
        return {"resources": [ABOUT]}
    if method == "resources/read" and params["uri"] == ABOUT["uri"]:
        return {"contents": [dict(uri=ABOUT["uri"], mimeType="text/plain", text="python")]}
    raise Refusal(-32601, f"unknown method {method}")


def serve(message):
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    try:
        reply["result"] = answer(message["method"], message.get("params") or {})
    except Refusal as e:
        reply["error"] = {"code": e.args[0], "message": e.args[1]}
    with writing:
        sys.stdout.write(json.dumps(reply, ensure_ascii=False) + "\n")
        sys.stdout.flush()


writing = threading.Lock()
sys.stdin.reconfigure(encoding="utf-8")
sys.stdout.reconfigure(encoding="utf-8")
with ThreadPoolExecutor(4) as pool:
    for line in sys.stdin:
        if "id" in (request := json.loads(line)) and "method" in request:
            pool.submit(serve, request)
