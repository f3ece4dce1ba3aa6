"""Runs a page's shell commands in a real bash, each of them by a function of the test.

    run_bash("export KEY=1\ncobsat models", folder, {}, handle)

Quotes, variables and `$(…)` are thus bash's own. It finds no program at all: each word that is not
its own goes, with arguments, folder and environment, to `handle`, which gives back an exit code and
what the program printed. So nothing runs that the test does not know, and nothing is passed over.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True)
class Command:
    """One command as bash would start it."""

    words: list[str]
    folder: Path
    environment: dict[str, str]

    @property
    def line(self) -> str:
        """The words, with single spaces between them."""
        return " ".join(self.words)


Handle: TypeAlias = Callable[[Command], tuple[int, str]]

_HANDED_OVER = r"""
set -eu -o pipefail
command_not_found_handle() {
  local names name printed code
  names=($(compgen -e))
  { printf '%s\0' "$PWD" "$#" "$@" "${#names[@]}"
    for name in "${names[@]}"; do printf '%s\0' "$name=${!name}"; done
  } >&"$DOCS_ASK"
  IFS= read -r -d '' printed <&"$DOCS_TOLD"
  IFS= read -r -d '' code <&"$DOCS_TOLD"
  printf '%s' "$printed"
  return "$code"
}
"""


def run_bash(script: str, folder: Path, environment: dict[str, str], handle: Handle) -> str:
    """Run a script in a folder and return what it printed.

    Raises:
        AssertionError: It ended with another exit code than 0.
    """
    bash = shutil.which("bash")
    assert bash, "these tests need bash"
    ask, to_us = os.pipe()
    from_us, told = os.pipe()
    given = {**environment, "PATH": "/nowhere", "DOCS_ASK": str(to_us), "DOCS_TOLD": str(from_us)}
    process = subprocess.Popen(
        [bash, "--noprofile", "--norc", "-c", _HANDED_OVER + script],
        cwd=folder, env=given, pass_fds=(to_us, from_us), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    os.close(to_us)
    os.close(from_us)
    try:
        with os.fdopen(ask, "rb") as asked, os.fdopen(told, "wb") as answers:
            while (command := _next(asked)) is not None:
                code, printed = handle(command)
                answers.write(f"{printed}\0{code}\0".encode())
                answers.flush()
        printed, _ = process.communicate()
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()
    assert process.returncode == 0, f"exit code {process.returncode}:\n{script}\n{printed}"
    return printed


def _next(asked: object) -> Command | None:
    folder = _word(asked)
    if folder is None:
        return None
    words = [_word(asked) or "" for _ in range(int(_word(asked) or 0))]
    pairs = [(_word(asked) or "").partition("=") for _ in range(int(_word(asked) or 0))]
    ours = ("DOCS_ASK", "DOCS_TOLD", "PATH", "PWD", "OLDPWD", "SHLVL", "_")
    return Command(words, Path(folder), {n: v for n, _, v in pairs if n not in ours})


def _word(asked: object) -> str | None:
    """Return what comes before the next NUL; None at the end."""
    word = b""
    while (byte := asked.read(1)) != b"\0":  # type: ignore[attr-defined]
        if not byte:
            return None
        word += byte
    return word.decode()
