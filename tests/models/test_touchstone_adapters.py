"""TouchStone's questions reach servers and pipelines as they are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import tiny_vlms
import touchstone_questions as made
from chat_server import Call, ChatServer, completion, error
from cobsat import RunFolder
from cobsat.cli import main
from cobsat.touchstone import QuestionSource
from datasets import load_dataset
from openai_runs import KEY
from shared_runs import read
from transformers import pipeline
from transformers.pipelines.pt_utils import KeyDataset


@pytest.fixture(scope="module", autouse=True)
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuestionSource]:
    with made.shipping(tmp_path_factory.mktemp("mini")) as shipped:
        yield shipped


def ask(server: ChatServer, out: Path, *more: str, config: str = "touchstone-mini") -> int:
    return main([
        "predict", "--model", "openai", "--model-option", "model=tiny", "--model-option",
        f"base_url={server.url}", "--config", config, "--out", str(out), *more,
    ])  # fmt: skip


@pytest.mark.usefixtures("openai_environment")
def test_a_server_is_sent_pictures_then_question(source: QuestionSource, tmp_path: Path) -> None:
    def answer(call: Call) -> Any:
        return completion(f"You ask: {call.parts[-1]['text']}")

    with ChatServer(answer) as server:
        assert ask(server, tmp_path) == 0
    assert len(server.calls) == 8
    by_question = {call.parts[-1]["text"]: call for call in server.calls}
    for question in source.questions:
        call = by_question[question.question]
        assert len(call.body["messages"]) == 1
        kinds = [part["type"] for part in call.parts]
        assert kinds == ["image_url"] * len(question.images) + ["text"]
        for (mime, data), image in zip(call.pictures, question.images, strict=True):
            assert (mime, data) == ("image/webp", Path(str(image)).read_bytes())
        assert call.body["max_tokens"] == 1024
    predictions, _ = RunFolder(tmp_path).predictions()
    assert predictions["touchstone-mini-601"].text == "You ask: Compare them."
    settings = RunFolder(tmp_path).settings()
    assert settings.model_options["record"]["max_tokens"] == 1024
    for file in tmp_path.rglob("*.*"):
        assert KEY not in file.read_text("utf-8"), file


@pytest.mark.usefixtures("openai_environment")
def test_what_a_server_cuts_refuses_or_fails_at_is_kept_as_that(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replies = {
        "What is there?": completion("A long ans", "length"),
        "Say more.": completion(None, refusal="I would rather not."),
        "Which color?": completion(""),
        "Why?": error(400, "no such thing"),
    }
    with ChatServer(lambda call: replies.get(call.parts[-1]["text"], completion("Yes."))) as server:
        assert ask(server, tmp_path, "--stop-after", "0") == 0
    predictions, _ = RunFolder(tmp_path).predictions()
    got = {name.removeprefix("touchstone-mini-"): p for name, p in predictions.items()}
    assert {name: p.status for name, p in got.items()} == {
        "1": "ok", "2": "blocked", "101": "error", "102": "ok", "301": "error", "501": "ok",
        "601": "ok", "602": "ok",
    }  # fmt: skip
    assert (got["1"].text, got["1"].finish_reason) == ("A long ans", "length")
    assert got["2"].text is None
    said = capsys.readouterr()
    assert "5 ok, 2 error, 1 blocked" in said.out
    assert "cut at the most tokens that a reply may have: 1" in said.err
    with ChatServer(lambda _: completion("Yes.")) as server:
        assert ask(server, tmp_path, "--retry-errors") == 0
    assert len(server.calls) == 2
    assert {line["status"] for line in read(tmp_path)[-2:]} == {"ok"}


@pytest.mark.usefixtures("openai_environment")
def test_questions_about_one_picture_come_one_after_the_other(
    source: QuestionSource, tmp_path: Path
) -> None:
    with ChatServer(lambda _: completion("Yes.")) as server:
        assert ask(server, tmp_path, "--model-option", "concurrency=1") == 0
    shown = [call.pictures[0][1] for call in server.calls]
    changes = sum(before != after for before, after in pairwise(shown))
    assert changes == len(set(shown)) - 1


def test_rows_go_into_a_pipeline_as_they_are(
    checkpoint: Any, one_thread: None, tmp_path: Path
) -> None:
    rows = load_dataset("touchstone-mini", split="test", cache_dir=str(tmp_path))
    answer = pipeline("image-text-to-text", model=str(checkpoint("qwen2_5_vl")))
    answer.processor.tokenizer.padding_side = "left"
    options = {"max_new_tokens": 3, "return_full_text": False}
    single = list(answer(KeyDataset(rows, "messages"), **options))
    batched = list(answer(KeyDataset(rows, "messages"), batch_size=4, **options))
    texts = [reply[0]["generated_text"] for reply in single]
    assert texts == [reply[0]["generated_text"] for reply in batched]
    assert len(texts) == 8
    chat = answer.processor.apply_chat_template(rows[6]["messages"], tokenize=False)
    assert chat.count("<|vision_start|>") == 3
    assert chat.rindex("<|vision_end|>") < chat.index("Compare them.")


@pytest.mark.slow
def test_the_small_checkpoints_of_every_family_answer(
    checkpoint: Any, one_thread: None, tmp_path: Path
) -> None:
    for family in tiny_vlms.FAMILIES:
        out = tmp_path / family
        options = [f"checkpoint={checkpoint(family)}", "max_new_tokens=3"]
        command = ["predict", "--model", "transformers", "--config", "touchstone-mini-multi_image",
                   "--many-images", "collage", "--out", str(out)]  # fmt: skip
        for option in options:
            command += ["--model-option", option]
        assert main(command) == 0, family
        lines = read(out)
        assert [line["status"] for line in lines] == ["ok", "ok"], (family, lines)
        assert all(line["text"] for line in lines), family
