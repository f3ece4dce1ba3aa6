"""Reading a reply: a table of cases, written before the code was, and properties."""

from __future__ import annotations

import itertools

import pytest
from cobsat import THEMES
from cobsat.metrics.replies import Unclear, read_reply

OBJECTS = THEMES["color"].objects  # leaf hat cup chair car box book ball bag apple
ANIMALS = THEMES["action"].objects  # zebra tiger sheep pig monkey lion dog cow cat bird

READ_AS = [
    # reply, number
    ("3", 3),
    ("10", 10),
    (" 3", 3),
    ("3\n", 3),
    ("3.", 3),
    ("3!", 3),
    ("3)", 3),
    ("(3)", 3),
    ("[3]", 3),
    ("{3}", 3),
    ("<3>", 3),
    ('"3"', 3),
    ("'3'", 3),
    ("`3`", 3),
    ("#3", 3),
    ("No. 3", 3),
    ("№ 3", 3),
    ("- 3", 3),
    ("• 3", 3),
    ("* 3", 3),
    ("→ 3", 3),
    ("**3**", 3),
    ("__3__", 3),
    ("### 3", 3),
    ("\uff13", 3),  # full width
    ("\uff11\uff10", 10),
    ("\uff08\uff13\uff09", 3),
    ("\u2462", 3),  # circled
    ("3\ufe0f\u20e3", 3),  # keycap emoji
    ("\u0663", 3),  # Arabic-Indic
    ("\u096b", 5),  # Devanagari
    ("\u200b3\u200b", 3),
    ("\u00a03", 3),
    ("$3$", 3),
    (r"\boxed{3}", 3),
    (r"$\boxed{3}$", 3),
    (r"\boxed{\text{3}}", 3),
    (r"The object is held by a hand, so it is $\boxed{10}$.", 10),
    (r"\(3\)", 3),
    ("3</s>", 3),
    ("<s> 3</s>", 3),
    ("3<|im_end|>", 3),
    ("3<|eot_id|><|eot_id|>", 3),
    ("3</s></s></s>", 3),
    ("3<end_of_turn>\n", 3),
    ("3</s>USER: And 4?", 3),
    ("ASSISTANT: 3", 3),
    ("<answer>3</answer>", 3),
    ("<b>3</b>", 3),
    ("<think>It could be 2 or 4.</think>3", 3),
    ("<think>\nthe answer is 2\n</think>\n\nThe answer is (3).", 3),
    ("it could be 2 or 4</think>3", 3),
    ("[THINK]2?[/THINK]3", 3),
    ('{"answer": 3}', 3),
    ('{"answer": "3"}', 3),
    ('```json\n{"answer": 3}\n```', 3),
    ('{"answer": 3, "confidence": 0.92}', 3),
    ('{"reasoning": "It is round.", "choice": "(3)"}', 3),
    ("{'number': 3}", 3),
    ("Answer: 3", 3),
    ("ANSWER: (3)", 3),
    ("Answer:\n\n3", 3),
    ("Answer (3)", 3),
    ("Answer: option 3.", 3),
    ("**Answer:** 3", 3),
    ("**Answer**: (3)", 3),
    ("Final answer: 3", 3),
    ("The final answer is 3.", 3),
    ("The answer is 3", 3),
    ("The answer is (3)", 3),
    ("The answer is (3).", 3),
    ("The answer is: 3.", 3),
    ("The correct answer is option (3).", 3),
    ("The correct option is 3.", 3),
    ("The best choice would be 3.", 3),
    ("My answer would be number 3.", 3),
    ("Option 3", 3),
    ("option_3", 3),
    ("Option (3).", 3),
    ("Number 3", 3),
    ("Choice 3", 3),
    ("It is 3.", 3),
    ("It's 3.", 3),
    ("It\u2019s option (3).", 3),
    ("I think it is 3.", 3),
    ("I would choose 3.", 3),
    ("I'd go with option 3.", 3),
    ("I pick (3)", 3),
    ("3 is the answer.", 3),
    ("3 is the correct answer.", 3),
    ("(3) is correct.", 3),
    ("Option 3 is the best match.", 3),
    ("Maybe 3", 3),
    ("Probably 3.", 3),
    ("Sure! 3", 3),
    ("Sure, the answer is 3.", 3),
    ("So 3.", 3),
    ("3 hat", 3),  # when the options are not known, a word after the number is its label
    ("3. hat", 3),
    ("(3)hat", 3),
    ("3: hat", 3),
    ("3 - hat", 3),
    ("(3) because option (2) is not in the picture.", 3),
    ("3, because it has a handle", 3),
    ("3 because it has a handle", 3),
    ("3. Options 1 and 2 are wrong.", 3),
    ("(3), not (4).", 3),
    ("3. It has 2 handles.", 3),
    ("3\n\nExplanation: the picture shows 2 of them beside each other.", 3),
    ("The main object in this image is (3).", 3),
    ("The main object in this image is 3.", 3),
    ("There is a handle on it.\n\n3", 3),
    ("(1) is flat and (2) is soft. The answer is (3).", 3),
    ("Option 1: no. Option 2: no. Option 3: yes. So the answer is 3.", 3),
    ("3 3", 3),
    ("3\n3\n3", 3),
    ("(3) The answer is (3).", 3),
    ("three", 3),
    ("Three.", 3),
    ("Option three", 3),
    ("The answer is ten.", 10),
    ("The third option.", 3),
    ("the 3rd option", 3),
    ("The answer is probably 3", 3),
    ("The answer is most likely (3).", 3),
    ("A: 3", 3),
    ("Response: 3", 3),
    ("The answer is NOT (2), it is (3).", 3),
    ("It's not 2; it's 3.", 3),
    ("I would eliminate 1, 2 and 4. The answer is 3.", 3),
    ("Réponse : 3", 3),
    ("La réponse est (3).", 3),
    ("Antwort: 3", 3),
    ("Die Antwort ist 3.", 3),
    ("Respuesta: 3", 3),
    ("La respuesta es 3.", 3),
    ("Opción 3", 3),
    ("Risposta: 3", 3),
    ("Resposta: 3", 3),
    ("Ответ: 3", 3),
    ("答案\uff1a3", 3),
    ("答案是3。", 3),
    ("正确答案是\uff083\uff09", 3),
    ("选项3", 3),
    ("回答\uff1a3", 3),
    ("答えは3です", 3),
    ("정답: 3", 3),
    ("정답은 3번입니다.", 3),
]

