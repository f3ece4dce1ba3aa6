"""Starts a `cobsat` command in several processes as torchrun does, but in milliseconds.

    python tests/rank_server.py

The imports are done once, here; each order (a line of JSON on standard input) is as many forked
processes as it says, with torchrun's environment. When one fails, the others are ended. The answer
(a line on standard output) is the list of exit codes, by rank.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import sys
from typing import Any

import torch
from cobsat import image_source
from fork_server import child, warm


def environment(rank: int, count: int, port: int) -> dict[str, str]:
    names = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": count, "LOCAL_WORLD_SIZE": count}
    names |= {"GROUP_RANK": 0, "MASTER_ADDR": "localhost", "MASTER_PORT": port}
    return {key: str(value) for key, value in names.items()}


def fork(order: dict[str, Any], rank: int, port: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    code: object = 70
    try:
        os.environ.update(environment(rank, order["processes"], port))
        code = child({**order, "log": f"{order['log']}.{rank}"})
    except SystemExit as ended:
        code = ended.code
    finally:
        os._exit(code if isinstance(code, int) else 70)


def serve(order: dict[str, Any]) -> list[int]:
    if "--images" in order["arguments"]:  # its digest takes longer than all else at the start
        image_source(order["arguments"][order["arguments"].index("--images") + 1])
    with socket.socket() as held:
        # Theirs alone while they run: bound, it is given to nobody who asks for any free port,
        # and as it does not listen, the first of them may.
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("localhost", 0))
        port = held.getsockname()[1]
        running = {fork(order, rank, port): rank for rank in range(order["processes"])}
        codes: dict[int, int] = {}
        while running:
            ended, status = os.wait()
            codes[running.pop(ended)] = code = os.waitstatus_to_exitcode(status)
            for pid in running if code else ():
                os.kill(pid, signal.SIGTERM)
    return [codes[rank] for rank in range(order["processes"])]


if __name__ == "__main__":
    torch.set_num_threads(1)
    importlib.import_module("accelerate")
    warm()
    for line in sys.stdin:
        print(json.dumps(serve(json.loads(line))), flush=True)
    os._exit(0)  # all is done: to take torch apart would be seconds
