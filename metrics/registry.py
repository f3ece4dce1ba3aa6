"""The judges by name, and the folders of the `evaluate` modules.

    from cobsat.metrics import load_judge, path
    judge = load_judge("clip", checkpoint="openai/clip-vit-base-patch32")
    metric = evaluate.load(path("cobsat_clip"), "image")

A judge of your own: `module:Class` in place of a name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from cobsat.spec import choose

from .protocol import Judge

__all__ = ["JUDGES", "judge_class", "judge_parameters", "load_judge", "metric_names", "path"]

JUDGES: Final = {
    "api": "cobsat.metrics.api_judge:ApiJudge",
    "clip": "cobsat.metrics.clip_judge:ClipJudge",
    "llava": "cobsat.metrics.llava_judge:LlavaJudge",
    "mention": "cobsat.metrics.mention_judge:MentionJudge",
    "touchstone": "cobsat.metrics.touchstone_judge:TouchstoneJudge",
    "touchstone_hallucination": (
        "cobsat.metrics.touchstone_hallucination_judge:HallucinationJudge"
    ),
}


def judge_class(name: str) -> Callable[..., Judge]:
    """Return a judge's class.

    Raises:
        ValueError: There is none of that name.
    """
    target = name if ":" in name else JUDGES[choose("judge", name, JUDGES)]
    module, _, attribute = target.partition(":")
    try:
        found: Callable[..., Judge] = getattr(import_module(module), attribute)
    except (ModuleNotFoundError, AttributeError) as error:
        if target in JUDGES.values():
            raise
        raise ValueError(
            f"judge must be one of {', '.join(JUDGES)} or module:Class, got {name!r} ({error})"
        ) from error
    return found


def judge_parameters(name: str) -> frozenset[str]:
    """Return the names of the options that a judge takes."""
    return frozenset(inspect.signature(judge_class(name)).parameters)


def load_judge(name: str, **options: Any) -> Judge:
    """Make a judge.

    Raises:
        ValueError: There is no judge of that name, or it has no such option.
    """
    known = judge_parameters(name)
    for option in options:
        choose(f"option of the judge {name}", option, known)
    return judge_class(name)(**options)


def metric_names() -> tuple[str, ...]:
    """Return the names of the `evaluate` modules: every folder here with a script of its name."""
    here = Path(__file__).parent
    return tuple(sorted(script.stem for script in here.glob("*/*.py")
                        if script.stem == script.parent.name))  # fmt: skip


def path(metric_name: str) -> str:
    """Return the folder of an `evaluate` module, for `evaluate.load`.

    Raises:
        ValueError: There is no module of that name.
    """
    return str(Path(__file__).parent / choose("metric", metric_name, metric_names()))
