"""Any OpenAI-compatible server as the model under test: chats in, descriptions or pictures out.

    export OPENAI_API_KEY=…
    cobsat run --model openai --model-option model=gpt-4o --output description \
      --config color_i-2shot

    export OPENAI_BASE_URL=http://127.0.0.1:8000/v1      # vLLM, SGLang, transformers serve, …
    cobsat run --model openai --model-option model=Qwen/Qwen2.5-VL-7B-Instruct \
      --model-option concurrency=64 --config all-4shot --output description

    cobsat run --model openai --model-option model=gpt-image-1 --model-option image_api=images \
      --config color_i-2shot --max-cost 5 --price-in 10 --price-out 40

Texts and pictures go in reading order, pictures as data URLs. A chain of thought is two turns. A
filter or a refusal is "blocked", an empty reply an error, a reply cut by `max_tokens` keeps its
finish reason "length". Calls go on while others finish, as many at once as the server can bear.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from importlib.metadata import version
from typing import Any, Final

from cobsat import Example
from cobsat.chat_api import Chat, Server, call_all
from cobsat.chat_pictures import chat_picture, data_url
from cobsat.chat_replies import Reply, add_usage
from cobsat.command_line import json_object
from cobsat.examples import Message
from cobsat.spec import choose
from PIL import Image

from .protocol import Capabilities, Finished, Output
from .seeds import example_seed

__all__ = ["OpenAIModel", "chat_messages", "drawing_prompt"]

_IMAGE_APIS: Final = ("images", "chat")
_DETAILS: Final = ("auto", "low", "high")
_REPEATS: Final = "the likeliest reply is the same each time: --model-option temperature=1"
_SEED_BITS: Final = 31
"""Some servers take no larger seed."""


class OpenAIModel:
    """A model behind an OpenAI-compatible server.

    The key is read from OPENAI_API_KEY, or the variable that `key_variable` names; the address from
    OPENAI_BASE_URL, or `base_url`. Neither is kept in the run folder. Prompts that begin alike come
    one after the other, so that a server with a prefix cache (vLLM, SGLang, the cached input of
    public APIs) computes what they share once.

    Args:
        model: The server's name for it: `gpt-4o`, `Qwen/Qwen2.5-VL-7B-Instruct`.
        image_api: What makes pictures: `images` (the Images API; a prompt's pictures go along as
            references) or `chat` (pictures in the reply of a chat).
        image_size: Size that the Images API is asked for: `1024x1024`.
        detail: `low`, `high` or `auto`: how closely OpenAI's models look at pictures.
        max_tokens: The most tokens of a reply. A model that reasons needs more.
        temperature: 0 for the likeliest reply; null to leave it to the server.
        top_p: Left to the server by default.
        seed: For servers that sample with one; each example's own seed comes from it and the
            example's id.
        body: More of the request, as JSON: `{"reasoning_effort": "low"}`.
        base_url: The API's address, in place of OPENAI_BASE_URL.
        key_variable: Name of the environment variable that holds the key.
        concurrency: The most calls at once.
        timeout: Seconds that a call may take.
        retries: How often a failed call is made again.
    """

    by_prefix = True
    session_options = frozenset({"base_url", "key_variable", "concurrency", "timeout", "retries"})

    def __init__(
        self,
        model: str,
        image_api: str | None = None,
        image_size: str | None = None,
        detail: str | None = None,
        max_tokens: int = 1024,
        temperature: float | None = 0.0,
        top_p: float | None = None,
        seed: int | None = None,
        body: str | dict[str, Any] | None = None,
        base_url: str | None = None,
        key_variable: str = "OPENAI_API_KEY",
        concurrency: int = 32,
        timeout: float = 120.0,
        retries: int = 6,
    ) -> None:
        if image_api is not None:
            choose("image_api", image_api, _IMAGE_APIS)
        if detail is not None:
            choose("detail", detail, _DETAILS)
        if not isinstance(max_tokens, int) or max_tokens < 1:
            raise ValueError(f"max_tokens must be 1 or more, got {max_tokens!r}")
        self.name = str(model)
        self.capabilities = Capabilities(
            {"image", "description"} if image_api else {"description"},
            hint="" if image_api else "--model-option image_api=images (or chat) if it draws",
            repeats=_REPEATS if temperature == 0 and image_api != "images" else "",
        )
        self._image_api, self._image_size, self._detail = image_api, image_size, detail
        self._more = json_object("body", body)
        options = {
            "max_tokens": max_tokens,
            "temperature": temperature,
            "top_p": top_p,
        }
        self._seed = seed
        self._options = {key: value for key, value in options.items() if value is not None}
        self._server = Server.from_environment(
            base_url, key_variable, concurrency, timeout, retries
        )

    def record(self) -> dict[str, Any]:
        """Return the model and all that goes into a request; no address and no key."""
        chosen = {
            "image_api": self._image_api,
            "image_size": self._image_size,
            "seed": self._seed,
            "detail": self._detail,
            "body": self._more or None,
        }
        return {
            "model": self.name,
            **self._options,
            **{key: value for key, value in chosen.items() if value is not None},
            "versions": {"openai": version("openai")},
        }

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Answer a batch; what fails for all of it is raised."""
        found = {name: got for some in self.stream(iter(examples)) for name, got, _ in some}
        results = [found[example["id"]] for example in examples]
        errors = [result for result in results if isinstance(result, Exception)]
        if errors and len(errors) == len(results):
            raise errors[0]
        return [
            Output("error", reason=str(result)) if isinstance(result, Exception) else result
            for result in results
        ]

    def stream(self, examples: Iterator[Example]) -> Iterator[list[Finished]]:
        """Answer examples as the server does, many at once."""
        with closing(call_all(self._server, examples, self._answer)) as calls:
            for some in calls:
                yield [(example["id"], result, seconds) for example, result, seconds in some]

    async def _answer(self, chat: Chat, example: Example) -> Output:
        output = await self._rounds(chat, example)
        if self._seed is None or output.status == "error":
            return output
        seed = self._example_seed(example, 0)
        return replace(output, extra={"seed": seed, **(output.extra or {})})

    async def _rounds(self, chat: Chat, example: Example) -> Output:
        messages = chat_messages(example["messages"], self._detail)
        draws = example["output"] == "image"
        turn = 0
        first: Reply | None = None
        if example["followup"] is not None:
            first = await chat.complete(self._body(example, turn, messages=messages))
            turn = 1
            if first.status != "ok":
                return _output(replace(first, reason=f"first round: {first.reason}"), None, draws)
            messages = [
                *messages,
                {"role": "assistant", "content": first.text},
                {"role": "user", "content": example["followup"]},
            ]
        if not draws:
            reply = await chat.complete(self._body(example, turn, messages=messages))
        elif self._image_api == "chat":
            body = {"modalities": ["text", "image"]} | self._body(example, turn, messages=messages)
            reply = await chat.complete(body)
        else:
            reply = await self._draw(chat, example, first)
        return _output(reply, first, draws)

    async def _draw(self, chat: Chat, example: Example, first: Reply | None) -> Reply:
        prompt, pictures = drawing_prompt(example["messages"])
        if first is not None:
            prompt = f"{prompt}{first.text}{example['followup']}"
        body = {"model": self.name, "prompt": prompt, "n": 1, "response_format": "b64_json"}
        if self._image_size:
            body["size"] = self._image_size
        sent = [chat_picture(picture) for picture in pictures]
        return await chat.draw({**body, **self._more}, sent)

    def _body(self, example: Example, turn: int, **parts: Any) -> dict[str, Any]:
        seed = {} if self._seed is None else {"seed": self._example_seed(example, turn)}
        return {"model": self.name, **parts, **self._options, **seed, **self._more}

    def _example_seed(self, example: Example, turn: int) -> int:
        seed = example_seed(self._seed or 0, example["id"], turn)
        return seed % (1 << _SEED_BITS)


