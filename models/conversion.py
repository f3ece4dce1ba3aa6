"""From the papers' published checkpoints to safetensors: read, renamed, loaded without a gap.

    cobsat convert seed_llama seed_quantizer.pt seed-llama-14b-sft/ --out checkpoints/seed-llama-14b

A published checkpoint is read from safetensors, or from a pickle that may hold nothing but tensors
(`weights_only=True`: no code of it runs). What each tensor becomes stands in a system's table of
names; a name that the table does not know stops the conversion, and so does a tensor that is
missing. `conversion.json` in the new folder keeps the digests of what was read and written, and
`README.md` says so to people.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import typer
from cobsat.command_line import say
from cobsat.spec import choose
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor, nn

from .conversion_card import write_card
from .published_state import dropped, read_config, read_state, some

__all__ = [
    "CONFIG",
    "CONVERTERS",
    "RECORD",
    "WEIGHTS",
    "Rules",
    "converted_digest",
    "dropped",
    "file_digest",
    "load_strictly",
    "read_config",
    "read_state",
    "renamed",
    "save_part",
    "under",
    "write_record",
]

RECORD: Final = "conversion.json"
WEIGHTS: Final = "model.safetensors"
CONFIG: Final = "config.json"
_BEGUN: Final = ".cobsat-conversion"
"""Marks a folder that is being written."""

CONVERTERS: Final = {
    "seed_llama": "cobsat.models.seed_llama.convert:convert",
    "gill": "cobsat.models.gill.convert:convert",
    "qwen_vl_chat": "cobsat.models.qwen_vl_chat.convert:convert",
    "emu": "cobsat.models.emu.convert:convert",
    "emu2": "cobsat.models.emu2.convert:convert",
    "llava": "cobsat.models.llava_conversion:convert",
    "minigpt4": "cobsat.models.minigpt4.convert:convert",
    "pandagpt": "cobsat.models.pandagpt.convert:convert",
}
"""System → "module:function(sources, out, drop)", which returns the names of what it left out."""

Rules: TypeAlias = tuple[tuple[str, str], ...]
"""Pattern of a whole name → its replacement; the first that matches counts."""


def under(state: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Return the tensors whose names begin with a prefix, without it.

    >>> import torch
    >>> under({"a.b": torch.zeros(1), "c": torch.zeros(1)}, "a.").keys()
    dict_keys(['b'])
    """
    return {k.removeprefix(prefix): tensor for k, tensor in state.items() if k.startswith(prefix)}


def renamed(state: Mapping[str, Tensor], rules: Rules, what: str) -> dict[str, Tensor]:
    r"""Return tensors by their new names.

    Args:
        state: Tensors by name.
        rules: What each name becomes.
        what: Whose tensors they are, for the message.

    Raises:
        ValueError: A name is in no rule, or two become one.

    >>> import torch
    >>> renamed({"blocks.3.w": torch.zeros(1)}, ((r"blocks\.(\d+)\.w", r"layer.\1"),), "it").keys()
    dict_keys(['layer.3'])
    """
    compiled = [(re.compile(pattern), becomes) for pattern, becomes in rules]
    new: dict[str, Tensor] = {}
    unknown = []
    for name, tensor in state.items():
        match = next(((m, b) for p, b in compiled if (m := p.fullmatch(name))), None)
        if match is None:
            unknown.append(name)
            continue
        becomes = match[0].expand(match[1])
        if becomes in new:
            raise ValueError(f"{what} must have one tensor for {becomes}, got {name} as a second")
        new[becomes] = tensor
    if unknown:
        raise ValueError(
            f"tensors of {what} must be known by name, got {len(unknown)} that are not: "
            f"{some(unknown)}; --drop NAME leaves one out where it takes no part"
        )
    return new


def load_strictly(module: nn.Module, state: Mapping[str, Tensor], what: str) -> None:
    """Give a module its weights: all of them, and no others.

    A module on the meta device takes the tensors themselves; their dtype stays.

    Raises:
        ValueError: A tensor is missing, is too many or has another shape; the message names it.
    """
    wanted = {name: tensor.shape for name, tensor in module.state_dict().items()}
    problems = []
    for label, names in (
        ("missing", [name for name in wanted if name not in state]),
        ("unexpected", [name for name in state if name not in wanted]),
        (
            "of another shape",
            [
                f"{name} {tuple(state[name].shape)} for {tuple(shape)}"
                for name, shape in wanted.items()
                if name in state and state[name].shape != shape
            ],
        ),
    ):
        if names:
            problems.append(f"{len(names)} {label}: {some(names)}")
    if problems:
        raise ValueError(f"{what} must have exactly its weights, got {'; '.join(problems)}")
    module.load_state_dict(dict(state), strict=True, assign=True)
    if left := [name for name, tensor in module.named_buffers() if tensor.is_meta]:
        raise ValueError(f"{what} must have a value for each buffer, got none for {some(left)}")


