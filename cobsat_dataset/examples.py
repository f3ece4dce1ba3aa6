"""The benchmark's rows as plain data: pure functions from a config's name to its examples.

    from cobsat import Options, examples
    for example in examples("color_i-2shot", "test", Options()):
        print(example["id"], example["query"], example["reference"])

The `datasets` builder (`cobsat.py`) and the runner (`cobsat.models`) both stand on these.
Pictures are paths here; the builder's `Image` features decode them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypedDict

from PIL import Image

from .images import ImageSource, image_source
from .instructions import (
    CAPTION,
    COT_AFTER,
    COT_BEFORE,
    COT_SECOND,
    FOR_MODELS,
    Instruction,
    articulated,
)
from .prompt_lists import (
    FT_SHOTS,
    PromptIndices,
    benchmark_prompts,
    ft_test_prompts,
    ft_train_prompts,
)
from .spec import DEFAULT_SEED, OUTPUTS, PROMPT_TYPES, SHOTS, TASKS, THEMES, Task, choose

TRAIN_PROMPT_TYPES: Final = ("default", "exact", "caption", "instruct")
"""Prompt types with training splits: `ft_train` names no misleading words, and a chain of thought
has no reference for its first round."""


class Part(TypedDict):
    """One part of a message: a text, or a picture."""

    type: Literal["text", "image"]
    text: str | None
    image: str | Image.Image | None


class Message(TypedDict):
    """One turn of a chat."""

    role: Literal["system", "user", "assistant"]
    content: list[Part]


class Demonstration(TypedDict):
    """One pair of input and output of a prompt, in the words of Table 1."""

    text_input: str
    image: str | Image.Image
    description: str


class Reference(TypedDict):
    """What the output should show, in the words of Table 1: what every metric takes."""

    task: str
    object: str
    attribute: str


class Source(TypedDict):
    """Whose pictures a row shows."""

    name: str
    digest: str


class Row(TypedDict):
    """What a row holds in every split.

    Keys:
        id: `{task}-{shots}shot-{split}-{number}`: the same on every machine, for all options.
        query, latent_variable: In the words of Table 1.
        output: What is asked for, "image" or "description".
    """

    id: str
    task: str
    theme: str
    shots: int
    output: str
    prompt_type: str
    query: str
    latent_variable: str
    reference: Reference
    target_image: str | Image.Image
    target_description: str
    image_source: Source


class Example(Row):
    """One row of a test split.

    Keys:
        messages: The prompt as a chat, text and pictures in reading order.
        followup: The second round's user text (`cot`), to be sent after the reply to `messages`.
    """

    messages: list[Message]
    followup: str | None
    demonstrations: list[Demonstration]


@dataclass(frozen=True)
class Options:
    """What can be chosen beside the config; `cobsat.py` says what each does."""

    prompt_type: str = "default"
    output: str = "image"
    instructions_for: str = "neutral"
    seed: int = DEFAULT_SEED
    images: str = "rendered"

    def check(self) -> Options:
        """Return itself.

        Raises:
            ValueError: An option is unknown, or does not go with the others.
        """
        choose("prompt_type", self.prompt_type, PROMPT_TYPES)
        choose("output", self.output, OUTPUTS)
        choose(
            f"instructions_for with output={self.output!r}",
            self.instructions_for,
            FOR_MODELS[self.output],
        )
        if not isinstance(self.seed, int) or isinstance(self.seed, bool):
            raise ValueError(f"seed must be an integer, got {self.seed!r}")
        return self


@dataclass(frozen=True)
class Config:
    """A config's name, taken apart: `color_i-2shot`, `all-4shot`."""

    tasks: tuple[Task, ...]
    shots: int
    name: str


CONFIGS: Final[tuple[str, ...]] = tuple(
    f"{task}-{shots}shot" for shots in (*SHOTS, 0) for task in (*TASKS, "all")
)
"""Every config's name. 0 shots go with `prompt_type="exact"` only."""


def parse_config(name: str) -> Config:
    """Take a config's name apart.

    Raises:
        ValueError: There is no such config; the message names the nearest.

    >>> parse_config("color_i-2shot").shots
    2
    """
    if not isinstance(name, str) or name not in CONFIGS:
        task, _, rest = str(name).partition("-")
        choose("task in a config's name", task, (*TASKS, "all"))
        choose("shots in a config's name", rest, [f"{n}shot" for n in (*SHOTS, 0)])
    task, _, rest = name.partition("-")
    tasks = tuple(TASKS.values()) if task == "all" else (TASKS[task],)
    return Config(tasks, int(rest.removesuffix("shot")), name)


