"""Replies of TouchStone's judges: what a careful person reads in them, and what nobody can."""
# ruff: noqa: E501, RUF001  (tables of replies, as they come)

from __future__ import annotations

import random
from typing import Any

import pytest
from cobsat.metrics.replies import Unclear
from cobsat.metrics.touchstone_replies import read_degree, read_marks

EIGHT_NINE = [
    # as it is asked for
    "8 9", " 8 9 ", "8 9\n", "\n8 9", "\r\n8 9\r\n", "8  9", "8\t9", "8 9.", "8 9\nBoth are right.",
    "8 9\n\nAssistant 1 names 3 cars, Assistant 2 names 4 of 5 (80%).",
    "8 9\nAssistant 1: 7 details.\n1. 3 cars\n2. 4 dogs",
    "8.0 9.0", "8.00 9", "08 09",
    # other things between them
    "8, 9", "8,9", "8 , 9", "8;9", "8 | 9", "8|9", "| 8 | 9 |", "8 & 9", "8 and 9", "8 vs 9",
    "8 versus 9.", "(8, 9)", "[8, 9]", "(8) (9)", "{8, 9}", "<8> <9>", "8\n9", "8\n\n9\n",
    # spaces, digits and marks of other alphabets
    "8\u00a09", "8\u20039", "8\u30009", "8\u202f9", "\u200b8 9\ufeff", "８ ９", "8，9", "٨ ٩",
    # out of ten
    "8/10 9/10", "8/10, 9/10", "8/10,9/10", "8 / 10 and 9 / 10", "8 out of 10 and 9 out of 10",
    "8 out of 10, 9 out of 10.", "8 of 10 9 of 10", "8/10.0 9/10.0", "8 points 9 points",
    "8 pts, 9 pts", "Scores (1-10): 8 9", "Scores (out of 10): 8 9", "On a scale of 1 to 10: 8 9",
    "8 9 (out of 10)", "8 9 on a scale from 1 to 10",
    # markup
    "**8** **9**", "**8 9**", "__8__ __9__", "`8 9`", "*8*, *9*", "# 8 9", "> 8 9", "- 8 9", "$8$ $9$",
    "\\boxed{8 9}", "$\\boxed{8, 9}$", "8 9</s>", "8 9<|im_end|>", "<answer>8 9</answer>", "\"8 9\"",
    "```\n8 9\n```", "'8' '9'",
    # words that go with marks
    "Scores: 8 9", "Scores: 8 and 9", "Score: 8/10, 9/10", "The scores are 8 and 9.",
    "Sure! The scores are: 8, 9", "Ratings: 8 | 9", "I would give them 8 and 9, respectively.",
    "My rating is 8 and 9.", "Overall scores:8 9", "Final scores: **8** and **9**", "eight nine",
    "Eight and nine.", "Here are the scores for Assistant 1 and 2:\n8 9",
    "Scores for Assistant 1 and Assistant 2, respectively:\n8 9",
    "Assistant 1 and Assistant 2: 8 and 9", "Assistants 1 & 2: 8, 9", "Assistant 1/2: 8 9",
    # an explanation on the same line
    "8 9 Both answers are right.", "8 9. Assistant 1 is right in 3 of 4.", "8, 9: both see the car",
    "8 9 - both see 2 cars", "8 9 (Assistant 2 sees 3 cars)", "8 9; neither is wrong",
    # names
    "Assistant 1: 8, Assistant 2: 9", "Assistant 1: 8\nAssistant 2: 9", "Assistant 1:8 Assistant 2:9",
    "Assistant 1 - 8, Assistant 2 - 9", "Assistant 1 = 8; Assistant 2 = 9", "Assistant 1: **8**/10\n"
    "Assistant 2: **9**/10", "**Assistant 1**: 8\n**Assistant 2**: 9", "ASSISTANT 1: 8 ASSISTANT 2: 9",
    "Assistant 2: 9\nAssistant 1: 8", "Assistant 2: 9, Assistant 1: 8", "Assistants 2 and 1: 9 8",
    "Assistant #1: 8, Assistant #2: 9", "Assistant No. 1: 8, Assistant No. 2: 9",
    "Assistant one: 8; assistant two: 9", "Assistant A: 8, Assistant B: 9",
    "AI Assistant 1: 8, AI Assistant 2: 9", "Answer 1: 8, Answer 2: 9", "Response 2: 9. Response 1: 8",
    "#1: 8, #2: 9", "1. 8\n2. 9", "1) 8\n2) 9", "1) 8 2) 9", "(1) 8 (2) 9", "1: 8\n2: 9", "2. 9\n1. 8",
    "- Assistant 1: 8\n- Assistant 2: 9", "* Assistant 1 - 8/10\n* Assistant 2 - 9/10",
    "First: 8, second: 9", "The second assistant: 9; the first assistant: 8",
    "The first answer: 8, the second answer: 9", "Assistant 1's score: 8\nAssistant 2's score: 9",
    "Assistant 1's score is 8. Assistant 2's score is 9.", "Score 1: 8, Score 2: 9",
    "Assistant 1 receives 8 and Assistant 2 receives 9.",
    "I would rate Assistant 1 an 8 and Assistant 2 a 9.", "8 for Assistant 1, 9 for Assistant 2",
    "9 for Assistant 2 and 8 for Assistant 1", "8 (Assistant 1), 9 (Assistant 2)",
    "Assistant 1 (8) is worse than Assistant 2 (9).", "助手1：8分，助手2：9分", "助手 2：9，助手 1：8",
    "Assistant 1 gets an 8 because it names 3 cars; Assistant 2 gets 9.",
    "Assistant 1: 8\nAssistant 2: 9\n\nAssistant 1 says that there are 3 cars.",
    # tables and JSON
    "| Assistant 1 | Assistant 2 |\n|---|---|\n| 8 | 9 |",
    "| Assistant 2 | Assistant 1 |\n|---|---|\n| 9 | 8 |",
    "| Assistant 1 | 8 |\n| Assistant 2 | 9 |", '{"assistant_1": 8, "assistant_2": 9}',
    '{\n  "assistant_2": 9,\n  "assistant_1": 8\n}', '```json\n{"assistant_1": 8, "assistant_2": 9}\n```',
    '{"score1": 8, "score2": 9}', '{"1": 8, "2": 9}', '{"scores": [8, 9]}', "scores = [8, 9]",
    "<assistant_1>8</assistant_1> <assistant_2>9</assistant_2>",
    "<assistant_2>9</assistant_2>\n<assistant_1>8</assistant_1>", "<score_1>8</score_1><score_2>9</score_2>",
    # thought before marks
    "<think>Perhaps 3 4, or 7 7.</think>8 9", "<think>\n5 5\n</think>\n\n8 9\nBoth are good.",
    "Both see the car. The first misses 2 dogs.\n\nFinal scores: 8 9",
    "Assistant 2 is better: it counts 3 cars.\n8 9", "Let me think.\n\n8 9",
]  # fmt: skip