NOT_READ = [
    # reply, a part of the reason
    ("", "empty"),
    ("  \n ", "empty"),
    ("</s>", "empty"),
    ("...", "no number"),
    ("hat", "no number"),
    ("A cup on a table.", "no number"),
    ("C", "no number"),
    ("III", "no number"),
    ("31", "31"),
    ("11", "11"),
    ("0", "0"),
    ("03", "03"),
    ("100", "100"),
    ("1990", "1990"),
    ("3.5", "3.5"),
    ("3,5", "3,5"),
    ("-3", "-3"),
    ("\u22123", "-3"),
    ("+3", "+3"),
    ("1/2", "1/2"),
    ("\u00bd", "1/2"),
    ("3/10", "3/10"),
    ("10\u00b3", "10"),
    ("3:00", "3:00"),
    ("3%", "3%"),
    ("~3", "~3"),
    (">3", ">3"),
    ("$3", "$3"),
    ("3D", "3D"),
    ("A3", "A3"),
    ("a 3D cup", "3D"),
    ("mp3", "mp3"),
    ("x3", "x3"),
    ("The answer is 31.", "31"),
    ("The answer is 3.5.", "3.5"),
    ("1 or 2", "several"),
    ("3 or 4", "several"),
    ("(3) or (4)", "several"),
    ("3/4", "3/4"),
    ("3-4", "3-4"),
    ("3 4", "several"),
    ("3, 4", "several"),
    ("3 and 4", "several"),
    ("3 & 4", "several"),
    ("3\n4", "several"),
    ("1\n2\n3", "several"),
    ("1 2 3 4 5 6 7 8 9 10", "several"),
    ("Both 3 and 4", "several"),
    ("Either (3) or (4).", "several"),
    ("(1)leaf (2)hat (3)cup (4)chair", "several"),
    ("1. leaf\n2. hat\n3. cup", "several"),
    ("The answer is (3) or (4).", "several"),
    ("The answer is 3. No, the answer is 4.", "several"),
    ("3. Or maybe 4.", "several"),
    ("3, but it could also be 4", "several"),
    ("3, maybe 2", "several"),
    ("(3) and (2) are both there.", "several"),
    ("2. Wait, the answer is 3.", "several"),
    (r"\boxed{3} \boxed{4}", "several"),
    ('{"answer": [3, 4]}', "several"),
    ('{"object": 3, "attribute": 5}', "several"),
    ("Option 3 or option 4", "several"),
    ("not 3", "rules"),
    ("Not (3).", "rules"),
    ("The answer is not 3.", "rules"),
    ("It isn't 3.", "rules"),
    ("It isn\u2019t option 3.", "rules"),
    ("3 is not the answer.", "rules"),
    ("(3) is wrong.", "rules"),
    ("Option 3 is incorrect.", "rules"),
    ("anything but 3", "rules"),
    ("All except 3", "rules"),
    ("neither", "declines"),
    ("Neither 3 nor 4.", "declines"),
    ("none", "declines"),
    ("None of these", "declines"),
    ("none of the above (3)", "declines"),
    ("None of the 10 options.", "declines"),
    ("I'm sorry, but I can't help with that.", "declines"),
    ("I cannot determine the main object. 1", "declines"),
    ("Unable to answer: 3 options match.", "declines"),
    ("As an AI, I cannot see images. (e.g., 1)", "declines"),
    ("There is no image. 3", "declines"),
    ("The object is not among the options, 3 comes close.", "declines"),
    ("I don't know, 3", "declines"),
    ("N/A", "no number"),
    ("<think>The answer is 3", "thinking"),
    ("<think>3</think>", "empty"),
    ("3 cups", "clear"),  # a count, as far as one can tell without the options
    ("3 objects are visible", "clear"),
    ("There are 3 of them.", "clear"),
    ("There are 3 cups in this image.", "clear"),
    ("I see 2 handles.", "clear"),
    ("The number of cups is 3.", "clear"),
    ("3 out of 10", "clear"),
    ("3 of the options", "clear"),
    ("3?", "clear"),
    ("Is it 3?", "clear"),
    ("The picture was made with 3 colors", "clear"),
    ("A cup (see figure 3)", "clear"),
    ("Answer the number only and do not include any other texts (e.g., 1).", "clear"),
    ("Step 1", "clear"),
    ("3, or something else", "clear"),
    ("3 or another one", "clear"),
    ("The answer is not 3. The answer is 3.", "rules"),
    ("Score: 3", "clear"),
    ("Rating: 3/10", "3/10"),
    ("From 1 to 10: 3", "several"),
    ("The answer is (1)0", "several"),
]

