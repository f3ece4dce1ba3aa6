"""Whether the client keeps a server busy: its rate over the server's own limit.

python benchmarks/openai_api.py [EXAMPLES]

A server process on this machine takes 200 ms a call and has 32 slots: 160 calls a second at most;
more calls wait in its queue. What it really gives is measured with bare sockets that repeat one
request; then `cobsat predict --model openai` asks it with the shipped pictures, in a run folder,
from the first example to the last line on disk. Its rate must be at least 95% of that limit; less
ends with exit code 1. Both need the machine's cores to themselves: the CPU time of a call, printed
beside, says what a busy machine would make of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cobsat import Options, examples
from cobsat.models import load_model
from cobsat.models.openai_api import chat_messages
from cobsat.models.predict import predict
from cobsat.models.settings import run_settings

BOUND = 0.95
SLOTS, SECONDS = 32, 0.2
CONFIGS = tuple(f"{theme}_i-2shot" for theme in ("color", "background", "style", "action"))
REPLY = json.dumps(
    {
        "object": "chat.completion",
        "model": "loopback",
        "choices": [{"message": {"content": "A car."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 500, "completion_tokens": 3},
    }
).encode()


async def serve() -> None:
    """Answer every request after its time in a slot, and print the port."""
    slots = asyncio.Semaphore(SLOTS)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await reader.readexactly(await body_length(reader))
                async with slots:
                    await asyncio.sleep(SECONDS)
                writer.write(head % len(REPLY) + REPLY)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, limit=2**22)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def body_length(reader: asyncio.StreamReader) -> int:
    """Read a head and return what it says of the body's length."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    return int(head.split(b"content-length:")[1].split(b"\r\n")[0])


@contextmanager
def server() -> Iterator[int]:
    """Run the server in a process of its own; gives its port."""
    process = subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


async def bare(port: int, calls: int) -> float:
    """Return the calls a second of bare connections, a few more than there are slots."""
    row = examples(CONFIGS[0], "test", Options(output="description"))[0]
    body = json.dumps({"model": "m", "messages": chat_messages(row["messages"])}).encode()
    request = (
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)
    ) + body
    left = iter(range(calls))

    async def connection() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in left:
            writer.write(request)
            await reader.readexactly(await body_length(reader))
        writer.close()
        await writer.wait_closed()

    start = time.perf_counter()
    await asyncio.gather(*(connection() for _ in range(SLOTS + 16)))
    return calls / (time.perf_counter() - start)


def client(port: int, count: int, folder: Path) -> tuple[float, float]:
    """Return the examples a second of a run, and milliseconds of CPU time an example."""
    model = load_model(
        "openai", model="m", base_url=f"http://127.0.0.1:{port}/v1", concurrency=SLOTS + 16
    )
    options = Options(output="description")
    limit = count // len(CONFIGS)
    settings = run_settings("openai", model, {}, CONFIGS, "test", options, limit)
    start, cpu = time.perf_counter(), time.process_time()
    run = predict(model, settings, folder)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    done = run.predictions()[0].values()
    if {prediction.status for prediction in done} != {"ok"}:
        raise RuntimeError("the loopback server must have answered everything")
    return len(done) / seconds, 1000 * cpu / len(done)


def main() -> int:
    """Measure, print, and say whether the bound holds."""
    if "--serve" in sys.argv:
        asyncio.run(serve())
    os.environ.setdefault("OPENAI_API_KEY", "none")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    with tempfile.TemporaryDirectory() as folder, server() as port:
        client(port, 40, Path(folder) / "warm")  # imports, and the pictures' data URLs
        own = asyncio.run(bare(port, count // 2))
        rate, cpu = client(port, count, Path(folder) / "run")
    ratio = rate / own
    print(
        f"server: {own:.1f} calls a second ({SLOTS / SECONDS:.0f} on paper); client: {rate:.1f}, "
        f"{ratio:.3f} of it (at least {BOUND}), with {cpu:.1f} ms of CPU time a call"
    )
    return 0 if ratio >= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
