"""The judge `api` against a real server here that answers, refuses, stalls and breaks."""

from __future__ import annotations

import io
import json
import random
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cobsat
import pytest
from chat_server import CUT, HANG, Call, ChatServer, Response, as_json, completion, error
from cobsat import THEMES, Prediction, RunFolder, RunSettings, Verdict, examples
from cobsat.cli import main
from cobsat.examples import Reference
from cobsat.metrics import judge_run, load_judge
from cobsat.metrics.api_judge import ApiJudge
from cobsat.metrics.questions import questions
from PIL import Image

REFERENCE: Reference = {"task": "color_i", "object": "car", "attribute": "red"}
KEY = "sk-secret-0123456789abcdef"


@pytest.fixture(autouse=True)
def _no_server_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def options_of(call: Call) -> list[str]:
    """The options that a call's question offers, in order."""
    return re.findall(r"\(\d+\)([^()]+?)(?=[ .] ?\(|\. Answer)", call.text)


def sensible(call: Call) -> Response:
    """Answer with the number of the option that the caption names."""
    caption = call.text.partition("Image caption: ")[2].partition(" What is the ")[0]
    found = [n for n, option in enumerate(options_of(call), start=1) if option in caption]
    return completion(str(found[0]) if found else "None of them.")


def about_object(call: Call) -> bool:
    return "What is the main object" in call.text


def right(call: Call) -> Response:
    """Answer as is right for `REFERENCE`, whatever was sent."""
    word = "car" if about_object(call) else "red"
    return completion(str(options_of(call).index(word) + 1))


def judged(
    answer: Callable[[Call], Response], outputs: list[Any] | None = None, **options: Any
) -> tuple[list[Verdict], ChatServer]:
    """Judge outputs (or "A red car."), pictures if they are paths, against a server."""
    outputs = ["A red car."] if outputs is None else outputs
    kind = "image" if isinstance(outputs[0], Path) else "description"
    with ChatServer(answer) as server:
        judge = ApiJudge(**{"model": "tiny", "base_url": server.url, **options})
        verdicts = judge.judge([str(o) for o in outputs], [REFERENCE] * len(outputs), kind)
    return verdicts, server


def test_both_questions_are_asked_word_for_word() -> None:
    (verdict,), server = judged(sensible)
    assert (verdict.object, verdict.attribute, verdict.correct) == ("car", "red", True)
    asked = {call.text for call in server.calls}
    assert asked == {q.with_description("A red car.") for q in questions(THEMES["color"])}
    assert {call.path for call in server.calls} == {"/v1/chat/completions"}
    assert verdict.raw is not None
    assert verdict.raw["object"] == {
        "reply": "5", "finish_reason": "stop", "model": "tiny-1", "system_fingerprint": "fp_1",
        "usage": {"input_tokens": 100, "output_tokens": 2},
    }  # fmt: skip


def test_every_theme_in_both_wordings() -> None:
    tasks = {theme: f"{theme}_i" for theme in THEMES}
    for wording in ("paper", "released"):
        with ChatServer(sensible) as server:
            judge = ApiJudge("tiny", base_url=server.url, wording=wording)  # type: ignore[arg-type]
            for name, theme in THEMES.items():
                object_, attribute = theme.objects[6], theme.attributes[9]
                shown = theme.text(attribute) if wording == "released" else attribute
                reference: Reference = {
                    "task": tasks[name], "object": object_, "attribute": attribute,
                }  # fmt: skip
                (verdict,) = judge.judge([f"{shown}, {object_}"], [reference], "description")
                assert verdict.correct, (wording, name, verdict)


def test_the_request_is_what_the_options_say() -> None:
    _, server = judged(sensible)
    body = server.calls[0].body
    body.pop("messages")
    assert body == {"model": "tiny", "temperature": 0.0, "max_tokens": 32}
    more = '{"reasoning_effort": "low", "max_completion_tokens": 9}'
    _, server = judged(sensible, temperature=None, max_tokens=None, seed=7, body=more)
    body = server.calls[0].body
    body.pop("messages")
    assert body == {
        "model": "tiny", "seed": 7, "reasoning_effort": "low", "max_completion_tokens": 9,
    }  # fmt: skip


def picture_file(folder: Path, name: str, mode: str = "RGB", **options: Any) -> Path:
    path = folder / name
    Image.new(mode, (8, 8)).save(path, **options)
    return path


def test_a_picture_goes_before_its_question_as_it_is(tmp_path: Path) -> None:
    path = picture_file(tmp_path, "misnamed.png", format="JPEG")
    (verdict,), server = judged(right, [path], image_detail="low")
    assert verdict.correct
    for call in server.calls:
        image, text = call.parts
        assert image["image_url"]["detail"] == "low"
        assert text["text"] in {q.about_picture for q in questions(THEMES["color"])}
        assert call.pictures == [("image/jpeg", path.read_bytes())]


