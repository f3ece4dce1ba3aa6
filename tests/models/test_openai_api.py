"""Models behind an OpenAI-compatible server: what is sent, and what is made of replies."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from chat_server import CUT, HANG, Call, ChatServer, Response, as_json, completion, error
from cobsat import RunFolder
from cobsat.cli import main
from cobsat.models import load_model
from cobsat.models.predict import predict
from cobsat.models.seeds import example_seed
from openai_runs import (
    CONFIG,
    KEY,
    NUMBERS,
    model_at,
    rows,
    run,
    settings_for,
)

pytestmark = pytest.mark.usefixtures("openai_environment")


def test_text_and_pictures_are_sent_in_reading_order(picture_folder: Path, tmp_path: Path) -> None:
    _, server = run(lambda _: completion("a car"), picture_folder, tmp_path)
    [call] = server.calls
    example = rows(picture_folder)[0]
    assert call.path == "/v1/chat/completions"
    headers = {name.lower(): value for name, value in call.headers.items()}
    assert headers["authorization"] == f"Bearer {KEY}"
    shown = [part["type"] for part in call.parts]
    assert shown == ["text", "image_url", "text", "image_url", "text"]
    texts = [part["text"] for part in example["messages"][0]["content"] if part["text"]]
    assert [part["text"] for part in call.parts if part["type"] == "text"] == texts
    for (mime, data), demonstration in zip(call.pictures, example["demonstrations"], strict=True):
        assert mime == "image/png"
        assert data == Path(demonstration["image"]).read_bytes()
    assert {k: v for k, v in call.body.items() if k != "messages"} == {
        "model": "tiny", "max_tokens": 1024, "temperature": 0.0,
    }  # fmt: skip


def test_options_go_into_the_request_and_the_record(picture_folder: Path, tmp_path: Path) -> None:
    options = {
        "detail": "low", "max_tokens": 7, "temperature": None, "top_p": 0.5, "seed": 3,
        "body": '{"reasoning_effort": "low", "modalities": ["text"]}',
    }  # fmt: skip
    _, server = run(lambda _: completion("a car"), picture_folder, tmp_path, **options)
    body = server.calls[0].body
    urls = [part["image_url"] for part in server.calls[0].parts if part["type"] == "image_url"]
    assert [url["detail"] for url in urls] == ["low", "low"]
    del body["messages"]
    (prediction,) = RunFolder(tmp_path).predictions()[0].values()
    seed = example_seed(3, prediction.id) % 2**31  # its own, and kept
    assert prediction.extra is not None
    assert prediction.extra["seed"] == seed
    assert body == {
        "model": "tiny", "max_tokens": 7, "top_p": 0.5, "seed": seed, "reasoning_effort": "low",
        "modalities": ["text"],
    }  # fmt: skip
    record = RunFolder(tmp_path).settings().model_options["record"]
    assert record == {
        "name": "tiny", "model": "tiny", "max_tokens": 7, "top_p": 0.5, "seed": 3, "detail": "low",
        "body": {"reasoning_effort": "low", "modalities": ["text"]},
    }  # fmt: skip
    assert "openai" in RunFolder(tmp_path).settings().versions


def test_a_system_text_is_a_message_of_its_own(picture_folder: Path) -> None:
    with ChatServer(lambda _: completion("a car")) as server:
        [row] = rows(picture_folder, instructions_for="emu")[:1]
        model_at(server).predict([row])
    system, user = server.calls[0].body["messages"]
    assert system == {"role": "system", "content": row["messages"][0]["content"][0]["text"]}
    assert user["role"] == "user"


def test_what_a_reply_says_is_kept(picture_folder: Path, tmp_path: Path) -> None:
    details = {
        "prompt_tokens": 90, "completion_tokens": 8,
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    [got], _ = run(lambda _: completion("A red car.", usage=details), picture_folder, tmp_path)
    assert (got.status, got.text, got.finish_reason) == ("ok", "A red car.", "stop")
    assert got.usage == {"input_tokens": 90, "output_tokens": 8, "cached_tokens": 64}
    assert got.extra == {"model": "tiny-1", "system_fingerprint": "fp_1"}


EMPTY = "the reply is empty"
REPLIES: list[tuple[Response, str, str | None, str | None]] = [
    (completion("A red c", "length"), "ok", "A red c", None),
    (completion([{"type": "text", "text": "A red "}, {"type": "text", "text": "car."}]),  # type: ignore[arg-type]
     "ok", "A red car.", None),
    (completion(""), "error", None, EMPTY),
    (completion(None), "error", None, EMPTY),
    (completion(" \n"), "error", None, EMPTY),
    (completion(None, "length"), "error", None, "the reply was cut before it said anything"),
    (completion("A re", "content_filter"), "blocked", "A re", "content filter"),
    (completion(None, "content_filter: PROHIBITED_CONTENT"), "blocked", None, "content filter"),
    (completion(None, refusal="I can't."), "blocked", None, "refusal: I can't."),
    (completion("x", choices=[]), "error", None, "the server gave no choice"),
    (error(400, "flagged", "content_filter"), "blocked", None, "content filter: flagged"),
    (error(400, "flagged", None, "image_generation_safety_violation"), "blocked", None,
     "content filter: flagged"),
]  # fmt: skip


@pytest.mark.parametrize(("response", "status", "text", "reason"), REPLIES)
def test_no_reply_is_taken_for_an_answer_that_it_is_not(
    response: Response, status: str, text: str | None, reason: str | None,
    picture_folder: Path, tmp_path: Path,
) -> None:  # fmt: skip
    [got], server = run(lambda _: response, picture_folder, tmp_path)
    assert (got.status, got.text, got.reason) == (status, text, reason)
    assert len(server.calls) == 1


NOT_JSON = Response(body=b"{oops")
PAGE = Response(502, b"<html>Bad gateway</html>", {"Content-Type": "text/html"})


@pytest.mark.parametrize(
    "bad",
    [
        error(429, "slow down", retry_after="0"),
        error(500, "oops"),
        error(503, "busy", retry_after="0"),
        PAGE,
        NOT_JSON,
        CUT,
        as_json(["no", "object"]),
        as_json({"error": {"message": "upstream"}}),
        as_json({"choices": "none"}),
        as_json({"choices": [{"text": "no message"}]}),
        Response(body=b"hello", headers={"Content-Type": "text/plain"}),
    ],
)
def test_a_passing_fault_is_asked_again(
    bad: Response, picture_folder: Path, tmp_path: Path
) -> None:
    def answer(call: Call) -> Response:
        return bad if call.number == 0 else completion("a car")

    [got], server = run(answer, picture_folder, tmp_path)
    assert (got.status, got.text) == ("ok", "a car")
    assert len(server.calls) == 2
    assert server.calls[0].body == server.calls[1].body


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (error(429, "slow down", retry_after="0"), "the server must answer, got 429: slow down"),
        (error(500, "oops req_8fa0b1 again"), "the server must answer, got 500: oops … again"),
        (PAGE, "the server must answer, got 502: a page in place of a reason"),
        (CUT, "the server must be reachable, got no connection or a broken one: is it running"),
        (NOT_JSON, "the server must give JSON, got something else"),
        (as_json({"choices": "x"}), "the server must give a reply of the API, got one whose"),
        (
            as_json({"error": {"message": f"{KEY} req-12ab"}}),
            "the server must give a reply of the API, got an error in its place: … …",
        ),
    ],
)
def test_retries_end(bad: Response, reason: str, picture_folder: Path, tmp_path: Path) -> None:
    [got], server = run(lambda _: bad, picture_folder, tmp_path, retries=1)
    assert got.status == "error"
    assert got.reason is not None
    assert got.reason.startswith(f"CallError: {reason}")
    assert got.reason.endswith("(2 times)")
    assert len(server.calls) == 2


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (error(400, "no such parameter"), "the server must answer, got 400: no such parameter"),
        (error(401, KEY), "the server must accept the key in OPENAI_API_KEY, got 401"),
        (error(403, f"{KEY} may not"), "the server must answer, got 403: … may not"),
        (error(404, "no model"), "model and base_url must be the server's, got 404: no model"),
        (error(429, "pay", "insufficient_quota"), "the server must answer, got 429: pay"),
        (error(429, "tomorrow", retry_after="86400"), "the server must answer, got 429: tomorrow; "
         "it asks to wait 86400 s: try again after that"),
    ],
)  # fmt: skip
def test_what_will_not_pass_is_not_asked_again(
    bad: Response, reason: str, picture_folder: Path, tmp_path: Path
) -> None:
    [got], server = run(lambda _: bad, picture_folder, tmp_path)
    assert (got.status, got.reason) == ("error", f"CallError: {reason}")
    assert len(server.calls) == 1


def test_a_server_that_hangs_is_given_up_in_time(picture_folder: Path, tmp_path: Path) -> None:
    began = time.monotonic()
    [got], server = run(lambda _: HANG, picture_folder, tmp_path, timeout=0.2)
    assert got.reason == "CallError: the server must answer within 0.2 s, got nothing (3 times)"
    assert len(server.calls) <= 3  # on a busy machine it may not have come to read one in time
    assert time.monotonic() - began < 15


def test_a_reply_that_drips_is_given_up_too(picture_folder: Path, tmp_path: Path) -> None:
    def answer(call: Call) -> Response:
        slow = Response(body=completion("a car").body, drip=0.1)
        return slow if call.number == 0 else completion("a car")

    [got], server = run(answer, picture_folder, tmp_path, timeout=0.3)
    assert got.status == "ok"
    assert len(server.calls) == 2


def test_no_server_is_told_as_such(picture_folder: Path, tmp_path: Path) -> None:
    with ChatServer(lambda _: HANG) as server:
        model = model_at(server, retries=0)
    with pytest.raises(RuntimeError, match="the server must be reachable"):
        predict(model, settings_for(model, picture_folder, 3), tmp_path)
    assert RunFolder(tmp_path).predictions() == ({}, [])


def test_a_wrong_key_stops_the_run_and_leaves_nothing(picture_folder: Path, tmp_path: Path) -> None:
    with ChatServer(lambda _: error(401, "no")) as server:
        model = model_at(server)
        with pytest.raises(
            RuntimeError, match=r"for 20 examples in a row .*OPENAI_API_KEY, got 401"
        ):
            predict(model, settings_for(model, picture_folder, 100), tmp_path)
    assert len(server.calls) < 40
    assert RunFolder(tmp_path).predictions() == ({}, [])


def test_retry_after_is_honoured_by_all_calls(picture_folder: Path, tmp_path: Path) -> None:
    def answer(call: Call) -> Response:
        if call.number == 0:
            return error(429, "wait", retry_after="1")
        return completion("a car").after(0.6 if call.number == 1 else 0)

    got, server = run(answer, picture_folder, tmp_path, limit=10, concurrency=2)
    assert {prediction.status for prediction in got} == {"ok"}
    first = server.calls[0].began
    late = [call.began - first for call in server.calls[2:]]
    assert min(late) >= 0.9


def test_concurrency_adapts_to_what_the_server_bears(picture_folder: Path, tmp_path: Path) -> None:
    under_way, lock = [0], threading.Lock()
    refused: list[int] = []

    def answer(call: Call) -> Response:
        with lock:
            under_way[0] += 1
            too_much = under_way[0] > 6
        time.sleep(0.05)
        with lock:
            under_way[0] -= 1
        if too_much:
            refused.append(call.number)
            return error(429, "too many", retry_after="0.05")
        return completion("a car")

    got, server = run(answer, picture_folder, tmp_path, limit=120, concurrency=64)
    assert {prediction.status for prediction in got} == {"ok"}
    assert server.most_at_once <= 16
    assert len(refused) < 50


def test_a_slow_call_holds_up_no_other(picture_folder: Path, tmp_path: Path) -> None:
    """The first call is answered when 30 others have been made: no batch waits for it."""
    many = threading.Event()

    def answer(call: Call) -> Response:
        if call.number == 30:
            many.set()
        if call.number == 0:
            assert many.wait(60)
        return completion(str(call.number))

    run(answer, picture_folder, tmp_path, limit=40, concurrency=4)
    predictions = RunFolder(tmp_path).predictions()[0]
    assert sorted(predictions) == NUMBERS[:40]
    assert [p.text for p in predictions.values()].index("0") >= 26


def test_models_that_know_the_newer_name_are_given_it(picture_folder: Path, tmp_path: Path) -> None:
    def answer(call: Call) -> Response:
        if "max_tokens" in call.body:
            return error(400, "'max_tokens' is not supported: use 'max_completion_tokens'.").after(
                0.05
            )
        return completion("a car")

    got, server = run(answer, picture_folder, tmp_path, limit=24)
    assert {prediction.status for prediction in got} == {"ok"}
    assert server.calls[-1].body["max_completion_tokens"] == 1024
    assert len(server.calls) <= 24 + 8


def test_a_chain_of_thought_is_two_turns(picture_folder: Path, tmp_path: Path) -> None:
    def answer(call: Call) -> Response:
        first = len(call.body["messages"]) == 1
        return completion("All are cars.", "length") if first else completion("A pink car.")

    [got], server = run(answer, picture_folder, tmp_path, prompt_type="cot")
    [example] = rows(picture_folder, prompt_type="cot")[:1]
    first, second = (call.body["messages"] for call in server.calls)
    assert second == [
        *first,
        {"role": "assistant", "content": "All are cars."},
        {"role": "user", "content": example["followup"]},
    ]
    assert got.text == "A pink car."
    assert got.usage == {"input_tokens": 200, "output_tokens": 4}
    assert got.extra is not None
    assert got.extra["first_round"] == "All are cars."
    assert got.extra["first_round_finish_reason"] == "length"


def test_a_first_round_that_says_nothing_is_an_error(picture_folder: Path, tmp_path: Path) -> None:
    [got], server = run(lambda _: completion(""), picture_folder, tmp_path, prompt_type="cot")
    assert (got.status, got.reason) == ("error", f"first round: {EMPTY}")
    assert len(server.calls) == 1


def test_neither_key_nor_address_is_kept_or_shown(
    picture_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    with ChatServer(lambda call: error(500, f"{KEY} at {server.url}")
                    if call.number % 2 else completion("a car")) as server:  # fmt: skip
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        command = [
            "predict", "--model", "openai", "--config", CONFIG, "--limit", "6", "--images",
            str(picture_folder), "--output", "description", "--out", str(tmp_path / "run"),
        ]  # fmt: skip
        for option in ("model=tiny", "retries=0", "concurrency=3"):
            command += ["--model-option", option]
        assert main(command) == 0
        command[-1] = "concurrency=1"
        assert main([*command, "--retry-errors", "--model-option", f"base_url={server.url}"]) == 0
    out, err = capsys.readouterr()
    kept = "".join(path.read_text() for path in (tmp_path / "run").rglob("*") if path.is_file())
    port = server.url.rsplit(":", 1)[1].removesuffix("/v1")
    for text in (
        kept,
        out,
        err,
        repr(load_model("openai", model="m", base_url=server.url)._server),
    ):
        assert KEY not in text
        assert f":{port}" not in text
    assert "got 500: … at …" in kept


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "OPENAI_API_KEY must be set to OpenAI's key, got none"),
        ({"key_variable": "OTHER_KEY"}, "OTHER_KEY must be set"),
        ({"base_url": "localhost:1"}, "must be an address such as .* got one without http"),
        ({"concurrency": 0}, "concurrency must be an integer of 1 or more, got 0"),
        ({"retries": -1}, "retries must be an integer of 0 or more, got -1"),
        ({"timeout": 0}, "timeout must be a number of seconds above 0, got 0"),
        ({"max_tokens": 0}, "max_tokens must be 1 or more, got 0"),
        ({"image_api": "image"}, "image_api must be one of images, chat, got 'image'; did you"),
        ({"detail": "hi"}, "detail must be one of auto, low, high"),
        ({"body": "[1]"}, "body must be a JSON object, got"),
        ({"body": "{"}, "body must be a JSON object, got"),
    ],
)
def test_options_that_cannot_be_are_refused(
    options: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ValueError, match=message):
        load_model("openai", model="m", **options)


@pytest.mark.parametrize("key", ["…", "sk-one\nsk-two", "sk-\x1b[31m"])
def test_a_key_that_no_request_can_carry_is_refused(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ValueError, match="OPENAI_API_KEY must be a key of plain letters") as raised:
        load_model("openai", model="m", base_url="http://127.0.0.1:1/v1")
    assert key not in str(raised.value)


def test_a_model_that_is_not_said_to_draw_is_not_asked_to(
    picture_folder: Path, tmp_path: Path
) -> None:
    model = load_model("openai", model="m", base_url="http://127.0.0.1:1/v1")
    with pytest.raises(ValueError, match=r"--output description, or .*image_api=images"):
        predict(model, settings_for(model, picture_folder, 1, "image"), tmp_path)


def test_predict_raises_what_fails_for_the_whole_batch(picture_folder: Path) -> None:
    def answer(call: Call) -> Response:
        return error(400, "no") if "pink" in call.text else completion("a car")

    with ChatServer(answer) as server:
        batch = rows(picture_folder)[:20]
        outputs = model_at(server).predict(batch)
        bad = [row for row in batch if "pink" in json.dumps(row["messages"])]
        assert [o.status for o in outputs] == ["error" if r in bad else "ok" for r in batch]
        assert bad
        with pytest.raises(RuntimeError, match="got 400: no"):
            model_at(server).predict(bad)


def test_ctrl_c_ends_at_once_and_keeps_what_was_done(picture_folder: Path, tmp_path: Path) -> None:
    def answer(call: Call) -> Response:
        return completion("a car") if call.number < 8 else HANG

    before = set(threading.enumerate())
    with ChatServer(answer) as server:
        model = model_at(server, concurrency=4)
        settings = settings_for(model, picture_folder, 100)

        def watch(count: int) -> None:
            if len(RunFolder(tmp_path).predictions()[0]) == 8:
                raise KeyboardInterrupt

        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            predict(model, settings, tmp_path, watch=watch)
        assert time.monotonic() - began < 10
    assert len(RunFolder(tmp_path).predictions()[0]) == 8
    assert set(threading.enumerate()) <= before
