"""The judge `api`: the questions of Sec. 4.2, put to a model behind an OpenAI-compatible server.

    export OPENAI_API_KEY=…
    cobsat judge runs/NAME --judge api --judge-option model=gpt-4o-mini

    export OPENAI_BASE_URL=http://127.0.0.1:8000/v1      # vLLM, SGLang, transformers serve, …
    cobsat judge runs/NAME --judge api --judge-option model=llava-hf/llava-1.5-13b-hf

Each question is a chat of its own: the picture and then the question, or the question with the
description in it. A call that fails after its retries is no answer: the verdict's status is
"error", and the same command asks again. Needs `pip install 'cobsat[api]'`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from cobsat.command_line import json_object
from cobsat.examples import Reference
from cobsat.run_folder import Verdict, safe_name
from cobsat.spec import OUTPUTS, Theme, choose

from .choices import Answer, choice_verdict
from .grading import check_reference, unscored
from .pictures import UNREADABLE, Output, open_picture, why_unreadable
from .protocol import OutputKind
from .questions import WORDINGS, Question, Wording, prompts_digest, questions
from .replies import Unclear, read_reply
from .servers import ask_all, chat_api, raw_reply, shown_address

if TYPE_CHECKING:
    from cobsat.chat_api import Chat
    from cobsat.chat_replies import Reply

__all__ = ["ApiJudge"]

_DETAILS: Final = ("auto", "low", "high")


@dataclass(frozen=True)
class _Ask:
    """One question about one output, by the output's place in the batch."""

    place: int
    question: Question
    content: str | list[dict[str, Any]]