OTHERS: list[tuple[str, tuple[float, float]]] = [
    ("8.5 9", (8.5, 9)),
    ("7.25, 9.75", (7.25, 9.75)),
    ("8.5/10 9.5/10", (8.5, 9.5)),
    ("10 10", (10, 10)),
    ("10/10 9/10", (10, 9)),
    ("10/10, 10/10", (10, 10)),
    ("1 1", (1, 1)),
    ("1 2", (1, 2)),
    ("2 1", (2, 1)),
    ("2, 1", (2, 1)),
    ("(1) (2)", (1, 2)),
    ("1 10", (1, 10)),
    ("10 1", (10, 1)),
    ("10.0 1.0", (10, 1)),
    ("Assistant 1: 1, Assistant 2: 2", (1, 2)),
    ("Assistant 2: 1, Assistant 1: 2", (2, 1)),
    ("1. 2\n2. 1", (2, 1)),
    ("Assistant 1: 10/10\nAssistant 2: 1/10", (10, 1)),
    ("5.5 | 6.5", (5.5, 6.5)),
]

UNREADABLE = [
    # nothing there
    ("", "empty reply"),
    (" \n\t ", "empty reply"),
    ("...", "empty reply"),
    ("I cannot rate them.", "no mark"),
    ("Assistant 1 is better than Assistant 2.", "no mark"),
    ("<think>8 9", "ends while thinking"),
    ("N/A", "no mark"),
    # one
    ("8", "one mark alone: 8"),
    ("8/10", "one mark alone: 8"),
    ("Assistant 1: 8", "one mark alone: 8"),
    ("Score: 9", "one mark alone: 9"),
    ("10/10", "one mark alone: 10"),
    ("Assistant 1: 8, Assistant 2: N/A", "one mark alone: 8"),
    # three
    ("8 9 7", "more than two marks: 8, 9, 7"),
    ("8, 9, and 7", "more than two marks: 8, 9, 7"),
    ("8 9 8 9", "more than two marks: 8, 9, 8, 9"),
    ("Scores: 8 9 10", "more than two marks: 8, 9, 10"),
    ("8\n9\n7", "not clear which marks are meant"),
    # outside the scale
    ("0 5", "0 is not from 1 to 10"),
    ("5 0", "0 is not from 1 to 10"),
    ("11 5", "11 is not from 1 to 10"),
    ("8 10.5", "10.5 is not from 1 to 10"),
    ("0.5 9", "0.5 is not from 1 to 10"),
    ("-8 9", "-8 is not from 1 to 10"),
    ("85 90", "85 is not from 1 to 10"),
    ("Assistant 1: -8, Assistant 2: 9", "-8 is not from 1 to 10"),
    ("Assistant 1: 80, Assistant 2: 9", "80 is not from 1 to 10"),
    ("0/10 9/10", "0 is not from 1 to 10"),
    # ranges, and what is no mark
    ("8-9", "a range in place of a mark: 8-9"),
    ("8 - 9", "a range in place of a mark: 8 - 9"),
    ("8–9", "a range in place of a mark: 8-9"),
    ("8 to 9", "a range in place of a mark: 8 to 9"),
    ("8 or 9", "a range in place of a mark: 8 or 9"),
    ("8 -9", "a range in place of a mark: 8 -9"),
    ("7-8 9-10", "a range in place of a mark: 7-8"),
    ("7-8, 9", "a range in place of a mark: 7-8"),
    ("Assistant 1: 7-8, Assistant 2: 9", "a range in place of a mark: 7-8"),
    ("8/9", "8/9 is not out of 10"),
    ("8/5 9/5", "8/5 is not out of 10"),
    ("80/100 90/100", "80/100 is not out of 10"),
    ("8% 9%", None),
    ("~8 9", None),
    (">8 >9", None),
    ("8+ 9+", None),
    ("8? 9?", None),
    ("8:9", None),
    ("8,5 9", None),
    ("8th 9th", None),
    ("v8 v9", None),
    ("8a 9b", None),
    ("8e1 9", None),
    ("89", None),
    # numbers that are about something else
    ("The image shows 2 dogs and 3 cats.", None),
    ("8, 9 and 7 are all fine", None),
    ("2 cars, 3 dogs", None),
    ("There are 8 cars. There are 9 dogs.", None),
    ("Assistant 1 names 3 cars and Assistant 2 names 4.", None),
    ("I give 8 to one of them and cannot rate the other: 9 words.", None),
    # against itself
    ("Assistant 1: 8\nAssistant 2: 9\n\nIn the end, Assistant 1: 7", "several pairs of marks: 7 9, 8 9"),
    ("Both are good.\nScores: 8 9\nScores: 7 9", None),
    ("Assistant 1: 8, Assistant 1: 9", None),
    ("Assistant 1: 8 or Assistant 2: 9?", None),
]  # fmt: skip


