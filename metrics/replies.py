"""Reading a reply to a multiple-choice question: the number that it chooses, or why none. Pure.

Only an unambiguous choice counts. A reply is cleaned of what is not its text (markup, special
tokens, thinking), its numbers are found, and a number is the choice when the reply declares it
("the answer is 3"), begins with it, ends with it on a line of its own, or names it alone as an
option ("it is option (3)"); and when nothing else in the reply says otherwise: another number, a
negation, a refusal, or the word of another option. Otherwise it is unclear: a reply that a careful
person could not read is not guessed at.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

__all__ = ["Unclear", "after_thinking", "clean", "read_reply"]


@dataclass(frozen=True)
class Unclear:
    """A reply without an unambiguous choice, and why."""

    reason: str


def read_reply(
    reply: str, count: int, words: Sequence[str] = (), *, cut: bool = False
) -> int | Unclear:
    """Return the number from 1 to `count` that a reply chooses.

    Args:
        reply: All that the judge said.
        count: How many options there are.
        words: The options; a reply whose number and word contradict each other is unclear.
        cut: Whether the reply was cut at its greatest length: "1" may have been going to be "10".

    Raises:
        ValueError: `count` is below 1, or `words` are not as many.

    >>> read_reply("The answer is (3).", 10)
    3
    >>> read_reply("(3) because option (2) is not in the picture.", 10)
    3
    >>> read_reply("3 or 4", 10)
    Unclear(reason='several numbers: 3, 4')
    >>> read_reply("2 cup", 3, ["leaf", "hat", "cup"])
    Unclear(reason='number and word contradict each other')
    """
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}")
    if words and len(words) != count:
        raise ValueError(f"words must be as many as count ({count}), got {len(words)}")
    text = after_thinking(reply)
    if text is None:
        return Unclear("ends while thinking")
    text = clean(text, words)
    if not re.search(r"\w|\.\.\.", text):
        return Unclear("empty reply")
    if _REFUSAL.search(text):
        return Unclear("declines to choose")
    if len(_NUMBER.findall(text)) > _MOST_NUMBERS:
        return Unclear("several numbers: too many to read")
    numbers = list(_numbers(text, count, words))
    if not numbers:
        alone = _word_alone(text, words)
        return Unclear("no number") if alone is None else alone
    if cut and text[-1].isdigit() and _could_go_on(text, count):
        return Unclear("cut off within its number")
    return _decide(text, numbers, words)


# --- the text of a reply ---------------------------------------------------------------------

_THINKING: Final = re.compile(r"(?i)(</?|\[/?|◁/?)(?:think|thinking|thought|reasoning)(?:>|\]|▷)")
_END_OF_TURN: Final = re.compile(
    r"</s>|<eos>|<end_of_turn>|<\|(?:im_end|eot_id|end|eom|endoftext|end_of_text|end▁of▁sentence)\|>"
)
_SPECIAL: Final = re.compile(r"<\|[^|<>]{1,40}\|>|</?(?:s|pad|bos|eos|unk|end_of_turn)>")
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]{0,80}>")
_UNITS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ORDINALS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip
_CJK: Final = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"


def after_thinking(reply: str) -> str | None:
    """Return what follows the last closed block of thinking; None if one is open at the end."""
    end = 0
    for tag in _THINKING.finditer(reply):
        if not tag[1].endswith("/"):
            if reply[end : tag.start()].strip() and end == 0:
                continue  # the word in a reply that has begun already
            end = -1 - tag.end()
        else:
            end = tag.end()
    return None if end < 0 else reply[end:]


def clean(text: str, words: Sequence[str] = ()) -> str:
    """Return the text with one way of writing for digits, brackets, quotes and markup."""
    text = text.replace("\u2116", "number ")  # the sign for "No."
    text = unicodedata.normalize("NFKC", text)
    if not text.isascii():
        text = "".join(
            str(unicodedata.digit(c)) if unicodedata.category(c) == "Nd" else c
            for c in text
            if unicodedata.category(c) not in ("Cf", "Mn", "Me")
        )
    text = text.translate(_ONE_WAY)
    for end in _END_OF_TURN.finditer(text):  # what follows is no part of the reply
        if _SPECIAL.sub("", text[: end.start()]).strip():
            text = text[: end.start()]
            break
    text = _SPECIAL.sub(" ", text)
    text = re.sub(r"<\s*(\d{1,9})\s*>", r" (\1) ", text)
    text = re.sub(r"(?i)<answer>", "\n answer: ", text)
    text = _TAG.sub(" ", text)
    text = re.sub(r"\$([^$\n]{0,200})\$", r" \1 ", text)
    text = re.sub(r"\\boxed\s*\{", "\n answer: {", text)
    text = re.sub(r"\\[a-zA-Z]{1,20}\s*\{", " {", text)
    text = re.sub(r"\\[()\[\]]|[{}]", " ", text)
    text = re.sub(r"(?m)^[ \t]*#{1,6}[ \t]", " ", text)
    text = re.sub(r"(?<![^\W\d_])'|'(?![^\W\d_])|[\"*_`]", " ", text)
    text = re.sub(rf"({_CJK})(?=\d)|(\d)(?={_CJK})", r"\1\2 ", text)
    text = re.sub(r"(?i)^\s*(?:assistant|model)\s*:", " ", text)
    text = _SPELT.sub(lambda m: f"{m[1]}{_UNITS.index(m[2].lower()) + 1}", text)
    text = _SPELT_ALONE.sub(lambda m: str(_UNITS.index(m[1].lower()) + 1), text)
    text = _ORDINAL.sub(lambda m: f"option {m[1]}", text)
    text = _SPELT_ORDINAL.sub(lambda m: f"option {_ORDINALS.index(m[1].lower()) + 1}", text)
    for number, word in enumerate(words, start=1):
        text = re.sub(rf"(?i)(?<!\w){number}(?={re.escape(word)}\b)", f"{number} ", text)
    return text.strip()


_ONE_WAY: Final = str.maketrans({
    "\u2044": "/", "\u2212": "-", "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-",
    "\u2014": "-", "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u3002": ".",
    "\u3001": ",", "\u3010": "[", "\u3011": "]", "\u300c": '"', "\u300d": '"', "\t": " ",
    "\r": "\n",
})  # fmt: skip
_SPELT: Final = re.compile(
    rf"(?i)\b((?:option|choice|number|answer(?: is| would be)?)\s*[(:]?\s*)({'|'.join(_UNITS)})\b"
    r"(?!\s+of\b)"
)
_SPELT_ALONE: Final = re.compile(rf"(?i)\A\W*({'|'.join(_UNITS)})(?=\W*\Z)")
_ORDINAL: Final = re.compile(r"(?i)\b(\d{1,3})(?:st|nd|rd|th) (?:option|choice|answer|one)\b")
_SPELT_ORDINAL: Final = re.compile(rf"(?i)\b({'|'.join(_ORDINALS)}) (?:option|choice|answer)\b")

_REFUSAL: Final = re.compile(
    r"(?i)\bsorry\b|\bapologi[sz]e|\bas an ai\b|\bunable\b|\bnot able to\b|\bunsure\b|\bnot sure\b"
    r"|\bno idea\b|\bimpossible to\b|\bnot enough\b|\bneither\b|\bnone\b(?! of the other)"
    r"|\b(?:cannot|can't|can not|could not|couldn't)(?: \w+)? (?:be )?(?:determin|identif|see\b"
    r"|view|tell\b|say\b|answer|help|assist|provid|access|analy|recogni|process|know|find\b|choose"
    r"|decide|make out)"
    r"|\b(?:do not|don't|does not|doesn't) (?:know|see (?:an|any)|match any|fit any"
    r"|have (?:an?|any) (?:image|picture))"
    r"|\bnot (?:among|listed|one of|in the list|included|available|provided)\b"
    r"|\bno (?:image|picture|photo|answer|option|match|suitable|correct)\b|\bnothing (?:match|fit)"
)

# --- the numbers in it -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Number:
    """A number in a reply.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends.
        shown: How it is written, with what adjoins it.
        value: The option that it stands for, if it can stand for one.
        stands: Whether it stands as a choice would, rather than count something ("3 cups").
        named: Whether it is written as an option is: "(3)", "option 3".
        declared: Whether the reply says that it is the answer.
        ruled_out: Whether the reply says that it is not.
        doubted: Whether a question mark follows.
        label: The index of the option whose word adjoins it, if one does.
    """

    start: int
    end: int
    shown: str
    value: int | None
    stands: bool
    named: bool
    declared: bool
    ruled_out: bool
    doubted: bool
    label: int | None


_MOST_NUMBERS: Final = 200
_NUMBER: Final = re.compile(r"\d+(?:[.,:/-]\d+)*")
_PREFIX: Final = (
    r"(?:\b(?:option|options|number|choice|no\.|no|nr\.?|opci[oó]n|opç[aã]o|opzione|вариант"
    r")\s*[#:]?\s*|选项\s*|選択肢\s*|#\s*)"
)
_BE: Final = (
    r"(?:is|are|was|be|would be|should be|must be|will be|could be|has to be|seems to be|ist|es|est"
    r"|è|é|e|là)"
)
_ANSWER: Final = (
    r"(?:(?:\b(?:answer|antwort|respuesta|r[eé]ponse|risposta|resposta|ответ|antwoord|odpowied[zź]"
    r"|cevap|jawaban|svar|đáp án|ans|response|reply|result|output|conclusion|solution)\b|\ba(?=:)"
    r"|答案|回答|答え|答|正解|정답|답)"
    rf"(?:\s+{_BE}\b(?:\s+most)?(?:\s+\w+ly\b)?|\s*[是为は은는])?"
    r"|\b(?:correct|best|right|final|closest) (?:option|choice|number|one|match)\b"
    rf"(?:\s+{_BE}\b)?"
    rf"|\b(?:choice|selection|option|number)(?:\s+{_BE}\b|\s*[:=](?!\S))"
    r"|\b(?:choose|chose|pick|select|say|guess|(?:go|going) (?:with|for)|vote for|opt for)\b)"
)
_DECLARED_BEFORE: Final = re.compile(
    rf"(?i)(?:{_ANSWER}\s*[,:=>→-]*\s*|\b(?:so|thus|therefore|hence)[,:]?\s+){_PREFIX}?[(\[]*\s*\Z"
)
_DECLARED_AFTER: Final = re.compile(
    r"(?i)\A\s*[)\]]*\s*(?:\w+ )?(?:is|seems|looks|would be|must be|should be)\s+(?:to be\s+)?"
    r"(?:the\s+|my\s+)?(?:most\s+)?(?:correct|right|best|answer|closest|choice|likely)"
)
_NAMED_BEFORE: Final = re.compile(rf"(?i){_PREFIX}[(\[]*\s*\Z")
_IS_BEFORE: Final = re.compile(r"(?i)(?:\bis|'s|\bbe)\s*:?\s*[(\[]*\s*\Z")
_COUNTS: Final = re.compile(r"(?i)\b(?:number|count|total|amount) of\b|\bthere\b|\bhow many\b")
_OF_BEFORE: Final = re.compile(r"(?i)\bof\s*\Z")
_STANDS_AFTER: Final = re.compile(
    r"(?i)\A *(?:\Z|[\n.,;:!?)\]=→(\[#-])|\A\s+\d|\A\s*(?:です|だ|番|号|번|이|입니다)"
    r"|\A\s+[&+]\s|\A\s+(?:is|was|seems|looks|would|because|since|as it|or|and|but|nor|not|oder|und"
    r"|ou|et|o|y|或|和)\b"
)
_RULED_OUT_BEFORE: Final = re.compile(
    r"(?i)(?:\bnot|n't|\bcannot|\bnever|\bnor|\bexcept(?: for)?|\bexcluding|\brather than"
    r"|\binstead of|\b(?:anything|everything|all|any) but|\bnicht|\bpas|不是)"
    rf"\s+(?:be\s+)?(?:the\s+)?{_PREFIX}?[(\[]*\s*\Z"
)
_RULED_OUT_AFTER: Final = re.compile(
    r"(?i)\A\s*[)\]]*\s*(?:(?:is|was|does|do|can|could|would|seems?)(?:\s*not\b|n't)|cannot\b"
    r"|(?:is|was|seems|looks)\s+(?:\w+ly\s+)?(?:wrong|incorrect|false|unlikely|impossible|out\b))"
)
_NEGATIVE: Final = re.compile(
    r"(?i)\b(?:not|no|nor|never|cannot|wrong|incorrect|false|rather than|instead of|except|without"
    r"|absent|missing|unlike)\b|n't\b|不"
)


def _numbers(text: str, count: int, words: Sequence[str]) -> Iterator[_Number]:
    for found in _NUMBER.finditer(text):
        start, end = found.span()
        before, after = text[max(0, start - 80) : start], text[end : end + 80]
        alone = _adjoins_nothing(before, after)
        plain = found[0].isdigit() and found[0].isascii() and not found[0].startswith("0")
        fits = alone and plain and len(found[0]) < 10 and 1 <= int(found[0]) <= count
        label, labelled = _label(before, after, words)
        stands = bool(_STANDS_AFTER.search(after)) and not _OF_BEFORE.search(before)
        bracketed = bool(re.search(r"[(\[]\s*\Z", before) and re.match(r"\s*[)\]]", after))
        yield _Number(
            start,
            end,
            _shown(text, start, end),
            int(found[0]) if fits else None,
            stands or labelled,
            bracketed or label is not None or bool(_NAMED_BEFORE.search(before)),
            bool(_DECLARED_BEFORE.search(before) or _DECLARED_AFTER.search(after)),
            bool(_RULED_OUT_BEFORE.search(before) or _RULED_OUT_AFTER.search(after)),
            bool(re.match(r"\s*[)\]]*\s*\?", after)),
            label,
        )


def _adjoins_nothing(before: str, after: str) -> bool:
    """Return whether a number is no part of something longer: a word, a sum, a percentage."""
    if re.search(r"[^\W]\Z|[+~≈<>$€£^/@&\\-]\Z|(?<![^\W\d])\.\Z", before):
        return False
    return not re.match(r"[^\W\d]|[%°$€£^+/~\\]|-\w", after)


def _shown(text: str, start: int, end: int) -> str:
    before = re.search(r"[^\s()\[\]]{0,10}\Z", text[max(0, start - 10) : start])
    after = re.match(r"[^\s()\[\]]{0,10}", text[end : end + 10])
    assert before
    assert after
    return (before[0] + text[start:end] + after[0]).strip(".,;:!")[:24]


def _label(before: str, after: str, words: Sequence[str]) -> tuple[int | None, bool]:
    """Return the option whose word adjoins a number, and whether it follows without a stop."""
    if not words:
        only = re.match(r"\A +([^\W\d]+)[\s.!]*\Z", after)
        plural = only is not None and re.search(r"(?i)[^s]s\Z", only[1])
        return None, bool(only and not plural and not before.strip(" (["))
    pattern = _either(tuple(words))
    article = r"(?:(?:it's|it is)\s+)?(?:(?:an?|the)\s+)?"
    follows = re.match(rf"(?i)\s*[)\]]*\s*[-:.=→,]*\s*[(\[]?\s*{article}{pattern}", after)
    if follows:
        return _index(follows[1], words), True
    precedes = re.search(rf"(?i){pattern}\s*[,:=-]?\s*[(\[]?\s*\Z", before)
    return (_index(precedes[1], words), False) if precedes else (None, False)


@lru_cache(maxsize=64)
def _either(words: tuple[str, ...]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    return rf"(?<!\w)({'|'.join(map(re.escape, longest_first))})(?:e?s)?(?!\w)"


def _index(word: str, words: Sequence[str]) -> int:
    return [other.lower() for other in words].index(word.lower())


def _word_alone(text: str, words: Sequence[str]) -> int | None:
    """Return the option whose word is the whole reply."""
    if not words:
        return None
    found = re.fullmatch(rf"(?i)\W*(?:(?:an?|the)\s+)?{_either(tuple(words))}\W*", text)
    return _index(found[1], words) + 1 if found and "?" not in text else None


def _could_go_on(text: str, count: int) -> bool:
    digits = re.search(r"\d+\Z", text)
    return bool(digits) and any(
        len(str(n)) > len(digits[0]) and str(n).startswith(digits[0])  # type: ignore[index]
        for n in range(1, count + 1)
    )


# --- the choice --------------------------------------------------------------------------------

_FILLER: Final = re.compile(
    r"(?i)\A[^\w?]*(?:(?:sure|okay|ok|yes|well|so|maybe|probably|perhaps|likely|possibly|certainly"
    r"|of course|i think|i believe|i guess|i'd guess|it is|it's|that is|that's|here is|here's|thus"
    rf"|therefore|hence)\b[\s,.!:]*){{0,4}}{_PREFIX}?[^\w?]*\Z"
)
_JOINED: Final = re.compile(
    r"(?i)\A[\s)\]]*(?:[,;/&+-]|\b(?:or|and|oder|und|ou|et|o|y)\b|[或和]|또는)?[\s,]*"
    rf"(?:\b(?:maybe|possibly|perhaps|even|also|else)\b\s*)?{_PREFIX}?[\s(\[#]*\Z"
)


def _decide(text: str, numbers: Sequence[_Number], words: Sequence[str]) -> int | Unclear:
    standing = [n for n in numbers if n.stands]
    open_ = [n for n in standing if not n.ruled_out]
    decisive = _decisive(text, open_) or _named_alone(text, open_)
    chosen = {n.value for n in decisive}
    if len(chosen) != 1 or any(n.ruled_out and n.value in chosen for n in standing):
        return _why_not(decisive, standing, numbers)
    (value,) = chosen
    if value is None:
        return _not_an_option(decisive[0])
    if _joined(text, standing, value) or _others_stand(text, standing, decisive, value):
        return _several(standing)
    if any(n.doubted or _leaves_open(text, n, words) for n in decisive):
        return Unclear("not clear which option is meant")
    if words and _contradicts(text, standing, words, value):
        return Unclear("number and word contradict each other")
    return value


def _decisive(text: str, standing: Sequence[_Number]) -> list[_Number]:
    """Return the numbers that the reply declares, begins with, or ends with on their own line."""
    declared = [n for n in standing if n.declared]
    first = [n for n in standing[:1] if n.start <= 80 and _FILLER.match(text[: n.start])]
    before = {n.value for n in standing if declared and n.start < declared[0].start}
    if len(before) > 1:  # the options are gone through before one is declared
        first = []
    last_line = text.rstrip().rpartition("\n")
    last = [
        n
        for n in standing[-1:]
        if last_line[1]
        and n.start >= len(last_line[0])
        and re.fullmatch(r"\W*\d+\W*", last_line[2])
    ]
    return [n for n in standing if n in declared or n in first or n in last]


def _named_alone(text: str, standing: Sequence[_Number]) -> list[_Number]:
    """Return the numbers that are named as options, or that something is said to be."""
    return [
        n
        for n in standing
        if n.named
        or (
            _IS_BEFORE.search(text[max(0, n.start - 80) : n.start])
            and not _COUNTS.search(text[max(0, n.start - 80) : n.start])
        )
    ]


def _why_not(
    decisive: Sequence[_Number], standing: Sequence[_Number], numbers: Sequence[_Number]
) -> Unclear:
    ruled_out = [n for n in standing if n.ruled_out]
    if len({n.value for n in standing if n.value is not None}) > 1 or len(decisive) > 1:
        return _several(standing)
    if ruled_out:
        return Unclear(f"rules {ruled_out[0].shown} out")
    outside = [n for n in numbers if n.value is None]
    if outside:
        return _not_an_option(outside[0])
    return Unclear("not clear which option is meant")


def _not_an_option(number: _Number) -> Unclear:
    return Unclear(f"{number.shown} is not the number of an option")


def _several(standing: Sequence[_Number]) -> Unclear:
    shown = list(dict.fromkeys(n.shown if n.value is None else str(n.value) for n in standing))
    return Unclear(f"several numbers: {', '.join(shown[:5])}{', …' if len(shown) > 5 else ''}")


def _leaves_open(text: str, number: _Number, words: Sequence[str]) -> bool:
    """Return whether a number is followed by an alternative: "3, or something else"."""
    after = re.match(r"(?i)[\s)\]]*,?\s*\bor\b\s+(\w+)", text[number.end : number.end + 80])
    if not after or number.value is None:
        return False
    own = {str(number.value), "option", *(w.lower() for w in words[number.value - 1 :][:1])}
    return after[1].lower() not in own


def _joined(text: str, standing: Sequence[_Number], value: int) -> bool:
    """Return whether the number is one of several offered together: "3 or 4", "3, 4"."""
    for one, other in pairwise(standing):
        if one.value != other.value and value in (one.value, other.value):
            between = text[one.end : other.start]
            if len(between) < 40 and _JOINED.match(between):
                return True
    return False


def _others_stand(
    text: str, standing: Sequence[_Number], decisive: Sequence[_Number], value: int
) -> bool:
    """Return whether another number stands against the choice.

    What was weighed before an answer is declared does not; nor does what a sentence rules out.
    """
    settled = max((n.start for n in decisive if n.declared), default=-1)
    breaks = [m.end() for m in re.finditer(r"[.!?;](?=\s|\Z)|\n", text)]
    for other in standing:
        if other.value in (None, value) or other.start < settled or other.ruled_out:
            continue
        at = bisect_right(breaks, other.start)
        begin = breaks[at - 1] if at else 0
        end = breaks[at] if at < len(breaks) else len(text)
        if not _NEGATIVE.search(text[begin:end]):
            return True
    return False


def _contradicts(text: str, standing: Sequence[_Number], words: Sequence[str], value: int) -> bool:
    """Return whether the words that the reply uses speak for another option."""
    if any(n.value == value and n.label not in (None, value - 1) for n in standing):
        return True
    named: set[int] = set()
    for sentence in re.split(r"[.!?;\n]", text):
        found = {_index(m[1], words) for m in re.finditer(f"(?i){_either(tuple(words))}", sentence)}
        if value - 1 in found or not _NEGATIVE.search(sentence):
            named |= found
    return bool(named) and value - 1 not in named
