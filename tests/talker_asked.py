"""What the tests of ports that only talk ask, and look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ports
from cobsat import Example
from cobsat.models import Output
from cobsat.models.seeds import example_seed


def rows(pictures: Path, config: str = "color_i-2shot", **options: Any) -> list[Example]:
    return ports.rows(pictures, config, **{"output": "description", **options})


def shown(row: Example) -> list[str]:
    return [str(part["image"]) for part in row["messages"][-1]["content"] if part["image"]]


def texts(outputs: Sequence[Output]) -> list[str]:
    assert {output.status for output in outputs} == {"ok"}, [o.reason for o in outputs]
    return [output.text or "" for output in outputs]


def spy(model: Any, monkeypatch: Any) -> list[Any]:
    """Return a list that fills with what the language model is asked: prompts and pictures."""
    given: list[Any] = []
    own = model._speaker.say

    def say(prompts: Any) -> Any:
        given.extend(prompts)
        return own(prompts)

    monkeypatch.setattr(model._speaker, "say", say)
    return given


def assert_thoughts_go_on_from_the_reply(
    model: Any,
    asked: list[Any],
    pictures: Path,
    ids_of: Callable[..., list[int]],
    tokens_of_a_reply: int,
) -> None:
    """Assert that a second round has the first's prompt, reply and pictures, and its own seed.

    Args:
        model: What is put under test.
        asked: As `spy` gives it.
        pictures: The folder of pictures.
        ids_of: From the model, a row and its replies so far to a prompt's ids.
        tokens_of_a_reply: How many tokens each of the tiny model's replies has.
    """
    batch = rows(pictures, prompt_type="cot")[:2]
    outputs = model.predict(batch)
    texts(outputs)
    assert len(asked) == 4
    for row, first, second, output in zip(batch, asked[:2], asked[2:], outputs, strict=True):
        extra = output.extra or {}
        reply = extra["first_round"]["text"]
        assert extra["first_round"] == {"text": reply, "finish_reason": "stop"}
        assert len(reply) == 5
        assert list(first.prompt.ids) == ids_of(model, row)
        assert list(second.prompt.ids) == ids_of(model, row, reply)
        assert [p.tolist() for p in second.pictures] == [p.tolist() for p in first.pictures]
        assert extra["seed"] == second.seed == example_seed(0, row["id"], 1)
        assert first.seed == example_seed(0, row["id"])
        read = len(first.prompt.ids) + len(second.prompt.ids)
        assert output.usage == {"input_tokens": read, "output_tokens": 2 * tokens_of_a_reply}
    assert model.predict(batch[1:]) == outputs[1:]
