"""What a pipeline of `diffusers` reads of a text: a text that none of its encoders reads whole.

Pipelines cut a long text without a word: CLIP reads 77 tokens, T5 as many as a pipeline asks for,
others have a template of their own around it. So the tokenizers are watched at their work: what
they were given, and where they were told to cut. The encoder that reads most decides: beside CLIP's
77 tokens, Stable Diffusion 3 and FLUX have a T5, which carries a long text. A text that every
encoder cuts stops the pipeline before it draws: it would be a picture of half a prompt.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from torch import nn
from transformers import PreTrainedTokenizerBase

__all__ = ["Reading", "TooLongError", "Watch"]

_DRAWING: Final = ("unet", "transformer", "prior")
"""Components that run step by step, after the text was read."""


class TooLongError(Exception):
    """A text that no encoder of the pipeline reads whole."""


@dataclass(frozen=True)
class Reading:
    """One call of a tokenizer that cuts: the tokens of its longest text, and how many it keeps."""

    tokens: int
    limit: int


class Watch:
    """Watches a pipeline's tokenizers.

    The pipeline's tokenizers are changed: they tell of each call.
    """

    def __init__(self, pipeline: Any) -> None:
        self._on = False
        self._readings: dict[int, list[Reading]] = {}
        seen: dict[int, PreTrainedTokenizerBase] = {}
        for component in pipeline.components.values():
            tokenizer = getattr(component, "tokenizer", component)  # a processor has one inside
            if isinstance(tokenizer, PreTrainedTokenizerBase):
                seen[id(tokenizer)] = tokenizer
        self.tokenizers = list(seen.values())
        for tokenizer in self.tokenizers:
            self._follow(tokenizer)
        for name in _DRAWING:
            module = getattr(pipeline, name, None)
            if isinstance(module, nn.Module):
                module.register_forward_pre_hook(lambda *_: self._check())

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Watch one call of the pipeline.

        Raises:
            TooLongError: Every encoder cut a text, at latest when the call ends.
        """
        self._readings, self._on = {}, True
        try:
            yield
            self._check()
        finally:
            self._on = False

    def _follow(self, tokenizer: Any) -> None:
        own = type(tokenizer)
        watch = self

        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            encoded = own.__call__(self, *args, **kwargs)
            if watch._on:
                watch._note(self, own, args, kwargs)
            return encoded

        # Python looks a call up in the class: this one object gets a class of its own.
        space = {"__call__": call, "__module__": own.__module__, "__qualname__": own.__qualname__}
        tokenizer.__class__ = type(own.__name__, (own,), space)

    def _note(self, tokenizer: Any, own: Any, args: Any, kwargs: Any) -> None:
        given = inspect.signature(own.__call__).bind(tokenizer, *args, **kwargs).arguments
        readings = self._readings.setdefault(id(tokenizer), [])
        if given.get("truncation") in (None, False, "do_not_truncate"):
            return  # read whole, or a second look that a pipeline takes for its own warning
        limit = given.get("max_length") or tokenizer.model_max_length
        texts: Any = given.get("text")
        texts = [texts] if isinstance(texts, str) else list(texts)
        special = given.get("add_special_tokens", True)
        whole = own.__call__(tokenizer, texts, add_special_tokens=special, verbose=False)
        tokens = max(len(ids) for ids in whole["input_ids"])
        readings.append(Reading(tokens, limit))

    def _check(self) -> None:
        if not self._on or not self._readings or not all(self._readings.values()):
            return  # one that never cuts reads whole
        worst = [max(each, key=lambda r: r.tokens - r.limit) for each in self._readings.values()]
        if all(reading.tokens > reading.limit for reading in worst):
            most = max(worst, key=lambda reading: reading.limit)
            raise TooLongError(
                f"the text has {most.tokens:,} tokens, the pipeline reads {most.limit:,}"
            )