@pytest.mark.parametrize(
    ("name", "mode", "options"),
    [
        ("a.bmp", "RGB", {}),
        ("a.tiff", "RGB", {}),
        ("a.jpg", "CMYK", {}),
        ("a.png", "I;16", {}),
        ("a.gif", "RGB", {"save_all": True, "append_images": [Image.new("RGB", (8, 8), "red")]}),
    ],
)
def test_what_servers_do_not_take_is_sent_as_png(
    tmp_path: Path, name: str, mode: str, options: dict[str, Any]
) -> None:
    path = picture_file(tmp_path, name, mode, **options)
    (verdict,), server = judged(right, [path])
    assert verdict.correct
    ((mime, data),) = server.calls[0].pictures
    with Image.open(io.BytesIO(data)) as sent:
        assert (mime, sent.format, sent.size) == ("image/png", "PNG", (8, 8))
        assert sent.mode in ("L", "RGB", "RGBA")


def test_a_picture_may_be_its_bytes_or_itself(tmp_path: Path) -> None:
    path = picture_file(tmp_path, "a.png")
    with ChatServer(right) as server, Image.open(path) as opened:
        judge = ApiJudge("tiny", base_url=server.url)
        verdicts = judge.judge([path.read_bytes(), opened], [REFERENCE] * 2, "image")
    assert all(verdict.correct for verdict in verdicts)
    assert {mime for call in server.calls for mime, _ in call.pictures} == {"image/png"}


def test_pictures_that_cannot_be_read_are_unscored_and_nobody_is_asked(tmp_path: Path) -> None:
    whole = picture_file(tmp_path, "whole.jpg")
    half = tmp_path / "half.jpg"
    half.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    (tmp_path / "text.png").write_text("no picture")
    paths = [half, whole, tmp_path / "text.png", tmp_path / "none.png"]
    verdicts, server = judged(right, paths)
    assert [v.status for v in verdicts] == ["unscored", "scored", "unscored", "unscored"]
    assert verdicts[0].reason == "image cannot be read: half.jpg: OSError"
    assert verdicts[3].reason == "image cannot be read: none.png: FileNotFoundError"
    assert len(server.calls) == 2


def test_descriptions_that_are_empty_long_or_odd() -> None:
    texts = ["", " \n", "A red car. " + "x" * 100, "\ud800A red car.\x00"]
    verdicts, server = judged(sensible, texts, description_limit=60)
    assert [v.status for v in verdicts] == ["unscored", "unscored", "scored", "scored"]
    assert verdicts[0].reason == verdicts[1].reason == "empty description"
    assert [bool(v.raw and v.raw.get("truncated")) for v in verdicts] == [False, False, True, False]
    assert len(server.calls) == 4
    first, _ = questions(THEMES["color"])
    assert first.with_description(texts[2][:60]) in [call.text for call in server.calls]


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (completion(None, refusal="I will not."), "refusal: I will not."),
        (completion("I'm sorry, I can't help with that."), "declines to choose"),
        (completion(None, "content_filter"), "content filter"),
        (completion("3", "content_filter"), "content filter"),
        (completion("", choices=[]), "the server gave no choice"),
        (completion(""), "the reply is empty"),
        (completion(None, "length"), "the reply was cut before it said anything"),
        (completion("1", "length"), "cut off within its number"),
        (completion("1 or 2"), "several numbers: 1, 2"),
        (completion("31"), "31 is not the number of an option"),
        (completion("<think>It is 3", "length"), "ends while thinking"),
        (error(400, "Filtered.", "content_filter"), "content filter: Filtered."),
    ],
)
def test_what_is_no_clear_answer_is_unscored(response: Response, reason: str) -> None:
    (verdict,), server = judged(lambda call: response if about_object(call) else right(call))
    assert (verdict.status, verdict.object, verdict.attribute) == ("unscored", None, "red")
    assert verdict.reason == f"object: {reason}"
    assert len(server.calls) == 2


@pytest.mark.parametrize(
    "trouble",
    [
        error(429, "Slow down.", retry_after="0.2"),
        error(500, "Oops."),
        error(503, "Busy."),
        CUT,
        Response(body=b'{"choices": ['),
        Response(200, b"<html>gateway</html>", {"Content-Type": "text/html"}),
        Response(body=b"null"),
    ],
    ids=["429", "500", "503", "cut", "half a JSON", "a page", "null"],
)
def test_troubles_pass(trouble: Response) -> None:
    (verdict,), server = judged(lambda call: trouble if call.number < 2 else right(call))
    assert verdict.correct
    assert len(server.calls) == 4