@pytest.mark.parametrize("reply", EIGHT_NINE)
def test_what_says_eight_and_nine(reply: str) -> None:
    assert read_marks(reply) == (8.0, 9.0)


@pytest.mark.parametrize(("reply", "marks"), OTHERS)
def test_other_marks(reply: str, marks: tuple[float, float]) -> None:
    assert read_marks(reply) == marks


@pytest.mark.parametrize(("reply", "reason"), UNREADABLE)
def test_what_has_no_two_marks_is_a_reason(reply: str, reason: str | None) -> None:
    read = read_marks(reply)
    assert isinstance(read, Unclear), read
    assert read.reason
    assert reason in (None, read.reason)


def test_there_are_many_cases() -> None:
    assert len({*EIGHT_NINE, *(r for r, _ in OTHERS), *(r for r, _ in UNREADABLE)}) >= 220


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("8 1", Unclear("cut off within its marks")),
        ("8 9", Unclear("cut off within its marks")),
        ("8 9\nBoth are", (8, 9)),
        ("8 9.", (8, 9)),
        ("Assistant 1: 8\nAssistant 2: 9", Unclear("cut off within its marks")),
        ("Assistant 1: 8/10\nAssistant 2: 9/10. It", (8, 9)),
    ],
)
def test_a_reply_that_was_cut(reply: str, read: Any) -> None:
    assert read_marks(reply, cut=True) == read


MARKS = [*map(float, range(1, 11)), 1.5, 4.25, 9.5]
FORMS = [
    "{a} {b}", "{a}, {b}", "{a}\t{b}", "{a}/10 {b}/10", "{a} | {b}", "**{a} {b}**", "Scores: {a} and {b}",
    "Assistant 1: {a}, Assistant 2: {b}", "Assistant 2: {b}\nAssistant 1: {a}", "1. {a}\n2. {b}",
    '{{"assistant_2": {b}, "assistant_1": {a}}}', "{a} out of 10 and {b} out of 10",
    "Assistant 1 gets {a} and Assistant 2 gets {b}.", "{b} for Assistant 2, {a} for Assistant 1",
    "| Assistant 2 | Assistant 1 |\n|---|---|\n| {b} | {a} |",
]  # fmt: skip
ENDS = [
    "",
    "\n",
    "\nBoth are right.",
    "\n\nAssistant 1 has 3 of 4, and 7% more.",
    "\nIt is 1 to 10.",
]