def save_part(folder: Path, config: Mapping[str, Any], state: Mapping[str, Tensor]) -> None:
    """Write one part of a system: its weights as safetensors and its config."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: tensor.contiguous() for name, tensor in state.items()}, folder / WEIGHTS)
    text = json.dumps(config, indent=2, sort_keys=True)
    (folder / CONFIG).write_text(f"{text}\n", encoding="utf-8")


def file_digest(path: Path) -> str:
    """Return a file's SHA-256."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def converted_digest(folder: Path) -> str | None:
    """Return the SHA-256 of a converted folder's files, as its record has them; None for others."""
    if not (folder / RECORD).is_file():
        return None
    files = json.loads((folder / RECORD).read_text("utf-8"))["files"]
    lines = [f"{entry['sha256']}  {entry['name']}" for entry in files]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def write_record(
    out: Path, system: str, sources: Sequence[Path], left_out: Iterable[str]
) -> dict[str, Any]:
    """Write and return what was converted from what: names without folders, and SHA-256."""
    record = {
        "system": system,
        "sources": [entry for source in sources for entry in _digests(source, source.parent)],
        "left_out": sorted(left_out),
        "files": _digests(out, out),
        "versions": {name: version(name) for name in ("cobsat", "torch", "transformers")},
    }
    text = json.dumps(record, indent=2)
    (out / RECORD).write_text(f"{text}\n", encoding="utf-8")
    return record


def _digests(path: Path, relative_to: Path) -> list[dict[str, Any]]:
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    return [
        {
            "name": file.relative_to(relative_to).as_posix(),
            "bytes": file.stat().st_size,
            "sha256": file_digest(file),
        }
        for file in files
        if file.name not in (RECORD, _BEGUN)
    ]


def command(
    system: Annotated[str, typer.Argument(help=f"One of {', '.join(CONVERTERS)}.")],
    checkpoint: Annotated[
        list[Path],
        typer.Argument(help="The published files and folders that the system consists of."),
    ],
    out: Annotated[Path, typer.Option(help="The new folder.")],
    drop: Annotated[
        list[str] | None,
        typer.Option(
            help="A tensor that takes no part, by its published name or a quoted pattern such as "
            "'head.*'; may be repeated. The system's own are known."
        ),
    ] = None,
) -> Path:
    """Convert a paper's published checkpoint to safetensors, once; nothing of it is run.

    `cobsat models SYSTEM` and docs/models.md say which files and folders a system consists of.
    """
    module, _, function = CONVERTERS[choose("system", system, CONVERTERS)].partition(":")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FileExistsError(f"out must be a new or an empty folder, got {out}")
    for path in checkpoint:
        if not path.exists():
            raise FileNotFoundError(f"checkpoint must be a file or a folder, got {path}: not there")
        if out.resolve().is_relative_to(path.resolve()):
            raise ValueError(f"out must be a folder outside of what is converted, got {out}")
    partial = _begun(out)
    try:
        left_out = getattr(import_module(module), function)(checkpoint, partial, drop or ())
        record = write_record(partial, system, checkpoint, left_out)
        write_card(partial, out.name, record)
        (partial / _BEGUN).unlink()
        _open_to_all(partial)
        partial.replace(out)
    except SafetensorError as error:  # its word for what the disk says
        raise OSError(f"{out} must be written whole, got {error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    say(f"{out}: {len(record['files'])} files from {len(record['sources'])}, digests in {RECORD}")
    if left_out:
        say(f"left out, as it takes no part: {some(sorted(left_out))}")
    return out


def _open_to_all(folder: Path) -> None:
    """Give files the rights that new ones have here; safetensors come for their owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    for file in folder.rglob("*"):
        if file.is_file():
            file.chmod(0o666 & ~mask)


def _begun(out: Path) -> Path:
    """Return an empty folder beside the new one: a conversion that fails leaves no new one.

    What an earlier conversion left, that was killed, is cleared away.

    Raises:
        FileExistsError: There is a folder of that name that no conversion made.
    """
    partial = out.with_name(f"{out.name}.partial")
    if partial.exists() and not (partial / _BEGUN).is_file():
        raise FileExistsError(f"{partial} must not be there while {out} is made: move it away")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    (partial / _BEGUN).touch()
    return partial
