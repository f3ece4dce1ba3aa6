"""Runs `cobsat` commands as real processes that start in milliseconds, and kills them.

    python tests/fork_server.py

The imports are done once, here; each order (a line of JSON on standard input) is a forked process
of its own. The answer (a line on standard output) is its exit code, -9 if it was killed.
"""

from __future__ import annotations

import gc
import io
import json
import os
import resource
import signal
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from cobsat import image_source
from cobsat.cli import main


def warm() -> None:
    """Import what commands import late, and what they parse their arguments with.

    Both are refused what they are asked for: no child does this again, half of its time.
    """
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        codes = [main([*command, os.devnull]) for command in (["predict", "--model"], ["judge"])]
    assert codes == [2, 2]
    gc.collect()
    gc.freeze()  # a child that looked through it all would copy it


def child(order: dict[str, Any]) -> int:
    os.chdir(order["folder"])
    sys.path.append(order["folder"])
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    if order["file_size"]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["file_size"],) * 2)
    try:
        return main(order["arguments"])
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def is_due(order: dict[str, Any], start: float) -> bool:
    """Whether a process is to be killed now: after a time, or when a file has grown enough."""
    if order["kill_after"] is not None and time.monotonic() - start > order["kill_after"]:
        return True
    watched = order["kill_when_larger"]
    if not watched:
        return False
    path = Path(watched[0])
    return path.exists() and path.stat().st_size > watched[1]


def serve(order: dict[str, Any]) -> int:
    if "--images" in order["arguments"]:  # its digest takes longer than all else at the start
        image_source(order["arguments"][order["arguments"].index("--images") + 1])
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            code = child(order)
        finally:
            os._exit(code)
    start, killed = time.monotonic(), False
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if not killed and is_due(order, start):
            os.kill(pid, signal.SIGKILL)  # still ours: it is not reaped yet
            killed = True
        time.sleep(0.0003)


if __name__ == "__main__":
    warm()
    for line in sys.stdin:
        print(serve(json.loads(line)), flush=True)
    os._exit(0)  # all is done: to take torch apart would be seconds
