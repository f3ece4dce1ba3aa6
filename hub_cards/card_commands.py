"""The command that makes a run again, from what `run.json` and its scores say. Pure functions.

What only the machine decides (device, batches, processes) is left out, and so are secrets, which no
record holds.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from cobsat import TASKS, RunSettings
from cobsat.benchmarks import benchmark

__all__ = ["judge_arguments", "judge_of", "run_arguments", "shell"]

_TALKS: Final[dict[str, Any]] = {
    "model": None, "checkpoint": None, "revision": "main", "max_tokens": 512, "temperature": 0.0,
    "seed": None, "body": None,
}  # fmt: skip
_OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "api": {"model": "", "wording": "paper", "max_tokens": 32, "temperature": 0.0, "seed": None,
            "body": None, "description_limit": 8000, "image_detail": None},
    "clip": {"checkpoint": "mini-clip", "revision": "main"},
    "llava": {"checkpoint": "mini-llava", "method": "generate", "wording": "paper",
              "revision": "main", "max_new_tokens": 32, "least_mass": 0.1},
    "mention": {},
    "touchstone": _TALKS,
    "touchstone_hallucination": _TALKS,
}  # fmt: skip
"""Judge → options that change what is asked, and their defaults: no judge is imported for a card.

What a machine decides (device, batches) is not here, nor what a user must decide again.
"""

_DEFAULTS: Final = {f.name: f.default for f in fields(RunSettings)}


def run_arguments(settings: RunSettings, judges: Sequence[Mapping[str, Any]] = ()) -> list[str]:
    """Return the command that asks and judges again, as its arguments.

    Args:
        settings: The run's.
        judges: Records of the judges, as `scores/JUDGE.json` has them. Without one that
            `judge_of` knows, the command is `cobsat predict`.

    >>> " ".join(run_arguments(RunSettings("copy", ("color_i-2shot",), limit=3)))
    'cobsat predict --model copy --config color_i-2shot --instructions-for neutral --limit 3'
    """
    known = [record for record in judges if judge_of(record)]
    arguments = ["cobsat", "run" if known else "predict", "--model", settings.model]
    for config in _configs(settings):
        arguments += ["--config", config]
    asked = ["split"]
    if settings.benchmark == "cobsat":
        asked += ["output", "prompt_type", "seed"]
        arguments += ["--instructions-for", settings.instructions_for]
    for name in (*asked, "limit", "samples"):
        value = getattr(settings, name)
        if value != _DEFAULTS[name]:
            arguments += [f"--{name.replace('_', '-')}", str(value)]
    if settings.images != benchmark(settings.benchmark).usual_images(settings.configs):
        arguments += ["--images", settings.images]
    options = settings.model_options.get("options")
    for key, value in options.items() if isinstance(options, Mapping) else ():
        arguments += ["--model-option", f"{key}={_written(value)}"]
    return [*arguments, *judge_arguments(known)]


def judge_arguments(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the options that name judges by their records, each option as one judge's own."""
    arguments: list[str] = []
    for record in records:
        name = judge_of(record)
        if name is None:
            continue
        arguments += ["--judge", name]
        for key, default in _OPTIONS[name].items():
            value = record.get(key)
            if value is None or value == default:
                continue
            arguments += ["--judge-option", f"{name}.{key}={_written(value)}"]
    return arguments


def judge_of(record: Mapping[str, Any]) -> str | None:
    """Return the name by which `--judge` knows the judge of a record; None for one's own judge.

    >>> judge_of({"name": "llava-hf--llava-1.5-13b-hf", "method": "generate"})
    'llava'
    """
    name = str(record.get("name", ""))
    if "prompt_sha256" in record:
        dialogue = "touchstone" if name.startswith("touchstone-") else None
        return "touchstone_hallucination" if name.startswith("touchstone_hall") else dialogue
    if "word_forms" in record:
        return "mention"
    if "prompts_sha256" in record or "method" in record:
        return "llava" if "method" in record else "api"
    return "clip" if name == "clip" or name.startswith("clip-") else None


def shell(arguments: Sequence[str]) -> str:
    r"""Return arguments as a shell takes them, paths of this machine cut to their last part.

    >>> shell(["cobsat", "run", "--model", "copy", "--images", "/home/me/my pictures"])
    "cobsat run --model copy --images './my pictures'"
    """
    lines, width = [""], 0
    for number, argument in enumerate(map(_without_home, arguments)):
        word = shlex.quote(argument)
        starts = argument.startswith("--")
        if starts and width + len(word) + 20 > 88:
            lines[-1] += " \\"
            lines.append("  ")
            width = 2
        joint = "" if number == 0 or not lines[-1].strip() else " "
        lines[-1] += joint + word
        width += len(joint + word)
    return "\n".join(lines)


def without_home(value: object) -> object:
    """Return a record with paths of this machine cut to their last part.

    >>> without_home({"checkpoint": "/home/me/qwen", "adapters": ["/home/me/tuned"], "seed": 1})
    {'checkpoint': './qwen', 'adapters': ['./tuned'], 'seed': 1}
    """
    if isinstance(value, Mapping):
        return {name: without_home(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_home(inner) for inner in value]
    return _without_home(value) if isinstance(value, str) else value


def _without_home(argument: str) -> str:
    key, equals, value = argument.partition("=")
    path = value if equals and key.replace(".", "").replace("_", "").isalnum() else argument
    if not Path(path).is_absolute():
        return argument
    short = f"./{Path(path).name}"
    return f"{key}={short}" if path is value else short


def _configs(settings: RunSettings) -> list[str]:
    """Return a run's configs, ten tasks of one shot count in their order as `all-Nshot`."""
    left = list(settings.configs)
    found: list[str] = []
    while left:
        shots = left[0].rpartition("-")[2]
        ten = [f"{task}-{shots}" for task in TASKS]
        whole = left[: len(ten)] == ten
        found.append(f"all-{shots}" if whole else left[0])
        left = left[len(ten) if whole else 1 :]
    return found


def _written(value: Any) -> str:
    """Return a value as `command_line.parse_options` reads it back."""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    try:
        json.loads(value)
    except ValueError:
        return value
    return json.dumps(value, ensure_ascii=False)  # "7" is a text, 7 would be a number
