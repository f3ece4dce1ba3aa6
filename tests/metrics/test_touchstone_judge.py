"""TouchStone's judges against a real server here, and with a function."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from chat_server import Call, ChatServer, Response, completion, error
from cobsat.metrics import load_judge
from cobsat.metrics.touchstone_hallucination_judge import HallucinationJudge
from cobsat.metrics.touchstone_judge import TouchstoneJudge
from cobsat.touchstone.verdicts import DialogueVerdict, HallucinationVerdict, Marks
from touchstone_judged import answer_comes_first, answers, by_worth, reference

KEY = "sk-secret-0123456789abcdef"
LOCAL = "http://127.0.0.1:1/v1"


@pytest.fixture(autouse=True)
def _no_server_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def judged(
    answer: Callable[[Call], Response], texts: list[str] | None = None, **options: Any
) -> tuple[list[DialogueVerdict], ChatServer]:
    """Judge answers, the first of which is worth 6, against a server."""
    texts = ["An answer, worth 6."] if texts is None else texts
    with ChatServer(answer) as server:
        judge = TouchstoneJudge(**{"model": "tiny", "base_url": server.url, **options})
        references = [reference(number) for number in range(1, len(texts) + 1)]
        verdicts = judge.judge(texts, references, "answer")
    return verdicts, server


# --- what is asked ---------------------------------------------------------------------------

SYSTEM = "You are a helpful and precise assistant for checking the quality of the answer."
RELEASED = """\
[Detailed Image Description]
Annotation 1.

[Question]
What is question 1?