class ApiJudge:
    """Asks a server. The key is read from OPENAI_API_KEY, and is in no record and no message.

    Args:
        model: The server's name for it.
        base_url: The API's address up to `/v1`, in place of OPENAI_BASE_URL.
        key_variable: Name of the environment variable that holds the key.
        wording: "paper", or "released" for that of the authors' code.
        max_tokens: The most tokens of a reply; a model that reasons needs more. null: no limit.
        temperature: 0 for the likeliest reply; null leaves it to the server.
        seed: For servers that sample with one.
        body: More of the request, as JSON: `{"reasoning_effort": "low"}`.
        description_limit: Characters of a description that are asked about; a longer one is cut at
            its end, and counted as `truncated`.
        image_detail: "low", "high" or "auto": how closely OpenAI's models look at pictures.
        concurrency: The most calls at once; fewer where the server has had enough.
        timeout: Seconds that a call may take.
        retries: How often a failed call is made again.
    """

    outputs = frozenset(OUTPUTS)

    def __init__(
        self,
        model: str = "",
        base_url: str | None = None,
        key_variable: str = "OPENAI_API_KEY",
        wording: Wording = "paper",
        max_tokens: int | None = 32,
        temperature: float | None = 0.0,
        seed: int | None = None,
        body: str | dict[str, Any] | None = None,
        description_limit: int = 8000,
        image_detail: str | None = None,
        concurrency: int = 8,
        timeout: float = 60.0,
        retries: int = 4,
    ) -> None:
        if not model:
            raise ValueError(
                "model must be the server's name for the judge, got none: --judge-option "
                "model=gpt-4o-mini, for one"
            )
        choose("wording", wording, WORDINGS)
        if image_detail is not None:
            choose("image_detail", image_detail, _DETAILS)
        for name, value in (("max_tokens", max_tokens), ("description_limit", description_limit)):
            if value is not None and (not isinstance(value, int) or value < 1):
                raise ValueError(f"{name} must be an integer of 1 or more, got {value!r}")
        self.name = f"api-{safe_name(str(model))}"
        self._model, self._wording, self._detail = str(model), wording, image_detail
        self._limit = description_limit
        options = {"max_tokens": max_tokens, "temperature": temperature, "seed": seed}
        self._options = {key: value for key, value in options.items() if value is not None}
        self._more = json_object("body", body)
        self._server = chat_api().Server.from_environment(
            base_url, key_variable, concurrency, timeout, retries
        )
        self.batch_size = 4 * concurrency

    def record(self) -> dict[str, Any]:
        """Return the model, the prompts and the parameters; the server's address among versions."""
        return {
            "model": self._model,
            "wording": self._wording,
            "prompts_sha256": prompts_digest(self._wording),
            "description_limit": self._limit,
            "image_detail": self._detail,
            **self._options,
            **({"body": self._more} if self._more else {}),
            "versions": {
                "openai": version("openai"),
                "server": shown_address(self._server.base_url),
            },
        }

    def judge(
        self, predictions: Sequence[Output], references: Sequence[Reference], output: OutputKind
    ) -> list[Verdict]:
        """Ask both questions about each output, many at once.

        A picture that cannot be read, an empty description, a refusal and a reply without an
        unambiguous choice are unscored; a call that failed makes the verdict an "error".

        Raises:
            ValueError: A reference, or the kind of output, is not one of the benchmark's.
        """
        choose("output", output, OUTPUTS)
        if len(predictions) != len(references):
            raise ValueError(
                f"references must be as many as predictions ({len(predictions)}), "
                f"got {len(references)}"
            )
        themes = [check_reference(reference) for reference in references]
        verdicts: dict[int, Verdict] = {}
        asks: list[_Ask] = []
        cut: set[int] = set()
        for place, (prediction, theme) in enumerate(zip(predictions, themes, strict=True)):
            if output == "image":
                made = self._about_picture(prediction, theme, place)
            else:
                text = str(prediction or "")
                cut |= {place} if len(text) > self._limit else set()
                made = self._about_description(text, theme, place)
            if isinstance(made, str):
                verdicts[place] = unscored(made)
            else:
                asks += made
        answers = self._ask(asks)
        for place, reference in enumerate(references):
            if place not in verdicts:
                about_object, about_attribute = (answers[place, kind] for kind in _KINDS)
                verdicts[place] = choice_verdict(
                    reference, about_object, about_attribute, truncated=place in cut
                )
        return [verdicts[place] for place in range(len(predictions))]

    def _about_picture(self, picture: Output, theme: Theme, place: int) -> list[_Ask] | str:
        """Return both questions about a picture, or why it cannot be asked about."""
        from cobsat.chat_pictures import data_url

        try:
            open_picture(picture)  # to its end: a server would not say what is wrong with it
            url = {"url": data_url(picture)}
        except UNREADABLE as error:
            return why_unreadable(picture, error)
        if self._detail:
            url["detail"] = self._detail
        image = {"type": "image_url", "image_url": url}
        return [
            _Ask(place, question, [image, {"type": "text", "text": question.about_picture}])
            for question in questions(theme, self._wording)
        ]

    def _about_description(self, text: str, theme: Theme, place: int) -> list[_Ask] | str:
        """Return both questions about a description, or why it cannot be asked about."""
        if not text.strip():
            return "empty description"
        kept = text[: self._limit].encode("utf-8", "replace").decode()  # no half characters
        return [
            _Ask(place, question, question.with_description(kept))
            for question in questions(theme, self._wording)
        ]

    def _ask(self, asks: Sequence[_Ask]) -> dict[tuple[int, str], Answer]:
        """Return the answer to each question, by place and kind."""

        async def ask(chat: Chat, one: _Ask) -> Reply:
            return await chat.complete(self._body(one))

        answers: dict[tuple[int, str], Answer] = {}
        for one, result in ask_all(self._server, asks, ask):
            if isinstance(result, Exception):
                answer = Answer(None, str(result), failed=True)
            else:
                answer = read_answer(result, one.question)
            answers[one.place, one.question.kind] = answer
        return answers

    def _body(self, one: _Ask) -> dict[str, Any]:
        messages = [{"role": "user", "content": one.content}]
        return {"model": self._model, "messages": messages, **self._options, **self._more}


def read_answer(reply: Reply, question: Question) -> Answer:
    """Return what a reply answers to a question."""
    raw = raw_reply(reply)
    if reply.status != "ok":
        return Answer(None, reply.reason or "no reason given", raw=raw)
    read = read_reply(
        reply.text or "", len(question.options), question.options,
        cut=reply.finish_reason == "length",
    )  # fmt: skip
    if isinstance(read, Unclear):
        return Answer(None, read.reason, raw=raw)
    return Answer(read, raw=raw)


_KINDS: Final = ("object", "attribute")
