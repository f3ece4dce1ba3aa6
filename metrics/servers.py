"""What judges behind an OpenAI-compatible server share: calls, many at once, and what is kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from cobsat.chat_api import CallError, Chat, Server
    from cobsat.chat_replies import Reply

__all__ = ["ask_all", "chat_api", "raw_reply", "shown_address"]

_GIVE_UP_AFTER: Final = 8
"""Failed calls in a row after which the rest of a batch is not asked: the server is not there."""

T = TypeVar("T")
R = TypeVar("R")


def ask_all(
    server: Server, items: Iterable[T], ask: Callable[[Chat, T], Awaitable[R]]
) -> Generator[tuple[T, R | CallError], None, None]:
    """Ask about items, many at once, and yield each as it is answered, or why its call failed.

    When the server is gone the rest is not asked.
    """
    api = chat_api()
    in_a_row, last = 0, ""

    async def asked(chat: Chat, item: T) -> R:
        nonlocal in_a_row, last
        if in_a_row >= _GIVE_UP_AFTER:
            raise api.CallError(f"not asked, after {_GIVE_UP_AFTER} failures in a row: {last}")
        try:
            answer = await ask(chat, item)
        except api.CallError as error:
            in_a_row, last = in_a_row + 1, str(error)
            raise
        in_a_row = 0
        return answer

    with closing(api.call_all(server, iter(items), asked)) as calls:
        for finished in calls:
            for item, result, _ in finished:
                if isinstance(result, Exception) and not isinstance(result, api.CallError):
                    raise result
                yield item, result


def raw_reply(reply: Reply) -> dict[str, Any]:
    """Return what of a reply is kept beside a verdict."""
    said = {
        "reply": reply.text,
        "finish_reason": reply.finish_reason,
        "model": reply.model,
        "system_fingerprint": reply.fingerprint,
        "usage": reply.usage,
    }
    return {key: value for key, value in said.items() if value is not None}


def chat_api(judge: str = "api") -> Any:
    """Return the module that calls servers.

    Raises:
        ImportError: The client that it stands on is missing.
    """
    try:
        from cobsat import chat_api
    except ModuleNotFoundError as error:
        if error.name != "openai":
            raise
        raise ImportError(
            f"the judge {judge} needs the openai client, got none: pip install 'cobsat[api]'"
        ) from error
    return chat_api


def shown_address(base_url: str | None) -> str:
    """Return a server's address without what may be secret in it.

    >>> shown_address("https://user:word@example.org:8000/v1?key=1")
    'https://example.org:8000/v1'
    """
    if base_url is None:
        return "OpenAI's"
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
