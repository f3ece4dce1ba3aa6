"""Calls to an OpenAI-compatible server: patient, bounded, and as many at once as it can bear.

What models under test and judges behind a server share. It needs the `openai` client: `pip install
'cobsat[api]'`. Address and key come from the environment (OPENAI_BASE_URL, OPENAI_API_KEY); neither
is ever part of a message or a record.

    server = Server.from_environment()
    for some in call_all(server, prompts, lambda chat, prompt: chat.complete(body(prompt))):
        for prompt, reply, seconds in some: ...
"""

from __future__ import annotations

import asyncio
import math
import os
import queue
import random
import re
from collections.abc import Awaitable, Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from threading import Thread
from time import perf_counter, time
from typing import Any, Final, TypeVar

import openai

from .chat_pictures import ChatPicture
from .chat_replies import Reply, ReplyError, read_completion, read_images
from .slots import Slots

__all__ = ["CallError", "Chat", "Server", "call_all"]

T = TypeVar("T")
R = TypeVar("R")

LONGEST_WAIT: Final = 300.0
"""Seconds; a server that asks to wait longer is given up for now."""
LONGEST_BACKOFF: Final = 60.0
MAX_TIMEOUTS: Final = 2
"""A call is made again after so many timeouts at most: each has cost its whole time."""

_AGAIN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_TOO_MUCH: Final = frozenset({429, 503, 529})
_NO_MONEY: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_BLOCKED: Final = (
    "content_filter", "content_policy", "moderation_blocked", "safety_violation",
    "responsibleaipolicy",
)  # fmt: skip
"""Words in the code or type of an HTTP error by which servers say that a filter refused."""
_IDS: Final = re.compile(
    r"\b(?:req|chatcmpl|resp|cmpl|trace)[-_][\w-]+|\b[0-9a-f]{8}-[0-9a-f-]{27}\b"
)


class CallError(RuntimeError):
    """A call that brought no reply, and would bring none if it were made again at once."""


@dataclass(frozen=True)
class Server:
    """Where calls go, and how patiently.

    Attributes:
        base_url: The API's address, up to `/v1`; None for OpenAI's own.
        key: The key; never shown.
        key_variable: The environment variable that it came from, for messages.
        concurrency: The most calls at once; fewer where the server has had enough.
        timeout: Seconds that a call may take.
        retries: How often a failed call is made again.
    """

    base_url: str | None = field(default=None, repr=False)
    key: str = field(default="none", repr=False)
    key_variable: str = "OPENAI_API_KEY"
    concurrency: int = 32
    timeout: float = 120.0
    retries: int = 6

    @classmethod
    def from_environment(
        cls,
        base_url: str | None = None,
        key_variable: str = "OPENAI_API_KEY",
        concurrency: int = 32,
        timeout: float = 120.0,
        retries: int = 6,
    ) -> Server:
        """Return the server that the environment names; `base_url` overrides OPENAI_BASE_URL.

        Raises:
            ValueError: OpenAI's own server without a key, a key that no header can carry, or a
                number out of range.
        """
        for name, value in (("concurrency", concurrency), ("retries", retries)):
            least = 1 if name == "concurrency" else 0
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ValueError(f"{name} must be an integer of {least} or more, got {value!r}")
        if not isinstance(timeout, int | float) or not 0 < timeout < math.inf:
            raise ValueError(f"timeout must be a number of seconds above 0, got {timeout!r}")
        address = base_url or os.environ.get("OPENAI_BASE_URL") or None
        if address and not address.startswith(("http://", "https://")):
            raise ValueError(
                "base_url (or OPENAI_BASE_URL) must be an address such as "
                "http://127.0.0.1:8000/v1, got one without http:// or https://"
            )
        key = os.environ.get(key_variable, "").strip()
        if not key and address is None:
            raise ValueError(
                f"{key_variable} must be set to OpenAI's key, got none: export {key_variable}=…, "
                "or OPENAI_BASE_URL=http://127.0.0.1:8000/v1 for a server of your own"
            )
        if not (key.isascii() and key.isprintable()):
            raise ValueError(
                f"{key_variable} must be a key of plain letters, got one that no request can "
                "carry: was a placeholder copied, or a line break?"
            )
        return cls(address, key or "none", key_variable, concurrency, float(timeout), retries)


