"""Reading a judge's reply about a dialogue: its two marks, or its one degree, or why none. Pure.

The judge is asked for a first line of two marks and nothing else (TouchStone, Sec. 3.2), and most
replies begin so: "8 9". Others name whose mark is whose, give marks out of ten, or explain before
they mark. Only what a careful person could read in one way is read; a mark that is not from 1 to
10, a range, one mark alone, or a third one is no reading but a reason.

How it is done: what names an assistant becomes one character, so that the 1 of "Assistant 1" is no
mark. A line then holds two marks if nothing stands on it but words that go with marks ("Scores: 8
and 9"); where names stand on it, they decide whose is whose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from cobsat.touchstone.spec import HIGHEST, LOWEST

from .replies import Unclear, after_thinking, clean

__all__ = ["Pair", "read_degree", "read_marks"]

Pair: TypeAlias = tuple[float, float]
"""The marks of the first and of the second assistant."""


def read_marks(reply: str, *, cut: bool = False) -> Pair | Unclear:
    r"""Return the two marks of a reply, the first assistant's and the second's.

    Args:
        reply: All that the judge said.
        cut: Whether it was cut at its greatest length: "8 1" may have been going to be "8 10".

    >>> read_marks("8 9\nBoth are helpful.")
    (8.0, 9.0)
    >>> read_marks("Assistant 2: 9/10\nAssistant 1: 8.5/10")
    (8.5, 9.0)
    >>> read_marks("8-9")
    Unclear(reason='a range in place of a mark: 8-9')
    >>> read_marks("0 11")
    Unclear(reason='0 is not from 1 to 10')
    """
    text = _prepared(reply)
    if isinstance(text, Unclear):
        return text
    lines = [line for line in text.splitlines() if line.strip(_EDGES)]
    first = next((n for n, line in enumerate(lines) if _VALUE.search(line)), None)
    if first is None:
        return _no_mark(text) or Unclear("no mark")
    found = _line_pair(lines, first)
    pairs = {p for n in range(len(lines)) if isinstance(p := _line_pair(lines, n), tuple)}
    end = len(lines) - 1
    if isinstance(found, tuple) and len(pairs) == 1:  # it begins as it is asked to
        end = first
    elif not isinstance(found, Unclear):
        pairs |= {*_named(text), *_stacked(lines)}
        found = pairs.pop() if len(pairs) == 1 else _why_not(text, lines[first], pairs)
    if isinstance(found, Unclear):
        return found
    if cut and end == len(lines) - 1 and lines[end].rstrip()[-1].isdigit():
        return Unclear("cut off within its marks")
    return next((_outside(mark) for mark in found if not LOWEST <= mark <= HIGHEST), found)


def read_degree(reply: str, *, cut: bool = False) -> float | Unclear:
    r"""Return the one degree, from 1 to 10, that a reply gives.

    >>> read_degree("Degree of hallucination: 7/10\nIt names a dog that is not there.")
    7.0
    >>> read_degree("7 8")
    Unclear(reason='several numbers: 7, 8')
    """
    text = _prepared(reply)
    if isinstance(text, Unclear):
        return text
    lines = [line for line in text.splitlines() if line.strip(_EDGES)]
    first = next((line for line in lines if _VALUE.search(line)), None)
    if first is None:
        return _no_mark(text) or Unclear("no number")
    found = _alone(first)
    if found is None and not _is_plain(first):
        declared = {m[1] for m in _DEGREE.finditer(text) if not _RANGE.match(text, m.start(1))}
        declared |= {one for line in lines if (one := _alone(line))}
        found = declared.pop() if len(declared) == 1 else None
    if found is None:
        return _why_not(text, first, (), "number")
    if cut and lines[-1].rstrip().endswith(found):
        return Unclear("cut off within its number")
    degree = float(found)
    return degree if LOWEST <= degree <= HIGHEST else _outside(degree)


# --- the text of a reply ---------------------------------------------------------------------

_LONGEST: Final = 20_000
"""Characters that are read."""

_ONE, _TWO = "\ue001", "\ue002"
_NAMES: Final = f"{_ONE}{_TWO}"
_WHO: Final = (
    r"(?:(?:ai[ -]?)?assistants?|answers?|responses?|repl(?:y|ies)|models?|options?|candidates?"
    r"|chatbots?|助手|助理|回答|答案)"
)
_FIRST: Final = r"(?:1|one|(?-i:A))"
_SECOND: Final = r"(?:2|two|(?-i:B))"
_TAGGED: Final = re.compile(r"(?i)<(?:assistant|answer|score|rating|mark)[ _-]?([12])[^<>]{0,40}>")
_NUMBERED: Final = re.compile(
    rf"(?i)(?<![^\W\d_]){_WHO}\s*(?:#|no\.?|number|nr\.?)?\s*(?:({_FIRST})|{_SECOND})(?!\.?\w)"
    rf"(?:\s*(and|&|,|/|\||vs\.?|versus)\s*#?(?:({_FIRST})|{_SECOND})(?!\.?\w|\s*(?:/|(?:for|to|goes|points?|out|of)\b)))?"
)
_ORDINAL: Final = re.compile(
    rf"(?i)\b(?:the\s+)?(?:(first|former)|(?:second|latter))\b(?:\s+(?:{_WHO}|one)\b)?"
)
_GLUED: Final = re.compile(rf"([^\W\d_]|[{_NAMES})])\s*[:=]\s*(?=-?\d)")
_INDEXED: Final = re.compile(r"(?i)(?:#\s*|\b(?:score|rating|mark)\s*(?=[12]\s*[:=]))([12])\b")
_LISTED: Final = re.compile(r"(?m)(?:^|(?<=[\s,;|]))\(?([12])(?:[.):]\s+|\s*:\s*)(?=\d)")
_SCALE: Final = re.compile(
    r"(?i)\(?\b(?:on\s+|from\s+|of\s+|using\s+)?(?:a\s+|the\s+)?scale\s*(?:of|from|:)?\s*"
    r"\(?1\s*(?:-|to)\s*10\)?|\b(?:from|between)\s+1\s+(?:to|and)\s+10\b|\(\s*1\s*(?:-|to)\s*10\s*\)"
)
_OF_TEN: Final = re.compile(
    r"(?i)(?<![\w./-])(\d{1,2}(?:\.\d+)?)\s*(?:/|out\s+of|of)\s*10(?:\.0+)?(?![\w/]|\.\d)"
)
_TEN: Final = re.compile(r"(?i)\(?\b(?:out\s+)?of\s+10\b\)?|\(\s*/\s*10\s*\)")
_POINTS: Final = re.compile(r"(?i)(?<=\d)\s*(?:pts?|points?|marks?|分)(?!\w)\.?")
_BULLET: Final = re.compile(r"(?m)^[ ]*[-•·▪>]+[ ]+")
_COMMA: Final = re.compile(r"(?m)^([^\d\n]*\d{1,2}(?:\.\d+)?),(\d{1,2}(?:\.\d+)?(?!,?\d)[^\d\n]*)$")
_SPELT: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SPELT_PAIR: Final = re.compile(
    rf"(?im)^\W*({'|'.join(_SPELT)})\W+(?:and\W+)?({'|'.join(_SPELT)})\W*$"
)


def _prepared(reply: str) -> str | Unclear:
    """Return a reply with one character for each name, and its marks as plain numbers."""
    said = after_thinking(reply)
    if said is None:
        return Unclear("ends while thinking")
    text = _TAGGED.sub(r" assistant \1: ", re.sub(rf"[{_NAMES}]", " ", said[:_LONGEST]))
    text = clean(text)
    if not re.search(r"\w", text):
        return Unclear("empty reply")
    text = _SPELT_PAIR.sub(
        lambda m: f"{_SPELT.index(m[1].lower()) + 1} {_SPELT.index(m[2].lower()) + 1}", text
    )
    text = _SCALE.sub(" ", _BULLET.sub("", text))
    text = _NUMBERED.sub(_names, text)
    text = _GLUED.sub(r"\1: ", text)
    text = _INDEXED.sub(lambda m: _ONE if m[1] == "1" else _TWO, text)
    text = _ORDINAL.sub(lambda m: _ONE if m[1] else _TWO, text)
    if sorted(_LISTED.findall(text)) == ["1", "2"]:
        text = _LISTED.sub(lambda m: f"{_ONE if m[1] == '1' else _TWO}: ", text)
    text = _TEN.sub(" ", _OF_TEN.sub(r"\1", text))
    return _COMMA.sub(r"\1, \2", _POINTS.sub(" ", text))


def _names(found: re.Match[str]) -> str:
    first = _ONE if found[1] else _TWO
    if not found[2]:
        return first
    return f"{first} {found[2]} {_ONE if found[3] else _TWO}"


# --- lines of marks --------------------------------------------------------------------------

_EDGES: Final = " |:-=*_.,;()[]"
_VALUE: Final = re.compile(r"(?<![\w.,/:+~<>≈±^$€£-])-?\d+(?:\.\d+)?(?![\w%°/+^~?]|[.,:-]\d|-\w)")
_NUMBER: Final = re.compile(r"-?\d+(?:[.,:/-]\d+)*")
_RANGE: Final = re.compile(r"(?i)\d+(?:\.\d+)?\s*(?:-|~|\bto\b|\bor\b)\s*\d+(?:\.\d+)?")
_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        "a ai all an and answer answers are as assign assigned assistant assistants be both "
        "certainly d degree evaluation final follows for get gets give given gives got grade "
        "graded grades hallucination hallucinations here i is it json level ll mark marks me my "
        "of ok okay on output overall points quality rate rated rating ratings receive receives "
        "respective respectively result results s score scored scores so sure that the their them "
        "these this thus to two values ve versus vs we with would 分 得分 评分 分数 和 分别 为",
    )
)
"""What may stand on a line of marks: none of them makes anything else of a number."""

_PAIR_FIRST: Final = re.compile(
    r"\W{0,3}(-?\d+(?:\.\d+)?)[\s,;|&]+(?:and\s+)?(-?\d+(?:\.\d+)?)"
    rf"(?:(?:[.;:!]\s+|\s+-+\s+|\s*\()(?=[^\W\d]|[{_NAMES}])|\s+(?=[A-Z][a-z]|[{_NAMES}]))"
)
"""Two marks at the start of a line that goes on with a sentence of its own."""

_ONE_FIRST: Final = re.compile(
    r"\W{0,3}(-?\d+(?:\.\d+)?)(?:(?:[.;:!]\s+|\s+-+\s+|\s*\()(?=[^\W\d])|\s+(?=[A-Z][a-z]))"
)
_SHAPES: Final = frozenset({"VV", "NVNV", "VNVN", "NNVV", "VVNN"})
"""How marks and names may follow one another on a line; names go with marks in the same order."""


def _line_pair(lines: Sequence[str], place: int) -> Pair | Unclear | None:
    """Return a line's two marks, why its marks are none, or None if it is no line of marks.

    A line before it that holds nothing but names is its heading.
    """
    line = lines[place]
    values = _VALUE.findall(line)
    if _is_plain(line):
        said = re.findall(rf"[{_NAMES}]|V", _VALUE.sub("V", line))
        names = "".join(c for c in said if c in _NAMES)
        if len(values) > 2 and not names:
            return Unclear(f"more than two marks: {_shown(values)}")
        if re.sub(rf"[{_NAMES}]", "N", "".join(said)) in _SHAPES:
            names = names or next(filter(None, map(_heading, lines[max(0, place - 1) : place])), "")
            in_order = list(map(float, values if names[:1] != _TWO else values[::-1]))
            return (in_order[0], in_order[1]) if len(set(names)) != 1 else None
    more = _PAIR_FIRST.match(line)
    return (float(more[1]), float(more[2])) if more else None


def _is_plain(line: str) -> bool:
    """Return whether nothing but marks, names and the words that go with them is on a line."""
    if len(_NUMBER.findall(line)) != len(_VALUE.findall(line)) or _RANGE.search(line):
        return False
    rest = re.sub(f"[{_NAMES}]", " ", _VALUE.sub(" ", line))
    words = {word.lower() for word in re.findall(r"[^\W\d_]+", rest)}
    return words <= _WORDS and not re.search(r"[^\w\s.,;:|&()\[\]!=>/'\"-]", rest)


def _heading(line: str) -> str:
    """Return the two names that are all there is on a line: a table's head."""
    names = "".join(c for c in line if c in _NAMES)
    return names if len(names) == 2 and _is_plain(line) and not _VALUE.search(line) else ""


