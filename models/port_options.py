"""Checks of the options and configs that the ports of the papers' systems have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from cobsat.spec import choose

from .conversion import converted_digest
from .papers_systems import FETCHED

__all__ = [
    "check_flag",
    "check_loading",
    "check_source",
    "check_system",
    "check_whole",
    "identity",
    "sizes_of",
    "unconverted",
]

_DTYPES: Final = ("auto", "float32", "bfloat16", "float16")

_Sizes = TypeVar("_Sizes")


def check_source(system: str, checkpoint: str | None, tiny: bool) -> None:
    """Check that a system is told what to load: a checkpoint, or its tiny self.

    Raises:
        ValueError: Both are given, or neither.
    """
    check_flag("tiny", tiny)
    if (checkpoint is None) != tiny:
        raise ValueError(
            f"checkpoint must be given, or tiny=true, and not both, got checkpoint={checkpoint!r}, "
            f"tiny={tiny!r}: --tiny for a random one, or --model-option checkpoint=FOLDER, as "
            f"cobsat convert {system} makes it (cobsat models {system} says from what)"
        )


def check_loading(dtype: Any, context: Any) -> None:
    """Check options before anything is loaded in vain.

    Raises:
        ValueError: `dtype` is none that a checkpoint is loaded in, or `context`, unless it is None,
            is no whole number of 2 or more.
    """
    choose("dtype", dtype, _DTYPES)
    if context is not None:
        check_whole("context", context, 2)


def check_system(system: Any, control: re.Pattern[str]) -> str:
    """Return an option that is a system's text.

    Args:
        system: The option.
        control: Finds what the tokenizer would take for more than text.

    Raises:
        ValueError: It is no text, or holds a token that steers the model.
    """
    if not isinstance(system, str) or control.search(system):
        raise ValueError(f"system must be a text without control tokens, got {system!r}")
    return system


def unconverted(system: str, checkpoint: str) -> FileNotFoundError:
    """Return the error for a folder that is not a converted checkpoint: it says how to make one."""
    return FileNotFoundError(
        f"checkpoint must be a folder that cobsat convert {system} made, got {checkpoint!r}: "
        f"{'; '.join(FETCHED[system])} (docs/models.md says more)"
    )


def identity(checkpoint: str | None) -> dict[str, Any]:
    """Return what a run records of a converted checkpoint; None is for the tiny one."""
    if checkpoint is None:
        return {"checkpoint": None, "tiny": True}
    return {"checkpoint": checkpoint, "weights_sha256": converted_digest(Path(checkpoint))}


def check_flag(name: str, value: Any) -> bool:
    """Return an option that is true or false.

    Raises:
        ValueError: It is something else.
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, got {value!r}")
    return value


def check_whole(name: str, value: Any, least: int) -> int:
    """Return an option that is a whole number.

    Raises:
        ValueError: It is none, or below the least.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be an integer of {least} or more, got {value!r}")
    return value


def sizes_of(sizes: type[_Sizes], config: Mapping[str, Any], what: str) -> _Sizes:
    """Return the data class of sizes that a config holds.

    Raises:
        ValueError: It does not hold exactly these.
    """
    wanted = {field.name for field in fields(cast(Any, sizes))}
    if set(config) != wanted:
        odd = sorted(wanted ^ set(config))
        raise ValueError(f"config of {what} must hold {sorted(wanted)}, got odd {odd}")
    return sizes(**config)
