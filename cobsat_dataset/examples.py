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
from typing import Any, Final, Literal, TypedDict

from PIL import Image

from . import instructions
from .images import ImageSource, image_source
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


class Example(TypedDict):
    """One row of a test split.

    Keys:
        id: `{task}-{shots}shot-{split}-{number}`: the same on every machine, for all options.
        messages: The prompt as a chat, text and pictures in reading order.
        followup: The second round's user text (`cot`), to be sent after the reply to `messages`.
        query, latent_variable: In the words of Table 1.
        output: What is asked for, "image" or "description".
    """

    id: str
    task: str
    theme: str
    shots: int
    output: str
    prompt_type: str
    messages: list[Message]
    followup: str | None
    query: str
    latent_variable: str
    demonstrations: list[Demonstration]
    reference: Reference
    target_image: str | Image.Image
    target_description: str
    image_source: Source


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
            instructions.FOR_MODELS[self.output],
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

    Raises:
        ValueError: Config, split or an option is unknown, or they do not go together.
        FileNotFoundError: The image source is incomplete.
    """
    options = (options or Options()).check()
    parsed = parse_config(config)
    check_split(config, split, options)
    source = source or image_source(options.images)
    rows: list[Example] = []
    for task, name, prompts in _parts(parsed, split, options.seed):
        rows += list(_rows(task, parsed.shots, name, prompts, options, source))
    return rows


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


def _parts(
    config: Config, split: str, seed: int
) -> Iterator[tuple[Task, str, tuple[PromptIndices, ...]]]:
    """Yield (task, split in the ids, prompts) of a split, task by task."""
    base, left_out = split, ""
    if split.startswith("leave_"):
        left_out = split.removeprefix("leave_").rsplit("_out_", 1)[0]
        base = "test" if is_train(split) else "ft_test"
    prompts = _prompts(base, config.shots, seed)
    for task in config.tasks:
        if left_out and (task.theme.name == left_out) == is_train(split):
            continue
        yield task, base, prompts


@lru_cache(maxsize=32)
def _prompts(split: str, shots: int, seed: int) -> tuple[PromptIndices, ...]:
    if split == "ft_train":
        return tuple(ft_train_prompts(shots))
    if split == "ft_test":
        return tuple(ft_test_prompts(shots, seed))
    return tuple(benchmark_prompts(shots, seed))


def _rows(
    task: Task,
    shots: int,
    split: str,
    prompts: Sequence[PromptIndices],
    options: Options,
    source: ImageSource,
) -> Iterator[Example]:
    theme = task.theme
    origin: Source = {"name": source.name, "digest": source.digest}
    for number, prompt in enumerate(prompts):
        latent = task.latents[prompt.latent]
        words = [task.inputs[i] for i in prompt.inputs]
        labels = [(theme.name, *task.label(word, latent)) for word in words]
        demonstrations: list[Demonstration] = [
            {
                "text_input": word,
                "image": source.paths[label],
                "description": source.descriptions[label],
            }
            for word, label in zip(words[:-1], labels[:-1], strict=True)
        ]
        target = labels[-1]
        messages, followup = _messages(task, prompt, latent, demonstrations, options)
        yield {
            "id": f"{task.name}-{shots}shot-{split}-{number:04d}",
            "task": task.name,
            "theme": theme.name,
            "shots": shots,
            "output": options.output,
            "prompt_type": options.prompt_type,
            "messages": messages,
            "followup": followup,
            "query": words[-1],
            "latent_variable": latent,
            "demonstrations": demonstrations,
            "reference": {"task": task.name, "object": target[2], "attribute": target[1]},
            "target_image": source.paths[target],
            "target_description": source.descriptions[target],
            "image_source": origin,
        }


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
    theme = task.theme
    texts = []
    for position, index in enumerate(prompt.inputs):
        word = task.inputs[index]
        if prompt_type == "misleading":
            other = task.latents[prompt.misleading[position]]
            piece = f"{theme.text(word)} {theme.text(other)}"
        elif prompt_type == "exact":
            attribute, object_ = task.label(word, task.latents[prompt.latent])
            piece = f"{theme.text(attribute)} {theme.text(object_)}"
        else:
            piece = theme.text(word)
        texts.append(f"{piece}: ")
    return texts


def _instruction(task: Task, options: Options) -> instructions.Instruction:
    if options.prompt_type == "cot":
        return instructions.Instruction(
            before=instructions.COT_BEFORE, after=instructions.COT_AFTER
        )
    if options.prompt_type == "caption":
        return instructions.Instruction(before=instructions.CAPTION[options.output])
    if options.prompt_type == "instruct":
        return instructions.Instruction(before=instructions.articulated(task.name, options.output))
    return instructions.FOR_MODELS[options.output][options.instructions_for]


def _messages(
    task: Task,
    prompt: PromptIndices,
    latent: str,
    demonstrations: Sequence[Demonstration],
    options: Options,
) -> tuple[list[Message], str | None]:
    texts = text_inputs(task, prompt, options.prompt_type)
    instruction = _instruction(task, options)
    pieces: list[str | dict[str, Any]] = [instruction.before]
    for text, demonstration in zip(texts, demonstrations, strict=False):
        pieces.append(text)
        if options.prompt_type == "caption":
            pieces.append(f"{demonstration['description']} ")
        else:
            pieces.append({"image": demonstration["image"]})
    pieces += [texts[-1], instruction.after]

    content: list[Part] = []
    for piece in pieces:
        if isinstance(piece, dict):
            content.append({"type": "image", "text": None, "image": piece["image"]})
        elif piece and content and content[-1]["type"] == "text":
            content[-1]["text"] = f"{content[-1]['text']}{piece}"
        elif piece:
            content.append({"type": "text", "text": piece, "image": None})
    messages: list[Message] = []
    if instruction.system:
        part: Part = {"type": "text", "text": instruction.system, "image": None}
        messages.append({"role": "system", "content": [part]})
    messages.append({"role": "user", "content": content})
    followup = None
    if options.prompt_type == "cot":
        query = task.theme.text(task.inputs[prompt.inputs[-1]])
        followup = instructions.COT_SECOND[options.output].format(query=query)
    return messages, followup