def _stacked(lines: Sequence[str]) -> Iterator[Pair]:
    """Yield the marks of the only two lines that hold one mark and nothing else, in a row."""
    bare = [
        n for n, line in enumerate(lines) if _VALUE.fullmatch(line.strip(_EDGES.replace("-", "")))
    ]
    if len(bare) == 2 and bare[1] == bare[0] + 1:
        one, two = (float(lines[n].strip(_EDGES.replace("-", ""))) for n in bare)
        yield one, two


def _alone(line: str) -> str | None:
    """Return the only number on a line, where nothing else says more of it."""
    values = _VALUE.findall(line)
    if len(values) == 1 and _is_plain(line):
        return str(values[0])
    more = _ONE_FIRST.match(line)
    return more[1] if more else None


# --- marks beside names ------------------------------------------------------------------------

_GAP: Final = (
    r"(?:[\s:=|>(\[-]|\b(?:s|overall|final|total|score|scores|scored|rating|rated|mark|grade"
    r"|receives|received|gets|got|is|was|of|an?|answer|response|deserves|earns|at|with|give|i"
    r"|would|given|worth|the)\b|得分|评分|分数|为|是)*?"
)
_NAME_THEN_MARK: Final = re.compile(rf"(?i)([{_NAMES}]){_GAP}(?<![\w.,])(-?\d+(?:\.\d+)?)")
_MARK_THEN_NAME: Final = re.compile(
    rf"(?i)(?<![\w.,-])(-?\d+(?:\.\d+)?)\s*(?:(?:goes\s+)?(?:for|to)\s+(?:the\s+)?|\(\s*)([{_NAMES}])"
)
_ENDS: Final = re.compile(
    rf"\s*(?:[\n.,;:|)\](!-]|\Z|and\b|while\b|but\b|because\b|for\b|[{_NAMES}])"
)
_DEGREE: Final = re.compile(
    r"(?i)\b(?:degree|score|rating|level)(?:\s+of\s+hallucinations?)?\s*(?:\b(?:is|of|would be)\b"
    r"|:|=)+\s*(?<![\w.,-])(-?\d+(?:\.\d+)?)(?![\w%/]|[.,:-]\d|-\w)"
)


