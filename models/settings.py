"""What the options of `cobsat predict` mean together: pure functions, nothing is written here."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import PIL
from cobsat import Options, RunSettings
from cobsat.benchmarks import benchmark
from cobsat.cobsat_runs import expand_configs, planned
from cobsat.run_examples import run_size, run_source
from cobsat.run_folder import safe_name

from .protocol import Capabilities, Model, kind_of
from .registry import chosen_class, repeats_with

__all__ = [
    "asked_for",
    "check_capabilities",
    "check_samples",
    "default_folder",
    "expand_configs",
    "model_options",
    "own_instructions",
    "run_settings",
    "run_size",
    "with_model",
]

MAX_LABEL: Final = 60
"""The longest part of a default folder's name that names configs."""


def own_instructions(model: Model, options: Options | RunSettings) -> str:
    """Return whose wording of App. A.1 a model is asked in where the user names none."""
    if options.prompt_type not in ("default", "misleading", "exact"):
        return "neutral"  # these prompts have an instruction of their own
    own: dict[str, str] = getattr(model, "instructions_for", {})
    return own.get(asked_for(model, options.output), "neutral")


def model_options(name: str, given: dict[str, Any], output: str) -> dict[str, Any]:
    """Return the options to load a model with: the given ones, and its own for answers.

    An adapter's usual defaults are for descriptions of a sentence or two.
    """
    if output != "answer":
        return given
    own: dict[str, Any] = getattr(chosen_class(name, given), "answer_options", {})
    return {**own, **given}


def asked_for(model: Model, output: str) -> str:
    """Return the kind of output that a model's prompts ask for."""
    kind: str = getattr(model, "asked_for", output)
    return kind


def run_settings(
    name: str,
    model: Model,
    given: dict[str, Any],
    configs: tuple[str, ...],
    split: str,
    options: Options,
    limit: int | None = None,
    samples: int = 1,
) -> RunSettings:
    """Return what `run.json` says of a run of CoBSAT.

    Args:
        name: The model as the user named it.
        model: The adapter, whose record is kept.
        given: The adapter's options as the user gave them; its `session_options` are not kept.
        configs: Configs in order, as `expand_configs` returns them.
        split: The split.
        options: The builder's options; a folder of images becomes an absolute path.
        limit: Only the first so many examples of each config.
        samples: Outputs for each example.
    """
    return with_model(name, model, given, planned(configs, split, options), limit, samples)


def with_model(
    name: str,
    model: Model,
    given: dict[str, Any],
    plan: RunSettings,
    limit: int | None = None,
    samples: int = 1,
) -> RunSettings:
    """Return what `run.json` says of a run, of its plan without a model.

    Its plan is what the benchmark made of the user's choices; all else is as in `run_settings`.
    """
    if samples < 1:
        raise ValueError(f"samples must be 1 or more, got {samples}")
    if limit is not None and limit < 1:
        raise ValueError(f"limit must be 1 or more, got {limit}")
    of_session: frozenset[str] = getattr(model, "session_options", frozenset())
    kept = {key: value for key, value in given.items() if key not in of_session}
    record = {"name": model.name, **model.record()}
    versions = {
        "python": platform.python_version(),
        "cobsat": version("cobsat"),
        "pillow": PIL.__version__,
        **record.pop("versions", {}),
    }
    return replace(
        plan,
        model=name,
        image_digest=run_source(plan).digest,
        limit=limit,
        samples=samples,
        asked_for=asked if (asked := asked_for(model, plan.output)) != plan.output else "",
        model_options={"options": kept, "record": record},
        versions=versions,
    )


def check_samples(name: str, options: dict[str, Any], samples: int) -> None:
    """Check that several samples are not all the same, as far as the class can tell by its options.

    What only the loaded model knows is for `check_capabilities` to check.

    Raises:
        ValueError: They are; the message says what makes the model draw.
    """
    _refuse_repeats(name, samples, repeats_with(chosen_class(name, options), options))


def _refuse_repeats(name: str, samples: int, why: str) -> None:
    if samples > 1 and why:
        raise ValueError(f"samples of model {name} must be 1, got {samples}: {why}")


def check_capabilities(name: str, capabilities: Capabilities, settings: RunSettings) -> None:
    """Check that a model can do what a run asks for.

    Raises:
        ValueError: It cannot; the message says what it can.
    """
    if settings.output == "answer" and capabilities.no_answers:
        raise ValueError(
            f"model {name} must be one that answers questions, got one that does not: "
            f"{capabilities.no_answers}"
        )
    if kind_of(settings.output) not in capabilities.outputs:
        can = sorted(capabilities.outputs)
        fixes = [f"--output {o}" for o in can if o in benchmark(settings.benchmark).OUTPUTS]
        fixes = [" or ".join(fixes or ["a model that writes (see `cobsat models`)"])]
        fixes += [capabilities.hint] if capabilities.hint else []
        raise ValueError(
            f"output of model {name} must be one of {', '.join(can)}, got {settings.output!r}: "
            f"{', or '.join(fixes)}"
        )
    if kind_of(settings.output) in capabilities.repeats_in:
        _refuse_repeats(name, settings.samples, capabilities.repeats)
    limit = capabilities.max_images
    if limit is None:
        return
    for config in settings.configs:
        shown = benchmark(settings.benchmark).pictures_shown(config, settings)
        if shown > limit:
            fixes = benchmark(settings.benchmark).with_fewer_pictures(config, limit)
            raise ValueError(
                f"pictures in a prompt of model {name} must be at most {limit}, got {shown} in "
                f"{config}: {', or '.join(fixes)}"
            )


def default_folder(settings: RunSettings, given: Sequence[str]) -> Path:
    """Return `runs/…`, named by the model and by every option that is not the default.

    The same command names the same folder, so that it resumes; another run names another. A run
    may grow in its limit and samples, so they are not in the name.
    """
    label = "+".join(given)
    if len(label) > MAX_LABEL or "*" in label:
        label = f"{len(settings.configs)}configs-{_digest(settings.configs)}"
    standard = RunSettings(settings.model, settings.configs)
    name = str((settings.model_options.get("record") or {}).get("name", settings.model))
    parts = [settings.model, *([] if name == settings.model else [Path(name).name])]
    parts += [settings.output, label]
    parts += [
        str(getattr(settings, key))
        for key in ("split", "prompt_type", "instructions_for")
        if getattr(settings, key) != getattr(standard, key)
    ]
    if settings.images != benchmark(settings.benchmark).usual_images(settings.configs):
        parts.append(f"{Path(settings.images).name}-{settings.image_digest[:8]}")
    parts += [f"seed{settings.seed}"] if settings.seed != standard.seed else []
    if settings.model_options.get("options"):
        parts.append(_digest(settings.model_options["options"]))
    return Path("runs") / safe_name("-".join(parts))


def _digest(data: object) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:8]