def splits(config: str, options: Options) -> tuple[str, ...]:
    """Return the splits that a config has under these options.

    `test` always; `ft_train` and `ft_test` at 2 and 4 shots (Sec. 7.1); and for the ten tasks
    together `leave_THEME_out_train` and `leave_THEME_out_test`: the 1,000 prompts a task of four
    themes, and the fifth theme's `ft_test`.
    """
    parsed = parse_config(config)
    if parsed.shots not in FT_SHOTS:
        return ("test",)
    trains = options.prompt_type in TRAIN_PROMPT_TYPES
    tests = not (options.prompt_type == "misleading" and parsed.shots == 4)
    names = ["test", *(["ft_train"] if trains else []), *(["ft_test"] if tests else [])]
    if len(parsed.tasks) > 1:
        for theme in THEMES:
            names += [f"leave_{theme}_out_train"] if trains else []
            names += [f"leave_{theme}_out_test"] if tests else []
    return tuple(names)


def is_train(split: str) -> bool:
    """Return whether a split's rows are for training (`prompt`, `completion`, `images`)."""
    return split.endswith("_train")


def examples(
    config: str,
    split: str = "test",
    options: Options | None = None,
    source: ImageSource | None = None,
) -> list[Example]:
    """Return the examples of a config's split, in order.

    Rows share their `demonstrations`: copy what you want to change.

    Raises:
        ValueError: Config, split or an option is unknown, or they do not go together.
        FileNotFoundError: The image source is incomplete.
    """
    options = (options or Options()).check()
    source = source or image_source(options.images)
    shots = parse_config(config).shots
    return [
        example
        for task, base in task_splits(config, split, options)
        for example in task_examples(TASKS[task], shots, base, options, source)
    ]


def task_splits(config: str, split: str, options: Options) -> list[tuple[str, str]]:
    """Return the tasks that a split joins, each with the prompt list that it uses of them.

    Raises:
        ValueError: Config, split and options do not go together.

    >>> task_splits("all-2shot", "leave_color_out_test", Options())
    [('color_i', 'ft_test'), ('color_ii', 'ft_test')]
    """
    check_split(config, split, options)
    base, left_out = split, ""
    if split.startswith("leave_"):
        left_out = split.removeprefix("leave_").rsplit("_out_", 1)[0]
        base = "test" if is_train(split) else "ft_test"
    return [
        (task.name, base)
        for task in parse_config(config).tasks
        if not left_out or (task.theme.name == left_out) != is_train(split)
    ]


def check_split(config: str, split: str, options: Options) -> None:
    """Check that options, config and split go together.

    Raises:
        ValueError: They do not; the message says why.
    """
    parsed = parse_config(config)
    if parsed.shots == 0 and options.prompt_type != "exact":
        raise ValueError(
            f"prompt_type of {config} must be 'exact' (without demonstrations only a precise text "
            f"says what to draw), got {options.prompt_type!r}"
        )
    names = splits(config, options)
    if split in names:
        return
    reason = ""
    everything = splits("all-2shot", Options())
    if split in everything:
        if parsed.shots not in FT_SHOTS:
            reason = "; the fine-tuning split exists for 2 and 4 shots"
        elif options.prompt_type == "misleading" and not is_train(split):
            reason = (
                "; with misleading words at 4 shots, the first one of ft_test would be the latent "
                "variable itself"
            )
        elif options.prompt_type not in TRAIN_PROMPT_TYPES:
            reason = f"; prompt_type={options.prompt_type!r} has no training split"
        else:
            reason = "; a theme is left out of the ten tasks together: use all-2shot or all-4shot"
    try:
        choose(f"split of {config}", split, names)
    except ValueError as error:
        raise ValueError(f"{error}{reason}") from None


@lru_cache(maxsize=32)
def prompt_list(split: str, shots: int, seed: int) -> tuple[PromptIndices, ...]:
    """Return the prompts of "test", "ft_test" or "ft_train", the same for every task."""
    if split == "ft_train":
        return tuple(ft_train_prompts(shots))
    if split == "ft_test":
        return tuple(ft_test_prompts(shots, seed))
    return tuple(benchmark_prompts(shots, seed))


def example_id(task: str, shots: int, split: str, number: int) -> str:
    """Return an example's id.

    >>> example_id("color_i", 2, "test", 7)
    'color_i-2shot-test-0007'
    """
    return f"{task}-{shots}shot-{split}-{number:04d}"