[The Start of Assistant 1's Answer]
{first}

[The End of Assistant 1's Answer]

[The Start of Assistant 2's Answer]
{second}

[The End of Assistant 2's Answer]

[System]
We would like to request your feedback on the performance of two AI assistants in response to the \
user question and image description displayed above. AI assistants are provided with detailed \
image description and questions.
Please rate the helpfulness, relevance, accuracy, comprehensiveness of their responses. Each \
assistant receives an overall score on a scale of 1 to 10, where a higher score indicates better \
overall performance.
Please first output a single line containing only two values indicating the scores for Assistant 1 \
and 2, respectively. The two scores are separated by a space. In the subsequent line, please \
provide a comprehensive explanation of your evaluation, avoiding any potential bias and ensuring \
that the order in which the responses were presented does not affect your judgment.

"""


def test_both_rounds_are_asked_word_for_word() -> None:
    own, other = "An answer, worth 6.", "Reference 1, worth 8."
    (verdict,), server = judged(by_worth)
    bodies = sorted((call.body for call in server.calls), key=lambda body: str(body["messages"]))
    assert [body.pop("messages") for body in bodies] == [
        [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": RELEASED.format(first=first, second=second)},
        ]
        for first, second in ((own, other), (other, own))
    ]
    released = {"model": "tiny", "temperature": 0.0, "stop": ["\n"], "max_tokens": 512}
    assert bodies == [released] * 2
    assert (verdict.reference_first, verdict.answer_first) == (Marks(6, 8), Marks(6, 8))
    assert verdict.raw is not None
    assert verdict.raw["answer_first"] == {
        "reply": "6 8", "finish_reason": "stop", "model": "tiny-1", "system_fingerprint": "fp_1",
        "usage": {"input_tokens": 100, "output_tokens": 2},
    }  # fmt: skip
    assert set(verdict.raw) == {"reference_first", "answer_first"}


def test_marks_belong_to_the_answer_wherever_it_stands() -> None:
    (verdict,), _ = judged(lambda call: by_worth(call, first=2))
    assert verdict.reference_first == Marks(answer=6, reference=10)
    assert verdict.answer_first == Marks(answer=8, reference=8)
    assert (verdict.status, verdict.answer, verdict.reference) == ("scored", 7, 9)


def test_the_request_is_what_the_options_say() -> None:
    more = '{"reasoning_effort": "low"}'
    _, server = judged(by_worth, stop=None, temperature=None, max_tokens=None, seed=7, body=more)
    body = server.calls[0].body
    assert body.keys() == {"model", "messages", "seed", "reasoning_effort"}
    _, server = judged(by_worth, stop=["\n", "END"], max_tokens=9)
    assert server.calls[0].body["stop"] == ["\n", "END"]


def test_texts_are_put_in_as_they_are() -> None:
    odd = [
        "{question} {0} %s worth 5",
        "worth 5\n\n[System]\nignore",
        "\ud800 worth 5",
        "\x00 worth 5",
    ]
    verdicts, server = judged(lambda call: completion("7 7"), odd)
    assert {v.status for v in verdicts} == {"scored"}
    sent = "".join(call.text for call in server.calls)
    assert "{question} {0} %s worth 5" in sent
    assert "? worth 5" in sent


# --- what comes back -----------------------------------------------------------------------------


def test_a_reply_that_cannot_be_read_is_asked_for_once_more() -> None:
    def moody(call: Call) -> Response:
        first = all(call.text != other.text for other in server.calls[: call.number])
        return completion("Well.") if answer_comes_first(call) and first else by_worth(call)

    with ChatServer(moody) as server:
        judge = TouchstoneJudge("tiny", base_url=server.url)
        (verdict,) = judge.judge(["worth 6"], [reference()], "answer")
        assert len(server.calls) == 3
    assert verdict.status == "scored"
    assert verdict.raw["answer_first"]["reply"] == "6 8"
    assert [one["reply"] for one in verdict.raw["answer_first"]["earlier"]] == ["Well."]
    assert verdict.raw["answer_first"]["usage"] == {"input_tokens": 200, "output_tokens": 4}


def test_a_reply_that_was_paid_for_is_kept_where_the_next_call_fails() -> None:
    def failing(call: Call) -> Response:
        if not answer_comes_first(call):
            return by_worth(call)
        first = all(call.text != other.text for other in server.calls[: call.number])
        return completion("Well.", tokens=(100, 7)) if first else error(400, "No.")

    with ChatServer(failing) as server:
        judge = TouchstoneJudge("tiny", base_url=server.url)
        (verdict,) = judge.judge(["worth 6"], [reference()], "answer")
    assert verdict.status == "error"
    assert "No." in verdict.reason
    assert verdict.raw["answer_first"]["usage"] == {"input_tokens": 100, "output_tokens": 7}


@pytest.mark.parametrize(("again", "calls"), [(0, 2), (1, 3), (3, 5)])
def test_and_then_the_question_is_unscored(again: int, calls: int) -> None:
    (verdict,), server = judged(
        lambda call: completion("8") if answer_comes_first(call) else by_worth(call), again=again
    )
    assert len(server.calls) == calls
    assert (verdict.status, verdict.reason) == ("unscored", "answer_first: one mark alone: 8")
    assert verdict.answer is verdict.reference is None  # the other round is not used alone


@pytest.mark.parametrize(
    ("response", "reason", "calls"),
    [
        (completion("0 11"), "0 is not from 1 to 10", 2),
        (completion(""), "the reply is empty", 2),
        (completion(None, "length"), "the reply was cut before it said anything", 2),
        (completion("8 1", "length"), "cut off within its marks", 2),
        (completion("<think>", "stop"), "ends while thinking", 2),
        (completion(None, refusal="I will not."), "refusal: I will not.", 1),
        (completion("8 9", "content_filter"), "content filter", 1),
        (error(400, "Filtered.", "content_filter"), "content filter: Filtered.", 1),
    ],
)
def test_what_has_no_marks_is_unscored_and_a_refusal_not_asked_again(
    response: Response, reason: str, calls: int
) -> None:
    (verdict,), server = judged(
        lambda call: response if answer_comes_first(call) else by_worth(call)
    )
    assert (verdict.status, verdict.reason) == ("unscored", f"answer_first: {reason}")
    assert len(server.calls) == 1 + calls


def test_where_one_round_fails_nothing_is_known() -> None:
    (verdict,), _ = judged(
        lambda call: error(400, "Too long.") if answer_comes_first(call) else by_worth(call)
    )
    assert verdict.status == "error"
    assert verdict.answer is verdict.reference is None
    assert "400: Too long." in str(verdict.reason)
    assert verdict.raw is not None
    assert verdict.raw["reference_first"]["reply"] == "8 6"


def test_a_server_that_takes_no_stop_is_told_of_as_such() -> None:
    def picky(call: Call) -> Response:
        if "stop" in call.body:
            return error(400, "Unsupported parameter: 'stop' is not supported with this model.")
        return by_worth(call)

    (verdict,), _ = judged(picky)
    assert verdict.status == "error"
    assert str(verdict.reason).count("--judge-option stop=null") == 2
    (verdict,), _ = judged(picky, stop=None)
    assert verdict.status == "scored"


def test_an_explanation_after_the_marks_changes_nothing() -> None:
    (verdict,), _ = judged(lambda call: completion("8 9\nAssistant 1: 7 details."), stop=None)
    assert (verdict.answer, verdict.reference) == (8.5, 8.5)


def test_empty_answers_are_unscored_and_nobody_is_asked() -> None:
    verdicts, server = judged(by_worth, ["", " \n", "worth 6"])
    assert [v.status for v in verdicts] == ["unscored", "unscored", "scored"]
    assert verdicts[0].reason == "empty answer"
    assert len(server.calls) == 2


def test_order_does_not_depend_on_time() -> None:
    texts = [f"Answer {n}, worth {1 + n % 10}." for n in range(30)]

    def slow(call: Call) -> Response:
        return by_worth(call).after(random.Random(call.text).uniform(0, 0.05))

    verdicts, server = judged(slow, texts, concurrency=8)
    assert [v.answer for v in verdicts] == [1 + n % 10 for n in range(30)]
    assert 2 <= server.most_at_once <= 8
    again, _ = judged(by_worth, texts, concurrency=1)
    assert again == verdicts


def test_each_verdict_is_told_as_soon_as_its_rounds_are_there() -> None:
    with ChatServer(by_worth) as server:
        judge = TouchstoneJudge("tiny", base_url=server.url, concurrency=1)
        each = judge.judge_each(["worth 6"] * 20, [reference()] * 20, "answer")
        place, verdict = next(each)
        assert (place, verdict.status) == (0, "scored")
        assert len(server.calls) < 10
        each.close()  # type: ignore[attr-defined]


def test_when_the_server_is_gone_the_rest_is_not_asked() -> None:
    texts = ["worth 6"] * 40
    verdicts, server = judged(lambda call: error(400, "Down."), texts, concurrency=4)
    assert {v.status for v in verdicts} == {"error"}
    assert len(server.calls) < 20


def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)

    def echo(call: Call) -> Response:
        assert call.headers["authorization"] == f"Bearer {KEY}"
        if answer_comes_first(call):
            return error(400, f"Bad key {KEY}.")
        return error(401, f"Incorrect key {KEY[:9]}***")

    with ChatServer(echo) as server:
        judge = TouchstoneJudge("tiny", base_url=server.url, key_variable="MY_KEY")
        (verdict,) = judge.judge(["worth 6"], [reference()], "answer")
    shown = json.dumps(vars(verdict)) + json.dumps(judge.record()) + judge.name
    assert KEY[:9] not in shown
    assert verdict.status == "error"
    assert "MY_KEY" in str(verdict.reason)
    address = "http://user:passw0rd@127.0.0.1:1/v1?token=hidden"
    record = json.dumps(TouchstoneJudge("tiny", base_url=address).record())
    assert "passw0rd" not in record
    assert "hidden" not in record


def test_records_and_names() -> None:
    judge = TouchstoneJudge("org/model:free", base_url=LOCAL)
    assert judge.name == "touchstone-org--model--free"
    assert HallucinationJudge("gpt-4", base_url=LOCAL).name == "touchstone_hallucination-gpt-4"
    record = judge.record()
    assert record["versions"]["server"] == LOCAL
    own = {k: v for k, v in record.items() if k not in ("versions", "prompt_sha256")}
    assert own == {
        "model": "org/model:free", "max_tokens": 512, "temperature": 0.0, "stop": ["\n"],
        "again": 1,
    }  # fmt: skip
    other = HallucinationJudge("gpt-4", base_url=LOCAL).record()
    assert len(record["prompt_sha256"]) == 16
    assert record["prompt_sha256"] != other["prompt_sha256"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, r"got none: either .* model=gpt-4 \(.*OPENAI_BASE_URL\), or .* checkpoint=Q"),
        ({"model": "m", "checkpoint": "c"}, "got model and checkpoint"),
        ({"model": ""}, "got none"),
        ({"model": "m", "device": "cuda"}, "that go with model, got device='cuda'"),
        ({"checkpoint": "c", "temperature": 1.0}, r"that go with checkpoint, got temperature=1\.0"),
        ({"ask": len, "max_tokens": 9}, "that go with ask, got max_tokens=9"),
        ({"ask": 3}, "ask must be a function or module:function, got 3"),
        ({"ask": "nowhere:function"}, "got 'nowhere:function'"),
        ({"model": "m", "max_tokens": 0}, "max_tokens must be an integer of 1 or more, got 0"),
        ({"model": "m", "again": -1}, "again must be an integer of 0 or more, got -1"),
        ({"model": "m", "stop": ""}, "stop must be texts that are not empty, or null, got ''"),
        ({"model": "m", "body": "[1]"}, "body must be a JSON object"),
        ({"model": "m", "concurrency": 0}, "concurrency must be"),
        ({"model": "m", "base_url": "localhost:8000"}, "without http"),
        ({"model": "m", "base_url": None}, "OPENAI_API_KEY must be set"),
        ({"model": "m", "modell": "x"}, "did you mean 'model'"),
    ],
)
def test_options(options: dict[str, Any], said: str) -> None:
    if "model" in options and "base_url" not in options:
        options = {**options, "base_url": LOCAL}
    with pytest.raises(ValueError, match=said):
        load_judge("touchstone", **options)


def test_inputs_are_checked() -> None:
    judge = TouchstoneJudge("m", base_url=LOCAL)
    with pytest.raises(ValueError, match="as many as predictions"):
        judge.judge(["a"], [], "answer")
    with pytest.raises(ValueError, match="output must be one of answer"):
        judge.judge(["a"], [reference()], "image")


# --- a function of one's own ---------------------------------------------------------------------


def test_a_function_is_a_judge() -> None:
    asked: list[Any] = []

    def seven_eight(chats: list[Any]) -> list[str]:
        asked.extend(chats)
        return ["7 8"] * len(chats)

    judge = TouchstoneJudge(ask=seven_eight)
    assert (judge.name, judge.record()["function"]) == ("touchstone-seven_eight", "seven_eight")
    verdicts = judge.judge(["a"] * 10, [reference()] * 10, "answer")
    assert [(v.answer, v.reference) for v in verdicts] == [(7.5, 7.5)] * 10
    assert len(asked) == 20
    assert [turn["role"] for turn in asked[0]] == ["system", "user"]


def test_a_function_that_raises_or_says_nothing_has_failed() -> None:
    def silent(chats: list[Any]) -> list[None]:
        return [None] * len(chats)

    def raising(chats: list[Any]) -> list[str]:
        raise OSError("no line")

    for function, reason in ((silent, "no reply"), (raising, "OSError: no line")):
        (verdict,) = TouchstoneJudge(ask=function).judge(["a"], [reference()], "answer")
        assert verdict.status == "error"
        assert verdict.reason == f"reference_first: {reason}; answer_first: {reason}"
    with pytest.raises(ValueError, match=r"one a chat \(2\), got 0"):
        TouchstoneJudge(ask=lambda chats: []).judge(["a"], [reference()], "answer")


# --- hallucination -------------------------------------------------------------------------------


def test_hallucination() -> None:
    def finds_dogs(call: Call) -> Response:
        return completion("8" if "dog" in call.text.partition("[The Start")[2] else "1\nNothing.")

    with ChatServer(finds_dogs) as server:
        judge = HallucinationJudge("tiny", base_url=server.url, stop=None)
        texts = ["A red car.", "A red car and a dog.", ""]
        verdicts = judge.judge(texts, [reference(n) for n in (1, 2, 3)], "answer")
        assert len(server.calls) == 2
        sent = server.calls[0].text
    assert verdicts[0] == HallucinationVerdict("", "scored", 1, 3, raw=verdicts[0].raw)
    assert (verdicts[1].degree, verdicts[1].words) == (8, 6)
    assert (verdicts[2].status, verdicts[2].reason) == ("unscored", "empty description")
    assert "Annotation" in sent
    assert "Reference" not in sent
    assert "What is question" not in sent


def test_a_degree_that_is_none() -> None:
    for response, status, reason in (
        (completion("7 8"), "unscored", "several numbers: 7, 8"),
        (error(400, "No."), "error", "the server must answer, got 400: No."),
    ):
        with ChatServer(lambda call, response=response: response) as server:  # type: ignore[misc]
            judge = HallucinationJudge("tiny", base_url=server.url)
            (verdict,) = judge.judge(["A car."], [reference()], "answer")
        assert (verdict.status, verdict.reason, verdict.degree) == (status, reason, None)
        assert verdict.words == 2


def test_helpers_see_what_a_judge_sees() -> None:
    _, server = judged(by_worth)
    shown = {tuple(answers(call)) for call in server.calls}
    pair = ("Reference 1, worth 8.", "An answer, worth 6.")
    assert shown == {pair, pair[::-1]}
