"""What the page of one example shows beyond the gallery: whole prompts, whole texts, raw replies.

It is large, and seldom looked at: the report holds it gzipped, in blocks of some hundred examples,
and `templates/example.js` unpacks a block when one of its examples is opened. A block is a list in
the order in which the gallery's ids first come:

    example  {prompts: [prompt, ...], outputs: [output, ...]}
    prompt   {runs: [run, ...], messages: [[role, [text or picture, ...]], ...], followup}
    output   {text, facts: [[name, value], ...], raw: [[[name, value], ...] of each judge]}

A picture is the number of its thumbnail. `text` is there only where the gallery has no more than
its beginning; outputs stand in the gallery's order.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from cobsat import Example, Prediction

from .report_data import Run
from .text import LONGEST, SHORT, shorten, visible
from .thumbnails import Pictures

EXAMPLES_A_BLOCK: Final = 200
LONGEST_TEXT: Final = 50_000
"""Characters of an output that its example's page keeps."""
LONGEST_REPLY: Final = 8_000
MOST_PAIRS: Final = 100
"""Names and values that are shown of one record."""
_DEEPEST: Final = 3

_Prompt = tuple[tuple[tuple[str, tuple[str | int, ...]], ...], str | None]


@dataclass
class _Shown:
    """One example: its prompts with the runs that had them, and its outputs by run and id."""

    prompts: dict[_Prompt, list[int]] = field(default_factory=dict)
    outputs: list[tuple[int, str]] = field(default_factory=list)


class Details:
    """Collects examples as the gallery comes by them, and packs what there is to say of each."""

    def __init__(self, runs: Sequence[Run], judges: Sequence[str], pictures: Pictures) -> None:
        self._runs = runs
        self._judges = judges
        self._pictures = pictures
        self._examples: dict[str, _Shown] = {}
        self._texts: dict[str, str] = {}

    def add(self, run: int, name: str, example: Example) -> None:
        """Take in one output's example.

        Args:
            run: The run's number.
            name: The example's id, without a sample's number.
            example: With the output's own id.
        """
        shown = self._examples.setdefault(name, _Shown())
        if not shown.outputs or shown.outputs[-1][0] != run:  # samples of a run follow one another
            shown.prompts.setdefault(self._prompt(example), []).append(run)
        shown.outputs.append((run, example["id"]))

    def blocks(self) -> Iterator[str]:
        """Yield the blocks as base64 of gzipped JSON."""
        waiting = iter(self._examples.values())
        while block := [self._packed(shown) for shown in islice(waiting, EXAMPLES_A_BLOCK)]:
            text = json.dumps(block, ensure_ascii=False, separators=(",", ":"))
            yield base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")

    def _prompt(self, example: Example) -> _Prompt:
        messages = tuple(
            (message["role"], tuple(self._part(part) for part in message["content"]))
            for message in example["messages"]
        )
        followup = example["followup"]
        return messages, followup and self._text(followup)

    def _part(self, part: Mapping[str, Any]) -> str | int:
        if part["type"] == "text":
            return self._text(part["text"] or "")
        number = self._pictures.number(part["image"]) if isinstance(part["image"], str) else None
        return -1 if number is None else number

    def _text(self, text: str) -> str:
        if text not in self._texts:  # one string for all the prompts that say it
            self._texts[text] = visible(text)
        return self._texts[text]

    def _packed(self, shown: _Shown) -> dict[str, Any]:
        return {
            "prompts": [
                {"runs": runs, "messages": messages, "followup": followup}
                for (messages, followup), runs in shown.prompts.items()
            ],
            "outputs": [self._output(self._runs[run], name) for run, name in shown.outputs],
        }

    def _output(self, run: Run, name: str) -> dict[str, Any]:
        verdicts = (run.verdicts.get(judge, {}).get(name) for judge in self._judges)
        prediction = run.predictions.get(name)
        text = None if prediction is None else prediction.text
        return {
            "text": _cut(str(text), LONGEST_TEXT) if text and len(str(text)) > LONGEST else None,
            "facts": [] if prediction is None else _facts(prediction),
            "raw": [[] if verdict is None else pairs(verdict.raw) for verdict in verdicts],
        }


def _facts(prediction: Prediction) -> list[tuple[str, str]]:
    """Return what is known of an output beside itself."""
    facts = {
        "seconds": _rounded(prediction.seconds),
        "ended by": prediction.finish_reason,
        "usage": prediction.usage,
    }
    known = {name: value for name, value in facts.items() if value is not None}
    extra = prediction.extra if isinstance(prediction.extra, dict) else {}
    return pairs({**known, **extra})


def _rounded(seconds: object) -> object:
    return round(seconds, 2) if isinstance(seconds, float) else seconds


def pairs(record: object) -> list[tuple[str, str]]:
    """Return a record as names and values for a reader, the names within names joined.

    The digest of what was judged is bookkeeping, and is left out.

    >>> pairs({"object": {"reply": "3", "usage": {"in": 7}}, "output": "5e8f", "sizes": [1, 2]})
    [('object, reply', '3'), ('object, usage, in', '7'), ('sizes', '[1, 2]')]
    """
    if record is None:
        return []
    if not isinstance(record, Mapping):
        return [("", _value(record))]
    own = {name: value for name, value in record.items() if name != "output"}
    return list(islice(_pairs(own, (), _DEEPEST), MOST_PAIRS))


def _pairs(
    record: Mapping[Any, Any], before: tuple[str, ...], deepest: int
) -> Iterator[tuple[str, str]]:
    for name, value in record.items():
        names = (*before, _cut(str(name).replace("_", " "), SHORT))
        if isinstance(value, Mapping) and value and deepest > 1:
            yield from _pairs(value, names, deepest - 1)
        else:
            yield ", ".join(names), _value(value)


def _value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return _cut(text, LONGEST_REPLY)


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest and text.isprintable():  # most are, and millions of them there may be
        return text
    return visible(shorten(text, longest))