WITH_WORDS = [
    # reply, number or part of a reason
    ("3 cup", 3),
    ("3 Cup.", 3),
    ("3. cup", 3),
    ("(3)cup", 3),
    ("(3) a cup", 3),
    ("3: the cup", 3),
    ("3 - cup", 3),
    ("3 (cup)", 3),
    ("3 = cup", 3),
    ("3cup", 3),
    ("3 cups", 3),
    ("(3) cup.</s>", 3),
    ("cup (3)", 3),
    ("Cup, 3", 3),
    ("The main object in this image is a cup (3).", 3),
    ("The main object is a cup, so the answer is 3.", 3),
    ("3. The cup stands on a book.", 3),
    ("(3) cup, because there is no hat.", 3),
    ("(3) because option (2) hat is not in the picture.", 3),
    ("(1)leaf (2)hat (3)cup. The answer is (3).", 3),
    ("10 apple", 10),
    ("cup", 3),
    ("A cup.", 3),
    ("**Cup**", 3),
    ("Cup</s>", 3),
    ("3 hat", "contradict"),
    ("3. hat", "contradict"),
    ("(3)hat", "contradict"),
    ("3 hats", "contradict"),
    ("3hat", "3hat"),
    ("hat (3)", "contradict"),
    ("(3) a hat", "contradict"),
    ("The main object is a hat. The answer is (3).", "contradict"),
    ("1 apple", "contradict"),
    ("1 apples", "contradict"),
    ("3 objects", "clear"),
    ("3 mugs", "clear"),
    ("cup or hat", "no number"),
    ("not a cup", "no number"),
    ("A cup on a table", "no number"),
    ("carpet", "no number"),
    ('{"answer": 3, "label": "cup"}', 3),
    ('{"answer": 3, "label": "hat"}', "contradict"),
]


