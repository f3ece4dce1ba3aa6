"""What the options of `cobsat predict` mean together: pure functions, nothing is written here."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import PIL
from cobsat import Options, RunSettings, image_source
from cobsat.config_patterns import matching_configs
from cobsat.examples import parse_config, task_splits
from cobsat.prompt_lists import FT_TEST_PROMPTS, TEST_PROMPTS, ft_train_prompts
from cobsat.run_examples import run_options
from cobsat.run_folder import safe_name

from .protocol import Capabilities, Model

MAX_LABEL: Final = 60
"""The longest part of a default folder's name that names configs."""


def expand_configs(given: Sequence[str], split: str, options: Options) -> tuple[str, ...]:
    """Return the configs that names and patterns mean, each once, in order.

    `all-2shot` is its ten tasks, except for the splits that leave a theme out, which only the ten
    together have. A pattern stands for those of its configs that go with split and options; a
    name in full must go with them.

    Raises:
        ValueError: A name is unknown, a pattern matches nothing, or they do not go together.

    >>> expand_configs(["color_*-2shot"], "test", Options())
    ('color_i-2shot', 'color_ii-2shot')
    """
    options.check()
    if not given:
        raise ValueError("config must be given at least once, got none: --config color_i-2shot")
    names: dict[str, None] = {}
    for name in given:
        for config in matching_configs(name, split, options):
            names.update(dict.fromkeys(_tasks(config, split)))
    return tuple(names)


def _tasks(config: str, split: str) -> list[str]:
    if split.startswith("leave_"):
        return [config]
    parsed = parse_config(config)
    return [f"{task.name}-{parsed.shots}shot" for task in parsed.tasks]


def own_instructions(model: Model, options: Options) -> str:
    """Return whose wording of App. A.1 a model is asked in where the user names none."""
    if options.prompt_type not in ("default", "misleading", "exact"):
        return "neutral"  # these prompts have an instruction of their own
    own: dict[str, str] = getattr(model, "instructions_for", {})
    return own.get(asked_for(model, options.output), "neutral")


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
    """Return what `run.json` says of a run.

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
    images = options.images
    if images not in ("rendered", "official"):
        images = str(Path(images).expanduser().resolve())
    return RunSettings(
        model=name,
        configs=configs,
        split=split,
        output=options.output,
        prompt_type=options.prompt_type,
        instructions_for=options.instructions_for,
        seed=options.seed,
        images=images,
        image_digest=image_source(images).digest,
        limit=limit,
        samples=samples,
        asked_for=asked if (asked := asked_for(model, options.output)) != options.output else "",
        model_options={"options": kept, "record": record},
        versions=versions,
    )


def run_size(settings: RunSettings) -> int:
    """Return how many outputs a run has: its examples, times the samples of each."""
    total = 0
    for config in settings.configs:
        shots = parse_config(config).shots
        sizes = {"test": TEST_PROMPTS, "ft_test": FT_TEST_PROMPTS}
        if settings.split == "ft_train":
            sizes["ft_train"] = len(ft_train_prompts(shots))
        size = sum(
            sizes[base] for _, base in task_splits(config, settings.split, run_options(settings))
        )
        total += size if settings.limit is None else min(size, settings.limit)
    return total * settings.samples


def images_shown(config: str, prompt_type: str) -> int:
    """Return how many pictures each prompt of a config holds."""
    return 0 if prompt_type == "caption" else parse_config(config).shots


def check_capabilities(name: str, capabilities: Capabilities, settings: RunSettings) -> None:
    """Check that a model can do what a run asks for.

    Raises:
        ValueError: It cannot; the message says what it can.
    """
    if settings.output not in capabilities.outputs:
        can = sorted(capabilities.outputs)
        fix = " or ".join(f"--output {output}" for output in can)
        fix += f", or {capabilities.hint}" if capabilities.hint else ""
        raise ValueError(
            f"output of model {name} must be one of {', '.join(can)}, got {settings.output!r}: "
            f"{fix}"
        )
    if settings.samples > 1 and capabilities.repeats:
        raise ValueError(
            f"samples of model {name} must be 1, got {settings.samples}: {capabilities.repeats}"
        )
    limit = capabilities.max_images
    for config in settings.configs:
        shown = images_shown(config, settings.prompt_type)
        if limit is not None and shown > limit:
            fixes = ["choose fewer shots", "--prompt-type caption"]
            if limit == 0:
                none = f"--config {config.rpartition('-')[0]}-0shot --prompt-type exact"
                fixes = [none, fixes[1], "--model describe_then_draw with another model before it"]
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
    if settings.images != standard.images:
        parts.append(f"{Path(settings.images).name}-{settings.image_digest[:8]}")
    parts += [f"seed{settings.seed}"] if settings.seed != standard.seed else []
    if settings.model_options.get("options"):
        parts.append(_digest(settings.model_options["options"]))
    return Path("runs") / safe_name("-".join(parts))


def _digest(data: object) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:8]
