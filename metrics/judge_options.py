"""Which option goes to which judge, when several judge a run. No judge is loaded for it.

--judge llava --judge clip --judge-option device=cuda --judge-option clip.checkpoint=NAME
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from cobsat.command_line import parse_options
from cobsat.spec import choose

from .registry import judge_parameters

__all__ = ["assign_options"]

ONE_S_OWN: Final = ("checkpoint", "revision")
"""Options that mean another thing to each judge."""


def assign_options(names: Iterable[str], options: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return each judge's options: `key=value` is for all that take it, `JUDGE.key=value` for one.

    Raises:
        ValueError: A judge is unknown, an option is none of theirs, or a checkpoint is given that
            might be any of several judges'.

    >>> assign_options(["llava", "mention"], ["method=options"])
    {'llava': {'method': 'options'}, 'mention': {}}
    >>> assign_options(["llava", "clip"], ["clip.checkpoint=openai/clip-vit-base-patch32"])["llava"]
    {}
    """
    names = list(dict.fromkeys(names))
    known = {name: judge_parameters(name) for name in names}
    common: list[str] = []
    own: dict[str, list[str]] = {name: [] for name in names}
    for option in options:
        name, dot, rest = option.partition("=")[0].partition(".")
        if dot and name in own:
            own[name].append(option[len(name) + 1 :])
            choose(f"option of the judge {name}", rest, sorted(known[name]))
        else:
            common.append(option)
    assigned: dict[str, dict[str, Any]] = {name: {} for name in names}
    for key, value in parse_options(common).items():
        takers = [name for name in names if key in known[name]]
        if not any(known.values()):
            raise ValueError(f"judge {', '.join(names)} takes no option, got {key!r}")
        choose("a judge's option", key, sorted(frozenset().union(*known.values())))
        if key in ONE_S_OWN and len(takers) > 1:
            raise ValueError(
                f"{key} must be one judge's, got it for {' and '.join(takers)}: name the judge "
                f"(--judge {takers[0]}, or {takers[0]}.{key}={value})"
            )
        for name in takers:
            assigned[name][key] = value
    for name, given in own.items():
        assigned[name] |= parse_options(given)
    return assigned
