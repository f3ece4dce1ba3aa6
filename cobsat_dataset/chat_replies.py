"""What a server's reply holds: pure functions of the JSON of chat completions and the Images API.

Text, pictures, why it ended, whether a filter refused, and how many tokens it took. Servers differ
in where they put these; what is not there is None, and what came is never taken for an answer that
it is not.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

__all__ = ["Reply", "ReplyError", "add_usage", "read_completion", "read_images"]

_DATA_URL: Final = re.compile(r"data:image/[\w.+-]+;base64,([A-Za-z0-9+/=\s]+)")
_MARKDOWN: Final = re.compile(r"!\[[^\]]*\]\(\s*(data:image/[^)]+)\)")
_FILTERS: Final = ("content_filter", "safety", "prohibited", "blocklist", "recitation", "refusal")
"""Words in the reason why a reply ended, in lower case, when a filter ended it."""


class ReplyError(ValueError):
    """What came is no reply of the API; asking again may help."""


@dataclass(frozen=True)
class Reply:
    """One reply.

    Attributes:
        status: "ok", "error" (it holds nothing usable) or "blocked" (a filter or a refusal).
        text: Its text, if any; beside another status, whatever came.
        pictures: The files of the pictures in it.
        reason: Why the status is not "ok".
        finish_reason: Why it ended: "stop", "length", …
        usage: `input_tokens`, `output_tokens` and the like, where the server says so.
        model: What the server says it is, if it does.
        fingerprint: Its `system_fingerprint`, if it has one.
    """

    status: Literal["ok", "error", "blocked"] = "ok"
    text: str | None = None
    pictures: tuple[bytes, ...] = ()
    reason: str | None = None
    finish_reason: str | None = None
    usage: dict[str, float] | None = None
    model: str | None = None
    fingerprint: str | None = None


def read_completion(data: object) -> Reply:
    """Return the first choice of a chat completion.

    Raises:
        ReplyError: It is none.

    >>> read_completion({"choices": [{"message": {"content": ""}, "finish_reason": "length"}]})
    ... # doctest: +ELLIPSIS
    Reply(status='error', ..., reason='the reply was cut before it said anything', ...)
    """
    whole = _checked(data)
    usage, model = _usage(whole.get("usage")), _text(whole.get("model"))
    fingerprint = _text(whole.get("system_fingerprint"))

    def reply(status: Literal["ok", "error", "blocked"], reason: str | None, **parts: Any) -> Reply:
        return Reply(
            status, reason=reason, usage=usage, model=model, fingerprint=fingerprint, **parts
        )

    choices = whole.get("choices")
    if not choices and whole.get("error"):
        told = whole["error"]
        said = told.get("message") or told if isinstance(told, dict) else told
        raise ReplyError(f"an error in its place: {said}")
    if not isinstance(choices, list | None):
        raise ReplyError("one whose choices are no list")
    if choices is None and "object" not in whole:
        raise ReplyError("one without choices")
    if not choices:
        return reply("error", "the server gave no choice")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise ReplyError("one whose choice has no message")
    ended = _text(choice.get("finish_reason"))
    text, pictures = _content(message)
    text = text if text and text.strip() else None
    parts = {"text": text, "pictures": pictures, "finish_reason": ended}
    refusal = message.get("refusal")
    if ended and any(word in ended.lower() for word in _FILTERS):
        return reply(
            "blocked", f"content filter: {refusal}" if refusal else "content filter", **parts
        )
    if refusal:
        return reply("blocked", f"refusal: {refusal}", **parts)
    if text is None and not pictures:
        cut = ended == "length"
        said = "the reply was cut before it said anything" if cut else "the reply is empty"
        return reply("error", said, **parts)
    return reply("ok", None, **parts)


def read_images(data: object) -> Reply:
    """Return what the Images API gave.

    Raises:
        ReplyError: It is none of its replies.
    """
    whole = _checked(data)
    usage, given = _usage(whole.get("usage")), whole.get("data")
    if not isinstance(given, list):
        raise ReplyError("one without data")
    pictures = tuple(
        _decoded(one["b64_json"])
        for one in given
        if isinstance(one, dict) and isinstance(one.get("b64_json"), str)
    )
    revised = next((_text(o.get("revised_prompt")) for o in given if isinstance(o, dict)), None)
    if pictures:
        return Reply("ok", revised, pictures, usage=usage, finish_reason="stop")
    links = any(isinstance(one, dict) and one.get("url") for one in given)
    reason = "the server gave no picture"
    if links:
        reason = "the server gave a picture's address, not the picture: ask it for b64_json"
    return Reply("error", revised, reason=reason, usage=usage)


def add_usage(*usages: dict[str, float] | None) -> dict[str, float] | None:
    """Return the sum of several calls' usage; None if none says anything.

    >>> add_usage({"input_tokens": 3}, None, {"input_tokens": 4, "output_tokens": 1})
    {'input_tokens': 7, 'output_tokens': 1}
    """
    total: dict[str, float] = {}
    for usage in usages:
        for name, count in (usage or {}).items():
            total[name] = total.get(name, 0) + count
    return total or None


def _checked(data: object) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise ReplyError("one that is no JSON object")
    return data


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _content(message: dict[str, Any]) -> tuple[str | None, tuple[bytes, ...]]:
    """Return a message's text and pictures, wherever servers put them."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    pieces = [part["text"] for part in parts if _is_text(part)]
    text = content if isinstance(content, str) else "".join(pieces) or None
    urls = [url for part in [*parts, *(message.get("images") or [])] for url in _urls(part)]
    if text and "data:image/" in text:
        urls += _MARKDOWN.findall(text)
        text = _MARKDOWN.sub("", text)
    pictures = tuple(
        _decoded(found[1]) for url in urls if (found := _DATA_URL.fullmatch(url.strip()))
    )
    return text, pictures


def _is_text(part: object) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def _urls(part: object) -> Iterator[str]:
    """Yield the data URLs of an image part: `image_url` as a text or an object, or `b64_json`."""
    if not isinstance(part, dict):
        return
    url = part.get("image_url") or part.get("image")
    if isinstance(url, dict):
        url = url.get("url")
    if isinstance(url, str):
        yield url
    elif isinstance(part.get("b64_json"), str):
        yield f"data:image/png;base64,{part['b64_json']}"


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError) as error:
        raise ReplyError("one whose picture is no base64") from error


def _usage(given: object) -> dict[str, float] | None:
    """Return token counts by the names of this project, whichever of the API's two it came in."""
    if not isinstance(given, dict):
        return None
    details = {
        "cached_tokens": ("prompt_tokens_details", "input_tokens_details"),
        "reasoning_tokens": ("completion_tokens_details", "output_tokens_details"),
    }
    found = {
        "input_tokens": given.get("prompt_tokens", given.get("input_tokens")),
        "output_tokens": given.get("completion_tokens", given.get("output_tokens")),
    }
    for name, places in details.items():
        inner: dict[str, Any] = next(
            (given[p] for p in places if isinstance(given.get(p), dict)), {}
        )
        found[name] = inner.get(name) or None
    usage = {k: v for k, v in found.items() if isinstance(v, int | float)}
    return usage or None
