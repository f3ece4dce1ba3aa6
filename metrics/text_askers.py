"""Who answers the chats of a judge that reads texts: a server, a checkpoint, or a function.

What they make of a reply is the same: its text, or why there is none, and whether the call failed,
so that it may be made again.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from cobsat.run_folder import safe_name

from .servers import ask_all, chat_api, raw_reply, shown_address
from .touchstone_prompts import Turn

if TYPE_CHECKING:
    from cobsat.chat_api import Chat
    from cobsat.chat_replies import Reply

__all__ = ["Ask", "Asker", "CheckpointAsker", "FunctionAsker", "Said", "ServerAsker"]


@dataclass(frozen=True)
class Ask:
    """One chat: the place of the output that it is about, which of its chats it is, its turns."""

    place: int
    kind: str
    chat: list[Turn]


@dataclass(frozen=True)
class Said:
    """What came back for one chat.

    Attributes:
        text: The reply; None without one.
        reason: Why there is none.
        failed: Whether the call failed, so that nothing is known.
        cut: Whether the reply was cut at its greatest length.
        raw: What is kept of it.
    """

    text: str | None = None
    reason: str | None = None
    failed: bool = False
    cut: bool = False
    raw: dict[str, Any] = field(default_factory=dict)


IsClear: TypeAlias = Callable[[Said], bool]
"""Whether a reply can be read."""


class Asker(Protocol):
    """Puts chats to a language model.

    Attributes:
        name: Names the model in a run folder.
        batch_size: Outputs that it likes to be given at once.
    """

    name: str
    batch_size: int

    def record(self) -> dict[str, Any]:
        """Return what would have to be known to ask the same way again."""

    def ask(self, asks: Iterable[Ask], is_clear: IsClear) -> Iterator[tuple[Ask, Said]]:
        """Yield what is said to each chat, in any order."""


class ServerAsker:
    """Any OpenAI-compatible server; its key is in no record and no message.

    Args:
        model: The server's name for it.
        body: What goes into each request beside the model and the messages.
        again: How often a reply that cannot be read is asked for again: the likeliest reply of a
            server varies a little.
        server: Address, key, concurrency, timeout, retries: as `chat_api.Server` takes them.
    """

    def __init__(self, model: str, body: dict[str, Any], again: int, server: tuple[Any, ...]):
        self.name = safe_name(model)
        self._model, self._body, self._again = model, body, again
        self._server = chat_api("touchstone").Server.from_environment(*server)
        self.batch_size = 8 * int(self._server.concurrency)

    def record(self) -> dict[str, Any]:
        """Return the model and all that goes into a request; the address among the versions."""
        address = shown_address(self._server.base_url)
        return {
            "model": self._model,
            **self._body,
            "again": self._again,
            "versions": {"openai": version("openai"), "server": address},
        }

    def ask(self, asks: Iterable[Ask], is_clear: IsClear) -> Iterator[tuple[Ask, Said]]:
        """Ask many at once; one that cannot be read, and was not refused, once more."""
        failure = chat_api("touchstone").CallError

        async def ask(chat: Chat, one: Ask) -> Said:
            unclear: list[Said] = []
            while True:
                body = {"model": self._model, "messages": one.chat, **self._body}
                try:
                    reply = await chat.complete(body)
                except failure as error:
                    if not unclear:
                        raise
                    # those before it were paid for
                    failed = Said(reason=self._hint(str(error)), failed=True)
                    return _with_earlier(failed, unclear)
                said = _said(reply)
                if is_clear(said) or reply.status == "blocked" or len(unclear) >= self._again:
                    return _with_earlier(said, unclear)
                unclear.append(said)

        for one, result in ask_all(self._server, asks, ask):
            if isinstance(result, Exception):
                yield one, Said(reason=self._hint(str(result)), failed=True)
            else:
                yield one, result

    def _hint(self, reason: str) -> str:
        if "stop" in self._body and re.search(r"\bstop\b|stop_", reason):
            return f"{reason} (a server that takes no stop: --judge-option stop=null)"
        return reason


def _said(reply: Reply) -> Said:
    if reply.status != "ok":
        return Said(reason=reply.reason or "no reason given", raw=raw_reply(reply))
    return Said(reply.text or "", cut=reply.finish_reason == "length", raw=raw_reply(reply))


def _with_earlier(said: Said, unclear: Sequence[Said]) -> Said:
    """Return a reply with those before it, which could not be read, and the usage of all."""
    from cobsat.chat_replies import add_usage

    if not unclear:
        return said
    usage = add_usage(*(one.raw.get("usage") for one in (*unclear, said)))
    raw = {**said.raw, **({"usage": usage} if usage else {})}
    return replace(said, raw={**raw, "earlier": [one.raw for one in unclear]})


class CheckpointAsker:
    """A language model of `transformers`: greedy replies, a batch at a time.

    Args:
        checkpoint: A name on the Hub, a folder, or a pipeline "text-generation".
        max_tokens: The most tokens of a reply.
        stop: Where a reply ends.
        forward_batch_size: Chats in one forward pass.
        options: As `TextModel` takes them.
    """

    def __init__(
        self,
        checkpoint: Any,
        max_tokens: int,
        stop: Sequence[str],
        forward_batch_size: int,
        options: dict[str, Any],
    ) -> None:
        from .text_model import TextModel

        self.model = TextModel(checkpoint, **options)
        self.name = safe_name(self.model.shown)
        self.batch_size = 4 * forward_batch_size
        self._longest, self._stop, self._size = max_tokens, list(stop), forward_batch_size

    def record(self) -> dict[str, Any]:
        """Return the checkpoint's record, and how replies end."""
        versions = {name: version(name) for name in ("torch", "transformers")}
        ends = {"max_tokens": self._longest, "stop": self._stop or None}
        return {**self.model.record(), **ends, "versions": versions}

    def ask(self, asks: Iterable[Ask], is_clear: IsClear) -> Iterator[tuple[Ask, Said]]:
        """Ask in batches; the same prompt has the same reply, so that none is asked again."""
        from .vision_language import halving

        waiting = iter(asks)
        while batch := list(islice(waiting, self._size)):
            prompts = [(one, self.model.prompt(one.chat)) for one in batch]
            fitting = [(one, ids) for one, ids in prompts if self._fits(ids)]
            for one, ids in prompts:
                if not self._fits(ids):
                    yield one, Said(reason=f"the prompt is longer ({len(ids):,} tokens) than the "
                                    f"checkpoint reads ({self.model.context:,})")  # fmt: skip
            replies = halving(
                lambda part: self.model.replies(part, self._longest, self._stop),
                [ids for _, ids in fitting],
            ) if fitting else []  # fmt: skip
            for (one, _), reply in zip(fitting, replies, strict=True):
                raw = {"reply": reply.text, "usage": reply.usage}
                yield one, Said(reply.text, cut=reply.cut, raw=raw)

    def _fits(self, ids: Sequence[int]) -> bool:
        return len(ids) < self.model.context