def task_examples(
    task: Task, shots: int, split: str, options: Options, source: ImageSource
) -> Iterator[Example]:
    """Yield one task's examples of "test", "ft_test" or "ft_train"."""
    theme = task.theme
    origin: Source = {"name": source.name, "digest": source.digest}
    shown = _shown(task, source)
    instruction = _instruction(task, options)
    for number, prompt in enumerate(prompt_list(split, shots, options.seed)):
        pairs = shown[prompt.latent]
        *demonstrations, target = (pairs[index] for index in prompt.inputs)
        query, latent = target["text_input"], task.latents[prompt.latent]
        attribute, object_ = task.label(query, latent)
        texts = text_inputs(task, prompt, options.prompt_type)
        messages = _messages(texts, demonstrations, instruction, options.prompt_type == "caption")
        yield {
            "id": example_id(task.name, shots, split, number),
            "task": task.name,
            "theme": theme.name,
            "shots": shots,
            "output": options.output,
            "prompt_type": options.prompt_type,
            "messages": messages,
            "followup": _followup(task, query, options),
            "query": query,
            "latent_variable": latent,
            "demonstrations": demonstrations,
            "reference": {"task": task.name, "object": object_, "attribute": attribute},
            "target_image": target["image"],
            "target_description": target["description"],
            "image_source": origin,
        }


def _shown(task: Task, source: ImageSource) -> list[list[Demonstration]]:
    """Return the pairs that can be shown, by latent variable and input (indices of Table 1)."""
    pairs: list[list[Demonstration]] = []
    for latent in task.latents:
        labels = [(task.theme.name, *task.label(word, latent)) for word in task.inputs]
        pairs.append(
            [
                {
                    "text_input": word,
                    "image": source.paths[label],
                    "description": source.descriptions[label],
                }
                for word, label in zip(task.inputs, labels, strict=True)
            ]
        )
    return pairs


def text_inputs(task: Task, prompt: PromptIndices, prompt_type: str) -> list[str]:
    """Return a prompt's text pieces, demonstrations first, the query last.

    >>> prompt = PromptIndices((2, 8, 4), 4, (5, 3, 0))
    >>> text_inputs(TASKS["color_i"], prompt, "default")
    ['red: ', 'blue: ', 'pink: ']
    >>> text_inputs(TASKS["color_i"], prompt, "misleading")
    ['red box: ', 'blue chair: ', 'pink leaf: ']
    >>> text_inputs(TASKS["color_ii"], prompt, "exact")
    ['pink cup: ', 'pink bag: ', 'pink car: ']
    """
    text = task.theme.text
    words = [task.inputs[index] for index in prompt.inputs]
    if prompt_type == "misleading":
        others = [task.latents[index] for index in prompt.misleading]
        return [f"{text(word)} {text(other)}: " for word, other in zip(words, others, strict=True)]
    if prompt_type == "exact":
        labels = [task.label(word, task.latents[prompt.latent]) for word in words]
        return [f"{text(attribute)} {text(object_)}: " for attribute, object_ in labels]
    return [f"{text(word)}: " for word in words]


def _instruction(task: Task, options: Options) -> Instruction:
    if options.prompt_type == "cot":
        return Instruction(before=COT_BEFORE, after=COT_AFTER)
    if options.prompt_type == "caption":
        return Instruction(before=CAPTION[options.output])
    if options.prompt_type == "instruct":
        return Instruction(before=articulated(task.name, options.output))
    return FOR_MODELS[options.output][options.instructions_for]


def _messages(
    texts: Sequence[str],
    demonstrations: Sequence[Demonstration],
    instruction: Instruction,
    captions: bool,
) -> list[Message]:
    content: list[Part] = []
    text = instruction.before
    for piece, demonstration in zip(texts, demonstrations, strict=False):
        text += piece
        if captions:
            text += f"{demonstration['description']} "
        else:
            content.append({"type": "text", "text": text, "image": None})
            content.append({"type": "image", "text": None, "image": demonstration["image"]})
            text = ""
    text += texts[-1] + instruction.after
    content.append({"type": "text", "text": text, "image": None})
    messages: list[Message] = []
    if instruction.system:
        part: Part = {"type": "text", "text": instruction.system, "image": None}
        messages.append({"role": "system", "content": [part]})
    messages.append({"role": "user", "content": content})
    return messages


def _followup(task: Task, query: str, options: Options) -> str | None:
    if options.prompt_type != "cot":
        return None
    return COT_SECOND[options.output].format(query=task.theme.text(query))