def outcome(reply: str, words: tuple[str, ...] = ()) -> int | str:
    result = read_reply(reply, 10, words)
    return result.reason if isinstance(result, Unclear) else result


@pytest.mark.parametrize(("reply", "number"), READ_AS)
def test_a_choice(reply: str, number: int) -> None:
    assert outcome(reply) == number


@pytest.mark.parametrize(("reply", "reason"), NOT_READ)
def test_no_choice(reply: str, reason: str) -> None:
    result = outcome(reply)
    assert isinstance(result, str)
    assert reason in result


@pytest.mark.parametrize(("reply", "expected"), WITH_WORDS)
def test_with_the_options_words(reply: str, expected: int | str) -> None:
    result = outcome(reply, OBJECTS)
    if isinstance(expected, int):
        assert result == expected
    else:
        assert isinstance(result, str)
        assert expected in result


def test_the_table_is_a_table() -> None:
    replies = [reply for reply, *_ in (*READ_AS, *NOT_READ)]
    assert len(replies) == len(set(replies)) >= 60


@pytest.mark.parametrize(("reply", "reason"), NOT_READ)
def test_what_is_unclear_does_not_become_clear_by_knowing_the_words(
    reply: str, reason: str
) -> None:
    if reply not in ("3 cups", "hat", "C"):
        assert isinstance(outcome(reply, ANIMALS), str)


TEMPLATES = [
    "{}", "({})", "{}.", " {}", "{}\n", "**{}**", r"\boxed{{{}}}", "Option {}", "Answer: {}",
    "The answer is ({}).", '{{"answer": {}}}', "{}</s>", "<think>1 or 2</think>{}", "#{}",
    "It is {}.", "I choose {}.", "({}) is correct.", "答案\uff1a{}",
]  # fmt: skip


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_number_in_every_style(template: str) -> None:
    for number in range(1, 11):
        assert read_reply(template.format(number), 10) == number
    for other in (0, 11, 31, 1990):
        assert isinstance(read_reply(template.format(other), 10), Unclear)
    for count in range(1, 10):
        assert read_reply(template.format(count), count) == count
        assert isinstance(read_reply(template.format(count + 1), count), Unclear)


@pytest.mark.parametrize("template", ["{} or {}", "{}, {}", "({})/({})", "{} and {}", "{}\n{}",
                                      "Answer: {}\nAnswer: {}", "Option {} or {}"])  # fmt: skip
def test_two_numbers_are_none(template: str) -> None:
    for one, other in itertools.permutations(range(1, 11), 2):
        assert isinstance(read_reply(template.format(one, other), 10), Unclear)


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_number_and_word_have_to_agree(theme) -> None:
    for words in (theme.objects, theme.attributes):
        for template in ("{n} {w}", "({n}){w}", "({n}) {w}.", "{w} ({n})", "{n}. {w}", "{n}: {w}"):
            for n, (m, word) in itertools.product(range(1, 11), enumerate(words, start=1)):
                result = read_reply(template.format(n=n, w=word), 10, words)
                assert result == n if n == m else isinstance(result, Unclear)
        for n, word in enumerate(words, start=1):
            assert read_reply(word, 10, words) == n


def test_a_reply_that_was_cut_may_have_been_longer() -> None:
    assert read_reply("The answer is 1", 10) == 1
    assert isinstance(read_reply("The answer is 1", 10, cut=True), Unclear)
    assert read_reply("The answer is 1.", 10, cut=True) == 1
    assert read_reply("The answer is 3", 10, cut=True) == 3
    assert read_reply("The answer is 1", 9, cut=True) == 1
    assert isinstance(read_reply("<think>The answer is 1", 10, cut=True), Unclear)


def test_a_long_reply_is_read_in_no_time() -> None:
    for piece in ("3 or ", "(", "is not ", "<think>", "a1 ", "answer is ", " ", "<", "3 ", "-"):
        read_reply(piece * 4_000, 10, OBJECTS)
    assert read_reply("The cup stands there. " * 2_000 + "The answer is (3).", 10, OBJECTS) == 3


def test_count_has_to_be_a_count() -> None:
    with pytest.raises(ValueError, match="count must be at least 1, got 0"):
        read_reply("3", 0)
    with pytest.raises(ValueError, match="words must be as many as count"):
        read_reply("3", 10, ["cup"])