class FunctionAsker:
    """A function of one's own: it is given chats, and returns a reply for each, or None.

    Args:
        function: It, or "module:function".
        batch_size: Chats that it is given at once.

    Raises:
        ValueError: There is no such function.
    """

    def __init__(self, function: Callable[..., Any] | str, batch_size: int) -> None:
        self._function = _function(function) if isinstance(function, str) else function
        if not callable(self._function):
            raise ValueError(f"ask must be a function or module:function, got {function!r}")
        self._shown = getattr(self._function, "__name__", type(self._function).__name__)
        self.name = safe_name(self._shown)
        self.batch_size = self._size = batch_size

    def record(self) -> dict[str, Any]:
        """Return the function's name."""
        return {"function": self._shown}

    def ask(self, asks: Iterable[Ask], is_clear: IsClear) -> Iterator[tuple[Ask, Said]]:
        """Ask in batches; one for which the function raises has failed."""
        waiting = iter(asks)
        while batch := list(islice(waiting, self._size)):
            try:
                replies = list(self._function([one.chat for one in batch]))
            except Exception as error:  # whatever it raises costs its chats, not the run
                reason = f"{type(error).__name__}: {error}"
                yield from ((one, Said(reason=reason, failed=True)) for one in batch)
                continue
            if len(replies) != len(batch):
                raise ValueError(
                    f"replies must be one a chat ({len(batch)}), got {len(replies)} from "
                    f"{self._shown}"
                )
            for one, reply in zip(batch, replies, strict=True):
                if reply is None:
                    yield one, Said(reason="no reply", failed=True)
                else:
                    yield one, Said(str(reply), raw={"reply": str(reply)})


def _function(name: str) -> Any:
    module, _, attribute = name.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"ask must be a function or module:function, got {name!r}") from error
