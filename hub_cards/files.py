"""How the files of a report are written."""

from __future__ import annotations

import os
from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """Write a file in one step, so that a killed process leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8", errors="replace", newline="\n")
    os.replace(partial, path)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file of bytes in one step, likewise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(data)
    os.replace(partial, path)