def test_any_two_marks_in_any_form_are_read_with_whatever_explains_them() -> None:
    for form in FORMS:
        for a in MARKS:
            for b in MARKS:
                for end in ENDS:
                    reply = form.format(a=f"{a:g}", b=f"{b:g}") + end
                    assert read_marks(reply) == (a, b), reply


def test_whatever_comes_two_marks_of_the_scale_or_a_reason_is_read() -> None:
    draw = random.Random(7)
    pieces = [
        "8", "9", "10", "0", "-3", "8.5", "11", "/10", " ", "\n", ",", "-", "Assistant 1", "Assistant 2",
        ":", "(", ")", "|", "*", "score", "and", "the car", "%", "<think>", "</think>", "\ue001", "1.",
        "{", "}", "\\boxed", "２", "½", "\u200b", "of 10", "first", "second", "#", "?", "。",
    ]  # fmt: skip
    for _ in range(4000):
        reply = "".join(draw.choices(pieces, k=draw.randrange(1, 14)))
        for read in (read_marks(reply), read_degree(reply)):
            if not isinstance(read, Unclear):
                marks = read if isinstance(read, tuple) else (read,)
                assert all(1 <= mark <= 10 for mark in marks), reply
            else:
                assert read.reason


def test_a_reply_without_end_is_read_at_once() -> None:
    for text in (
        "8 " * 50_000,
        "Assistant 1 " * 50_000,
        "((((" * 50_000,
        "8-" * 50_000,
        "a" * 200_000,
    ):
        assert isinstance(read_marks(text), Unclear)
        read_degree(text)
    assert read_marks("8 9\n" + "Both are right. " * 50_000) == (8, 9)


@pytest.mark.parametrize(
    ("reply", "degree"),
    [
        ("7", 7), (" 7\n", 7), ("7.", 7), ("7.5", 7.5), ("7/10", 7), ("7 / 10", 7), ("**7**", 7),
        ("7 out of 10", 7), ("Degree: 7", 7), ("Degree of hallucination: 7/10", 7), ("seven", 7),
        ("The degree of hallucination is 7.", 7), ("Score: 7", 7), ("10", 10), ("1", 1), ("10/10", 10),
        ("7\nIt names 3 dogs that are not there.", 7), ("７", 7), ("[7]", 7), ("\\boxed{7}", 7),
        ("7. The dog is not there.", 7), ("7 - the dog", 7), ("7 (a dog)", 7), ("7 The dog", 7),
        ("<think>9?</think>7", 7), ("It names 3 dogs.\nDegree: 7", 7), ("7 points", 7),
        ('{"degree": 7}', 7), ("The degree of hallucination is 7 because of 3 dogs.", 7),
        ("On a scale of 1 to 10: 7", 7),
    ],
)  # fmt: skip
def test_degrees(reply: str, degree: float) -> None:
    assert read_degree(reply) == degree


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty reply"), ("None.", "no number"), ("0", "0 is not from 1 to 10"),
        ("11", "11 is not from 1 to 10"), ("-1", "-1 is not from 1 to 10"), ("7 8", "several numbers: 7, 8"),
        ("7-8", "a range in place of a mark: 7-8"), ("7 to 8", "a range in place of a mark: 7 to 8"),
        ("70/100", "70/100 is not out of 10"), ("70%", None), ("3 dogs are named", None), ("7?", None),
        ("7,5", None), ("<think>7", "ends while thinking"), ("Degree: 7\nDegree: 8 is possible", 7),
        ("It names 3 dogs.\nDegree: 7\nDegree: 8", None), ("Between 7 and 8", None),
    ],
)  # fmt: skip
def test_what_has_no_one_degree_is_a_reason(reply: str, reason: Any) -> None:
    read = read_degree(reply)
    if isinstance(reason, int):  # the first line is what was asked for
        assert read == reason
        return
    assert isinstance(read, Unclear), read
    assert reason in (None, read.reason)


def test_a_degree_that_was_cut() -> None:
    assert read_degree("1", cut=True) == Unclear("cut off within its number")
    assert read_degree("7\nIt is", cut=True) == 7
