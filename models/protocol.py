"""The plug point of every model: what an adapter is, and what it gives back.

An adapter takes a batch of examples and gives one `Output` for each. A model under test reads
only `messages` (the prompt as a chat, text and pictures in reading order), `followup` (the second
round's user text, sent after the reply to `messages`) and `output` ("image", "description", or
"answer" to a question of TouchStone); the rest of an example is for the baselines. Pictures are
paths, or PIL images: open either with `cobsat.ImageCache`, which decodes each picture once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from cobsat import OUTPUTS, Example, ImageSource
from cobsat.spec import choose
from PIL import Image

__all__ = ["Capabilities", "Finished", "Model", "Output", "Streams", "UsesImageSource", "kind_of"]


def kind_of(output: str) -> str:
    """Return the kind of `Capabilities.outputs` that gives an output: an answer is a text too.

    >>> kind_of("answer")
    'description'
    """
    return "description" if output == "answer" else output


@dataclass(frozen=True)
class Capabilities:
    """What a model can do; a run that asks for more is refused before anything is written.

    Attributes:
        outputs: Output kinds: "image", "description" or both. What describes also answers.
        max_images: The most pictures that one prompt may hold; None for no limit.
        hint: What makes it give other outputs, said when they are asked for.
        repeats: Why it gives the same output each time, and what makes it draw; empty where it
            draws. Said when several samples an example are asked for.
        repeats_in: The kinds of output that this is true of.
        no_answers: Why it does not answer questions, though it describes; else empty.

    Raises:
        ValueError: There is no such kind of output.
    """

    outputs: AbstractSet[str]
    max_images: int | None = None
    hint: str = ""
    repeats: str = ""
    repeats_in: AbstractSet[str] = frozenset(OUTPUTS)
    no_answers: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.outputs, AbstractSet) or not self.outputs:
            raise ValueError(
                f"outputs of Capabilities must be a set of {' and '.join(OUTPUTS)}, got "
                f"{self.outputs!r}"
            )
        for output in sorted(self.outputs):
            choose("outputs of Capabilities", output, OUTPUTS)


@dataclass(frozen=True)
class Output:
    """What a model gave for one example.

    Attributes:
        status: "ok", "error" (nothing usable came) or "blocked" (a filter refused).
        text: The description or the answer; beside a picture, whatever text came with it.
        image: The picture, or the path of an existing file, which is stored as it is.
        reason: Why the status is not "ok".
        finish_reason: Why a text ended ("stop", "length"), where the model says so.
        usage: Tokens and the like, where the model says so.
        extra: What else should be kept, as plain JSON: a first round's reply, a request's id.
        raised: Whether an "error" stands for an exception: the run then stops after a few, as if
            it had been raised, and what the output holds beside it is kept.
    """

    status: Literal["ok", "error", "blocked"] = "ok"
    text: str | None = None
    image: Image.Image | str | None = None
    reason: str | None = None
    finish_reason: str | None = None
    usage: dict[str, float] | None = None
    extra: dict[str, Any] | None = None
    raised: bool = False


class Model(Protocol):
    """One adapter. Its class takes the user's `--model-option`s as keyword arguments.

    A class may name in `session_options` (a set) those that change no answer, such as how many
    calls run at once: they are not kept in `run.json`, and may differ when a run goes on. A model
    may name in `instructions_for` whose wording of App. A.1 suits it, by output kind; it is asked
    in that where the user names none. One that makes its output of another kind (a picture of its
    own description) names in `asked_for` what its prompts are to ask for. One whose defaults suit
    descriptions names in `answer_options` what it takes in their place for answers. One whose time
    or cost falls when prompts that begin alike come one after the other sets `by_prefix`. One whose
    options decide whether it repeats itself says so before it loads, in a class method
    `repeats_with(options)` that returns what `Capabilities.repeats` will be.

    With several samples an example comes several times, each time with another id: what is drawn
    at random takes its seed from it.

    Attributes:
        name: The adapter's name, or the checkpoint's.
        capabilities: What it can do.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def capabilities(self) -> Capabilities: ...  # noqa: D102

    def record(self) -> dict[str, Any]:
        """Return identity and settings for `run.json`, as plain JSON and without secrets.

        A run resumes only with an equal record. What may differ between two sittings of a run,
        such as library versions, belongs under the key "versions".
        """
        ...

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Return one output for each example, in order.

        What fails for one example is its "error" or "blocked" output. An exception makes the
        runner try the batch again example by example; raise for what no example can survive (no
        server, a wrong key), and the run stops after a few.
        """
        ...


Finished: TypeAlias = tuple[str, Output | Exception, float]
"""An example's id, what the model gave or what it raised, and the seconds that it took."""


@runtime_checkable
class Streams(Protocol):
    """A model that answers examples as it gets to them, as one behind a server does.

    The runner calls `stream` in place of `predict`, once: no example waits for a batch's slowest.
    """

    def stream(self, examples: Iterator[Example]) -> Iterator[list[Finished]]:
        """Yield what has finished, in any order, taking the next example when there is room.

        Whoever closes the iterator early gives up what is under way.
        """
        ...


@runtime_checkable
class UsesImageSource(Protocol):
    """A model that takes pictures from the run's image source, as the baselines do."""

    def use_image_source(self, source: ImageSource) -> None:
        """Take the source, once, before the first batch."""
        ...