def test_retry_after_is_waited_for() -> None:
    wait = error(429, "Slow down.", retry_after="1")
    (verdict,), server = judged(lambda call: wait if call.number == 0 else right(call))
    assert verdict.correct
    first, *_, last = server.calls
    assert last.began - first.began >= 1.0


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (error(500, "Oops."), "500: Oops."),
        (Response(body=b"{"), "must give JSON"),
        (as_json({"hello": 1}), "reply of the API"),
        (error(404, "No such model."), "404: No such model."),
        (error(400, "No pictures here."), "400: No pictures here."),
        (as_json({"error": {"message": "no provider"}}), "no provider"),
        (CUT, "reachable"),
    ],
)
def test_a_call_that_keeps_failing_is_an_error_and_no_answer(response: Response, said: str) -> None:
    (verdict,), server = judged(
        lambda call: response if about_object(call) else right(call), retries=1
    )
    assert (verdict.status, verdict.object, verdict.attribute) == ("error", None, None)
    assert verdict.object_correct is verdict.attribute_correct is None
    assert verdict.reason is not None
    assert verdict.reason.startswith("object: ")
    assert said in verdict.reason
    assert len(server.calls) <= 3


@pytest.mark.parametrize(
    "stall", [HANG, replace(completion("3"), drip=0.2)], ids=["hangs", "drips"]
)
def test_a_server_that_stalls_costs_a_bounded_time(stall: Response) -> None:
    start = time.monotonic()
    (verdict,), server = judged(lambda call: stall, timeout=0.3, retries=1)
    assert verdict.status == "error"
    assert verdict.reason is not None
    assert "within 0.3 s" in verdict.reason
    assert time.monotonic() - start < 30
    assert len(server.calls) == 4


def test_when_the_server_is_gone_the_rest_is_not_asked() -> None:
    verdicts, server = judged(lambda call: error(400, "Down."), ["A red car."] * 40, concurrency=4)
    assert {v.status for v in verdicts} == {"error"}
    assert len(server.calls) < 20
    assert verdicts[-1].reason is not None
    assert "not asked, after 8 failures in a row" in verdicts[-1].reason
    assert "Down." in verdicts[-1].reason


def test_order_does_not_depend_on_time() -> None:
    colours = THEMES["color"].attributes
    texts = [f"A {random.Random(n).choice(colours)} car, number {n}." for n in range(40)]

    def slow(call: Call) -> Response:
        return sensible(call).after(random.Random(call.text).uniform(0, 0.1))

    verdicts, server = judged(slow, texts, concurrency=8)
    assert [v.attribute for v in verdicts] == [text.split()[1] for text in texts]
    assert 2 <= server.most_at_once <= 8
    assert len(server.calls) == 80
    again, server = judged(sensible, texts, concurrency=1)
    assert server.most_at_once == 1
    assert again == verdicts


def test_a_server_that_wants_another_name_for_the_limit_is_given_it() -> None:
    def picky(call: Call) -> Response:
        if "max_tokens" in call.body:
            return error(400, "Use 'max_completion_tokens' instead.", "unsupported_parameter")
        return right(call)

    (verdict,), server = judged(picky)
    assert verdict.correct
    assert server.calls[-1].body["max_completion_tokens"] == 32


def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)

    def echo(call: Call) -> Response:
        assert call.headers["authorization"] == f"Bearer {KEY}"
        if about_object(call):
            return error(400, f"Bad key {KEY}.")
        return error(401, f"Incorrect key {KEY[:9]}***")

    with ChatServer(echo) as server:
        address = server.url.replace("//", "//user:passw0rd@") + "?token=hidden"
        judge = ApiJudge("tiny", base_url=address, key_variable="MY_KEY")
        shown = json.dumps(judge.record()) + judge.name
        assert judge.record()["versions"]["server"] == server.url
    with ChatServer(echo) as server:
        judge = ApiJudge("tiny", base_url=server.url, key_variable="MY_KEY")
        (verdict,) = judge.judge(["A red car."], [REFERENCE], "description")
    shown += json.dumps(vars(verdict)) + json.dumps(judge.record())
    for secret in (KEY, KEY[:9], "passw0rd", "hidden"):
        assert secret not in shown
    assert verdict.status == "error"
    assert "MY_KEY" in str(verdict.reason)