def chat_messages(messages: Sequence[Message], detail: str | None = None) -> list[dict[str, Any]]:
    """Return a prompt as the API takes it, text and pictures in reading order.

    Raises:
        OSError: A picture cannot be read.

    >>> part = {"type": "text", "text": "red: ", "image": None}
    >>> chat_messages([{"role": "user", "content": [part]}])
    [{'role': 'user', 'content': 'red: '}]
    """
    sent: list[dict[str, Any]] = []
    for message in messages:
        parts: list[dict[str, Any]] = []
        for part in message["content"]:
            if part["image"] is None:
                parts.append({"type": "text", "text": part["text"]})
                continue
            url = {"url": data_url(part["image"])}
            if detail:
                url["detail"] = detail
            parts.append({"type": "image_url", "image_url": url})
        plain = len(parts) == 1 and parts[0]["type"] == "text"
        sent.append({"role": message["role"], "content": parts[0]["text"] if plain else parts})
    return sent


def drawing_prompt(messages: Sequence[Message]) -> tuple[str, list[str | Image.Image]]:
    """Return a prompt as one text, and the pictures that it names in their places.

    >>> parts = [{"type": "text", "text": "red: ", "image": None},
    ...          {"type": "image", "text": None, "image": "a.png"},
    ...          {"type": "text", "text": "blue: ", "image": None}]
    >>> drawing_prompt([{"role": "user", "content": parts}])
    ('red: [image 1] blue: ', ['a.png'])
    """
    text, pictures = "", []
    for message in messages:
        for part in message["content"]:
            if part["image"] is None:
                text += part["text"] or ""
            else:
                pictures.append(part["image"])
                text += f"[image {len(pictures)}] "
        if message["role"] == "system":
            text += "\n"
    return text, pictures


def _output(reply: Reply, first: Reply | None, draws: bool) -> Output:
    """Return what a reply, after that of a first round if there was one, comes to."""
    kept = {"model": reply.model, "system_fingerprint": reply.fingerprint}
    if first is not None:
        kept["first_round"] = first.text
        kept["first_round_finish_reason"] = first.finish_reason
    if len(reply.pictures) > 1:
        kept["pictures"] = f"the first of {len(reply.pictures)}"
    output = Output(
        reply.status,
        text=reply.text,
        reason=reply.reason,
        finish_reason=reply.finish_reason,
        usage=add_usage(first.usage if first else None, reply.usage),
        extra={key: value for key, value in kept.items() if value is not None} or None,
    )
    if not draws or reply.status != "ok" or not reply.pictures:
        return output
    try:
        image = Image.open(io.BytesIO(reply.pictures[0]))
        image.load()
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        return replace(output, status="error", reason=f"the picture cannot be read: {error}")
    return replace(output, image=image)
