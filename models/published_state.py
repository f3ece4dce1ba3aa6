"""A published checkpoint as tensors by name: safetensors, or pickles that hold nothing else.

    state = read_state("Emu2-Chat/")

No code of a pickle runs (`weights_only=True`), and of safetensors only what is used is read.
"""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

__all__ = ["dropped", "read_config", "read_state", "some"]

_PICKLED: Final = (".bin", ".pt", ".pth", ".ckpt", ".tar")
_WRAPPERS: Final = ("state_dict", "model", "module")
_OTHERS: Final = ("training_args.bin", "optimizer.bin", "optimizer.pt", "scheduler.pt")
"""What a training leaves beside the weights."""
_POINTER: Final = b"version https://git-lfs"
_SHOWN: Final = 5


def read_state(path: str | Path, skip: Iterable[str] = ()) -> dict[str, Tensor]:
    """Return a checkpoint's tensors by name, on the CPU.

    Args:
        path: A file of tensors, or a folder of such files (safetensors, if there are any).
        skip: Patterns (`text_model.*`) of tensors that are not wanted: of safetensors they are not
            read at all.

    Raises:
        OSError: It is not there, or is broken.
        ValueError: It holds something else than tensors.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"checkpoint must be a file or a folder, got {path}: not there")
    state: dict[str, Tensor] = {}
    for file in _weight_files(path) if path.is_dir() else [path]:
        part = _read_file(file, list(skip))
        both = sorted(state.keys() & part.keys())
        if twice := [name for name in both if not torch.equal(state[name], part[name])]:
            raise ValueError(f"{path} must hold each tensor once, got {some(twice)} twice")
        state |= part
    return state


def _weight_files(folder: Path) -> list[Path]:
    """Return the files of a folder that hold its weights: those of an index, if one is there."""
    for suffixes in ((".safetensors",), _PICKLED):
        files = [each for each in sorted(folder.iterdir()) if each.suffix in suffixes]
        files = [each for each in files if each.name not in _OTHERS]
        for index in sorted(folder.glob(f"*{suffixes[0]}.index*.json")):
            named = {
                folder / str(name) for name in read_config(index).get("weight_map", {}).values()
            }
            if named and named <= set(files):
                return sorted(named)
        if files:
            break
    if not files:
        raise FileNotFoundError(
            f"checkpoint must hold safetensors, or one of {', '.join(_PICKLED)}, got none in "
            f"{folder}"
        )
    return files


def _read_file(file: Path, skip: list[str]) -> dict[str, Tensor]:
    with open(file, "rb") as opened:
        if opened.read(len(_POINTER)) == _POINTER:
            raise OSError(
                f"{file} must be a checkpoint, got Git LFS's pointer to one: git lfs pull, or hf "
                "download"
            )
    try:
        if file.suffix == ".safetensors":
            with safe_open(file, "pt") as tensors:
                names = [name for name in tensors.keys() if not _matches(name, skip)]  # noqa: SIM118
                return {name: tensors.get_tensor(name) for name in names}
        loaded = torch.load(file, map_location="cpu", weights_only=True)
    except (SafetensorError, EOFError, KeyError, IndexError, ValueError) as error:
        raise OSError(f"{file} must be a whole checkpoint, got a broken one: {error}") from error
    except pickle.UnpicklingError as error:
        named = re.search(r"GLOBAL (\S+)", str(error))
        raise ValueError(
            f"{file} must hold tensors only, got something else, which code would have to make"
            f"{f' ({named[1]})' if named else ''}"
        ) from error
    except RuntimeError as error:  # torch's word for a zip that ends too early
        raise OSError(f"{file} must be a whole checkpoint, got a broken one: {error}") from error
    return dropped(_only_tensors(loaded, file), skip)[0]


def _only_tensors(loaded: Any, file: Path) -> dict[str, Tensor]:
    """Return the tensors of a pickle, which training scripts like to wrap up with other things."""
    for name in _WRAPPERS:
        if isinstance(loaded, dict) and isinstance(loaded.get(name), dict):
            loaded = loaded[name]
    if not isinstance(loaded, dict):
        raise ValueError(f"{file} must hold tensors by name, got a {type(loaded).__name__}")
    others = sorted(str(name) for name, value in loaded.items() if not isinstance(value, Tensor))
    if others:
        raise ValueError(f"{file} must hold tensors only, got also {some(others)}")
    return {str(name): tensor for name, tensor in loaded.items()}


def read_config(file: Path) -> dict[str, Any]:
    """Return a JSON file's object.

    Raises:
        OSError: It is not there.
        ValueError: It holds something else.
    """
    try:
        found = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} must be JSON, got {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"{file} must be a JSON object, got a {type(found).__name__}")
    return found


def dropped(
    state: Mapping[str, Tensor], patterns: Iterable[str]
) -> tuple[dict[str, Tensor], set[str]]:
    """Return what no pattern (`blocks.*`) names, and the names of the rest."""
    chosen = list(patterns)
    out = {name for name in state if _matches(name, chosen)}
    return {name: tensor for name, tensor in state.items() if name not in out}, out


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def some(names: Sequence[str]) -> str:
    """Return the first few of many names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