class Chat:
    """Makes calls, within one event loop. `call_all` makes one."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.slots = Slots(server.concurrency)
        self._client = openai.AsyncOpenAI(
            api_key=server.key,
            base_url=server.base_url or "https://api.openai.com/v1",
            max_retries=0,
            timeout=None,  # the whole call has a time, not each read
        )
        self._spread = random.Random(0)  # spreads retries in time, nothing else
        self._other_names: dict[str, str | None] = {}

    async def complete(self, body: dict[str, Any]) -> Reply:
        """Return the reply to a chat completion's request.

        A server that wants `max_completion_tokens` in place of `max_tokens` is given that.

        Raises:
            CallError: None came, after retries.
        """
        return await self._call(
            lambda: self._client.post("/chat/completions", cast_to=object, body=self._named(body)),
            read_completion,
        )

    async def draw(self, body: dict[str, Any], pictures: Sequence[ChatPicture] = ()) -> Reply:
        """Return what the Images API draws: from the prompt alone, or with pictures to go by.

        Raises:
            CallError: Nothing came, after retries.
        """
        if not pictures:
            return await self._call(
                lambda: self._client.post(
                    "/images/generations", cast_to=object, body=self._named(body)
                ),
                read_images,
            )
        field_name = "image" if len(pictures) == 1 else "image[]"
        files = [
            (field_name, (f"{n}.{p.mime.removeprefix('image/')}", p.data, p.mime))
            for n, p in enumerate(pictures, start=1)
        ]
        return await self._call(
            lambda: self._client.post(
                "/images/edits",
                cast_to=object,
                body=self._named(body),
                files=files,
                options={"headers": {"Content-Type": "multipart/form-data"}},
            ),
            read_images,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _call(
        self, send: Callable[[], Awaitable[object]], read: Callable[[object], Reply]
    ) -> Reply:
        timeouts = attempt = 0
        while True:
            attempt += 1
            wait: float | None = None
            names = dict(self._other_names)
            async with self.slots.slot() as began:
                try:
                    async with asyncio.timeout(self.server.timeout):
                        data = await send()
                    reply = read(data)
                except TimeoutError:
                    self.slots.overloaded(began)
                    timeouts += 1
                    failure = (
                        f"the server must answer within {self.server.timeout:g} s, got nothing"
                    )
                    if timeouts > MAX_TIMEOUTS:
                        raise CallError(f"{failure} ({timeouts} times)") from None
                except ReplyError as error:
                    failure = f"the server must give a reply of the API, got {_plain(str(error))}"
                except openai.APIStatusError as error:
                    if reason := self._refusal(error):
                        return Reply("blocked", reason=reason)
                    if self._learn(error, names):
                        attempt -= 1
                        continue
                    failure = self._status_failure(error)
                    if error.status_code not in _AGAIN or error.code in _NO_MONEY:
                        raise CallError(failure) from None
                    wait = _retry_after(error)
                    if error.status_code in _TOO_MUCH:
                        self.slots.overloaded(began)
                        self.slots.pause(min(wait or 0.0, LONGEST_WAIT))
                except (openai.APIConnectionError, OSError):
                    failure = (
                        "the server must be reachable, got no connection or a broken one: is it "
                        "running, and is OPENAI_BASE_URL its address?"
                    )
                except (openai.APIError, ValueError):  # what is no JSON
                    failure = "the server must give JSON, got something else"
                else:
                    self.slots.succeeded()
                    return replace(reply, reason=self.hide(reply.reason))
            failure = str(self.hide(failure))
            if attempt > self.server.retries:
                raise CallError(f"{failure} ({attempt} times)")
            if wait is not None and wait > LONGEST_WAIT:
                raise CallError(f"{failure}; it asks to wait {wait:.0f} s: try again after that")
            backoff = min(LONGEST_BACKOFF, 2.0 ** (attempt - 1)) * self._spread.uniform(0.5, 1.0)
            await asyncio.sleep(backoff if wait is None else wait * self._spread.uniform(1.0, 1.1))

    def _named(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return a body without what this server does not know, and by the names that it knows."""
        names = {key: self._other_names.get(key, key) for key in body}
        return {name: body[key] for key, name in names.items() if name is not None}

    def _learn(self, error: openai.APIStatusError, names: dict[str, str | None]) -> bool:
        """Return whether the same call will be understood by other names than it had.

        What an error says of them is kept for all calls.
        """
        if error.status_code not in (400, 422):
            return False
        if names != self._other_names:  # another call's error has told meanwhile
            return True
        said = str(error.message)
        if "max_completion_tokens" in said and "max_tokens" not in self._other_names:
            self._other_names["max_tokens"] = "max_completion_tokens"
            return True
        if "response_format" in said and "response_format" not in self._other_names:
            self._other_names["response_format"] = None
            return True
        return False

    def _refusal(self, error: openai.APIStatusError) -> str | None:
        if error.status_code not in (400, 403, 422):
            return None
        body = error.body if isinstance(error.body, dict) else {}
        inner = body.get("innererror") or body.get("inner_error") or {}
        codes = [error.code, error.type, inner.get("code") if isinstance(inner, dict) else None]
        if not any(word in str(code).lower() for code in codes for word in _BLOCKED):
            return None
        return self.hide(f"content filter: {_said(error)}")

    def _status_failure(self, error: openai.APIStatusError) -> str:
        code = error.status_code
        if code == 401:  # the server's own words hold a part of the key
            return f"the server must accept the key in {self.server.key_variable}, got 401"
        wants = (
            "model and base_url must be the server's" if code == 404 else "the server must answer"
        )
        return str(self.hide(f"{wants}, got {code}: {_said(error)}"))

    def hide(self, text: str | None) -> str | None:
        """Return text without the key and the address, should the server have repeated them."""
        if text is None:
            return None
        for secret in (self.server.key, self.server.base_url):
            if secret and len(secret) > 6:
                text = text.replace(secret, "…")
        return text