def test_options() -> None:
    with pytest.raises(ValueError, match=r"--judge-option model=gpt-4o-mini"):
        load_judge("api")
    with pytest.raises(ValueError, match=r"OPENAI_API_KEY must be set"):
        load_judge("api", model="m")
    local = "http://127.0.0.1:1/v1"
    judge = ApiJudge("org/model", base_url=local)
    assert judge.name == "api-org--model"
    assert judge.record()["model"] == "org/model"
    for options, said in (
        ({"base_url": "localhost:8000"}, "without http"),
        ({"base_url": local, "wording": "papre"}, "did you mean 'paper'"),
        ({"base_url": local, "image_detail": "hi"}, "image_detail"),
        ({"base_url": local, "max_tokens": 0}, "max_tokens must be an integer of 1 or more, got 0"),
        ({"base_url": local, "body": "[1]"}, "body must be a JSON object"),
        ({"base_url": local, "concurrency": 0}, "concurrency must be"),
    ):
        with pytest.raises(ValueError, match=said):
            ApiJudge("m", **options)
    with pytest.raises(ValueError, match="as many as predictions"):
        judge.judge(["a"], [], "description")
    with pytest.raises(ValueError, match="output must be one of"):
        judge.judge(["a"], [REFERENCE], "text")  # type: ignore[arg-type]


def test_without_the_client_the_way_to_get_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("chat_api", "chat_pictures"):
        monkeypatch.delitem(sys.modules, f"cobsat.{name}", raising=False)
        monkeypatch.delattr(cobsat, name, raising=False)
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ImportError, match=r"pip install 'cobsat\[api\]'"):
        ApiJudge("m", base_url="http://127.0.0.1:1/v1")


# --- run folders ---------------------------------------------------------------------------------

SETTINGS = RunSettings(
    "test", ("color_i-2shot",), output="description", limit=60, images="nowhere",
    image_digest="d" * 64,
)  # fmt: skip


@pytest.fixture
def run(tmp_path: Path, picture_folder: Path) -> RunFolder:
    folder = RunFolder(tmp_path / "run")
    folder.start(SETTINGS)
    options = cobsat.Options(output="description", images=str(picture_folder))
    colours = THEMES["color"].attributes
    with folder.append_predictions() as appender:
        appender.add(
            Prediction(row["id"], "ok", text=f"A {colours[n % 10]} car, number {n % 50}.")
            for n, row in enumerate(list(examples("color_i-2shot", options=options))[:60])
        )
    return folder


def files(run: RunFolder) -> tuple[bytes, bytes]:
    name = "api-tiny"
    return run.verdicts_path(name).read_bytes(), run.scores_path(name).read_bytes()


def test_a_run_that_failed_here_and_there_ends_as_one_that_never_did(
    run: RunFolder, tmp_path: Path
) -> None:
    bad_days = {"now": True}

    def moody(call: Call) -> Response:
        if bad_days["now"] and random.Random(call.text).random() < 0.2:
            return error(400, "Not today.")
        return sensible(call)

    with ChatServer(moody) as server:
        judge = ApiJudge("tiny", base_url=server.url, retries=0)
        first = judge_run(run, judge)
        failures = sum(group["judge_failed"] for group in first["groups"])
        assert 5 < failures < 40
        assert "Not today." in first["cautions"][0]
        bad_days["now"] = False
        asked = len(server.calls)
        second = judge_run(run, judge)
        assert 2 * failures >= len(server.calls) - asked > 0
        ends = files(run)
        assert second["usage"] == {"input_tokens": 50 * 2 * 100, "output_tokens": 50 * 2 * 2}
        run.verdicts_path("api-tiny").unlink()
        judge_run(run, judge)
        assert files(run) == ends
    assert second["groups"][0]["scored"] == 60


def test_a_server_that_is_not_there_stops_the_command_in_one_line(
    run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatServer(sensible) as server:
        url = server.url
    command = ["judge", str(run.path), "--judge", "api", "--judge-option", "model=tiny"]
    command += ["--judge-option", f"base_url={url}", "--judge-option", "retries=0"]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "the judge api-tiny must answer, got a failure" in said
    assert "must be reachable" in said
    assert not run.scores_path("api-tiny").exists()
    with ChatServer(sensible) as server:
        command = ["judge", str(run.path), "--judge", "api", "--judge-option", "model=tiny"]
        command += ["--judge-option", f"base_url={server.url}", "--judge-option", "seed=3"]
        assert main(command) == 0
    assert capsys.readouterr().out.startswith("api-tiny: 60 of 60 scored")


def test_ctrl_c_stops_at_once_and_keeps_what_was_finished(run: RunFolder) -> None:
    def stalls(call: Call) -> Response:
        if call.number == 63:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return HANG if call.number >= 60 else sensible(call)

    start = time.monotonic()
    with ChatServer(stalls) as server:
        judge = ApiJudge("tiny", base_url=server.url, concurrency=8)
        judge.batch_size = 10
        with pytest.raises(KeyboardInterrupt):
            judge_run(run, judge)
        assert time.monotonic() - start < 50  # a call has a minute
    assert len(run.verdicts("api-tiny")[0]) == 30
    assert not run.scores_path("api-tiny").exists()
    assert not [t for t in threading.enumerate() if t.name == "cobsat-calls"]