def _named(text: str) -> Iterator[Pair]:
    """Yield the marks that stand beside names: one pair, or several where a name has several."""
    marks: dict[str, set[float]] = {_ONE: set(), _TWO: set()}
    taken = set()
    for found in _NAME_THEN_MARK.finditer(text):
        if _stands(text, found.start(2), found.end(2)):
            marks[found[1]].add(float(found[2]))
            taken.add(found.start(2))
    for found in _MARK_THEN_NAME.finditer(text):
        if found.start(1) not in taken and _stands(text, found.start(1), found.end(1)):
            marks[found[2]].add(float(found[1]))
    return ((one, two) for one in marks[_ONE] for two in marks[_TWO])


def _stands(text: str, start: int, end: int) -> bool:
    """Return whether a number stands as a mark does, and counts or measures nothing."""
    if not _VALUE.match(text, start) or _RANGE.match(text, start):
        return False
    follows = _ENDS.match(text, end) or re.match(r"\s*to\s+[{_NAMES}]", text[end:])
    return follows is not None


# --- why there are none ------------------------------------------------------------------------


def _why_not(
    text: str, line: str, found: Sequence[Pair] | set[Pair], what: str = "mark"
) -> Unclear:
    if len(found) > 1:
        pairs = sorted(f"{one:g} {two:g}" for one, two in found)
        return Unclear(f"several pairs of marks: {', '.join(pairs[:3])}")
    if because := _no_mark(line):
        return because
    values = list(dict.fromkeys(_VALUE.findall(line)))
    if what == "number" and len(values) > 1:
        return Unclear(f"several numbers: {_shown(values)}")
    if what == "mark" and len(_NUMBER.findall(text)) == 1:
        return Unclear(f"one mark alone: {values[0]}")
    return Unclear(f"not clear which {what} is meant" if what == "number" else
                   "not clear which marks are meant")  # fmt: skip


def _no_mark(line: str) -> Unclear | None:
    """Return why a number on a line is no mark, if its own look says it."""
    if found := _RANGE.search(line):
        return Unclear(f"a range in place of a mark: {found[0]}")
    for shown in _NUMBER.findall(line):
        if "/" in shown:
            return Unclear(f"{shown} is not out of {HIGHEST:g}")
    return None


def _outside(mark: float) -> Unclear:
    return Unclear(f"{mark:g} is not from {LOWEST:g} to {HIGHEST:g}")


def _shown(values: Sequence[str]) -> str:
    return f"{', '.join(values[:6])}{', …' if len(values) > 6 else ''}"