def _said(error: openai.APIStatusError) -> str:
    """Return a server's words, without the ids that would make another of each equal error."""
    body = error.body
    said = body.get("message") or body.get("detail") if isinstance(body, dict) else body
    text = said if isinstance(said, str) else str(said or "no reason")
    if text.lstrip().startswith("<"):
        text = "a page in place of a reason"
    return _plain(text)


def _plain(text: str) -> str:
    return _IDS.sub("…", text)[:400]


def _retry_after(error: openai.APIStatusError) -> float | None:
    """Return the seconds that a server asks to wait, if it does."""
    headers = error.response.headers
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = headers.get("retry-after", "")
        try:
            seconds = float(value)
        except ValueError:
            seconds = parsedate_to_datetime(value).timestamp() - time()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def call_all(
    server: Server, items: Iterator[T], work: Callable[[Chat, T], Awaitable[R]]
) -> Generator[list[tuple[T, R | Exception, float]], None, None]:
    """Do work with calls for each item, many at once, and yield what has finished.

    Items are taken as slots come free, here in the caller's thread; calls go on in another while
    the caller does other things. Closing the iterator gives up what is under way.

    Yields:
        Item, result or the exception that the work raised, and seconds it took, in any order.
    """
    results: queue.SimpleQueue[tuple[T, R | Exception, float]] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, name="cobsat-calls", daemon=True)
    thread.start()

    async def opened() -> Chat:
        return Chat(server)

    chat = asyncio.run_coroutine_threadsafe(opened(), loop).result()

    async def one(item: T) -> None:
        start = perf_counter()
        try:
            result: R | Exception = await work(chat, item)
        except Exception as error:
            result = error
        results.put((item, result, perf_counter() - start))

    under_way, more = 0, True
    try:
        while True:
            while more and under_way < max(1, int(chat.slots.limit)):
                try:
                    item = next(items)
                except StopIteration:
                    more = False
                    break
                asyncio.run_coroutine_threadsafe(one(item), loop)
                under_way += 1
            if not under_way:
                return
            done = [results.get()]
            while not results.empty():
                done.append(results.get())
            under_way -= len(done)
            yield done
    finally:
        asyncio.run_coroutine_threadsafe(_close(chat), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _close(chat: Chat) -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await chat.close()
    await asyncio.get_running_loop().shutdown_default_executor()
