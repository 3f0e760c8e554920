"""Reaches each of its targets, HOST:PORT, in one manner, and writes a line about each."""
import asyncio
import sys
import urllib.request


def urllib_get(host, port):
    with urllib.request.urlopen(f"https://{host}:{port}/x", timeout=20) as answer:
        return answer.read().decode()


def asyncio_get(host, port):
    async def get():
        reader, writer = await asyncio.open_connection(host, port, happy_eyeballs_delay=0.25)
        try:
            writer.write(b"GET /x HTTP/1.0\r\n\r\n")
            return (await reader.read()).decode().split("\r\n\r\n")[1]
        finally:
            writer.close()
    return asyncio.run(get())


for target in sys.argv[2:]:
    host, port = target.split(":")
    try:
        print("OK", {"urllib": urllib_get, "asyncio": asyncio_get}[sys.argv[1]](host, int(port)).strip(), flush=True)
    except OSError as e:
        print("ERR", e, flush=True)
