"""Checks of the options and configs that the ports of the papers' systems have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar, cast

__all__ = ["check_flag", "check_source", "check_whole", "sizes_of"]

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
            f"tiny={tiny!r}: --model-option checkpoint=FOLDER, as cobsat convert {system} makes it"
        )


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
