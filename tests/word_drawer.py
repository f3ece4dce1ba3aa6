"""A model that draws what a text says, and runs of `describe_then_draw` with it.

It is found by its name: `--model-option draw=word_drawer:WordDrawer`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from chat_server import ChatServer
from cobsat import Example, ImageSource, Options
from cobsat.models import Capabilities, Output, load_model
from cobsat.models.describe_then_draw import DescribeThenDraw
from cobsat.models.predict import predict
from cobsat.models.settings import run_settings
from scripted_model import CONFIG, Scripted, lines

DRAWER = "word_drawer:WordDrawer"


class WordDrawer:
    """Gives that of the 500 pictures whose own description has most words in common with a text.

    Args:
        fails: `WORD:HOW`, where HOW is error, blocked or raise: what becomes of a text with WORD.
        usage: Tokens that each picture costs.
    """

    capabilities = Capabilities({"image"}, max_images=0)
    session_options = frozenset({"usage"})
    name = "word-drawer"

    def __init__(self, fails: str = "", usage: int = 0) -> None:
        self._word, _, self._how = fails.partition(":")
        self._usage = usage
        self._source: ImageSource | None = None
        self.prompts: dict[str, str] = {}

    def use_image_source(self, source: ImageSource) -> None:
        self._source = source

    def record(self) -> dict[str, Any]:
        return {"words": "all", "versions": {"device": "pencil"}}

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        return [self._draw(example) for example in examples]

    def _draw(self, example: Example) -> Output:
        [message] = example["messages"]
        [part] = message["content"]
        assert (message["role"], part["type"], part["image"]) == ("user", "text", None)
        assert (example["output"], example["followup"]) == ("image", None)
        assert self._source
        text = part["text"] or ""
        self.prompts[example["id"]] = text
        if self._word and self._word in text:
            if self._how == "raise":
                raise ArithmeticError(f"no pencil for {example['id']}")
            return Output("blocked" if self._how == "blocked" else "error", reason="it is unseemly")
        described = self._source.descriptions
        best = max(described, key=lambda label: _alike(described[label], text))
        return Output(
            image=self._source.paths[best],
            usage={"images": self._usage} if self._usage else None,
            extra={"label": "/".join(best)},
        )


def _alike(one: str, other: str) -> float:
    mine, theirs = (set(re.findall(r"\w+", text.lower())) for text in (one, other))
    return len(mine & theirs) / len(mine | theirs)


def pair(**options: Any) -> DescribeThenDraw:
    model = load_model("describe_then_draw", **{"describe": "oracle", "draw": DRAWER, **options})
    assert isinstance(model, DescribeThenDraw)
    return model


def scripted(answer: Callable[[Example], Output], **options: Any) -> tuple[Any, Scripted, Any]:
    """Return a pair whose describing model is a function, and both of its models."""
    model: Any = pair(**options)
    describer = Scripted(answer, Capabilities({"description"}))
    model._models["describe"] = describer
    return model, describer, model._models["draw"]


def run(
    model: Any, pictures: Path | str, out: Path, limit: int = 4, **chosen: Any
) -> list[dict[str, Any]]:
    ways = {key: chosen.pop(key) for key in ("batch_size", "stop_after") if key in chosen}
    options = Options(images=str(pictures), **chosen)
    settings = run_settings("describe_then_draw", model, {}, (CONFIG,), "test", options, limit)
    predict(model, settings, out, **ways)
    return lines(out)


def at(server: ChatServer, **options: Any) -> DescribeThenDraw:
    own = {"describe.model": "tiny", "describe.base_url": server.url, "describe.retries": 0}
    return pair(describe="openai", **{**own, **options})
