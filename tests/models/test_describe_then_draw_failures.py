"""A describing and a drawing model that fail, refuse or raise: what is kept, and what stops."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_server import Call, ChatServer, Response, completion, error
from cobsat import Example
from cobsat.models import Output
from scripted_model import ids, lines
from word_drawer import at, run, scripted

pytestmark = pytest.mark.usefixtures("openai_environment")


@pytest.mark.parametrize(
    ("described", "status", "reason"),
    [
        (Output("error", reason="the reply is empty"), "error", "describe: the reply is empty"),
        (
            Output("error", reason="cut: --model-option max_tokens=…"),
            "error",
            "describe: cut: --model-option describe.max_tokens=…",
        ),
        (Output("blocked", text="I", reason="refusal: no"), "blocked", "describe: refusal: no"),
        (Output(), "error", "describe: the model gave no description"),
        (Output(text=" \n"), "error", "describe: the description is empty"),
    ],
)
def test_what_is_not_described_is_not_drawn(
    described: Output, status: str, reason: str, picture_folder: Path, tmp_path: Path
) -> None:
    third = ids(4)[2]
    model, _, drawer = scripted(
        lambda e: described if e["id"] == third else Output(text="a red leaf")
    )
    written = run(model, picture_folder, tmp_path)
    assert [line["status"] for line in written] == ["ok", "ok", status, "ok"]
    assert written[2].get("reason") == reason
    assert written[2].get("text") == described.text
    assert "image" not in written[2]
    assert third not in drawer.prompts


@pytest.mark.parametrize("how", ["error", "blocked", "raise"])
def test_a_description_that_is_not_drawn_is_kept(
    how: str, picture_folder: Path, tmp_path: Path
) -> None:
    third = ids(4)[2]
    model, describer, _ = scripted(
        lambda e: Output(text="a war" if e["id"] == third else "a leaf", usage={"input_tokens": 9}),
        **{"draw.fails": f"war:{how}"},
    )
    written = run(model, picture_folder, tmp_path, stop_after=1 if how != "raise" else 2)
    status = "blocked" if how == "blocked" else "error"
    assert [line["status"] for line in written] == ["ok", "ok", status, "ok"]
    said = f"ArithmeticError: no pencil for {third}" if how == "raise" else "it is unseemly"
    assert (written[2]["text"], written[2]["reason"]) == ("a war", f"draw: {said}")
    assert written[2]["usage"] == {"input_tokens": 9}
    assert describer.batches == [ids(4)]  # nothing is paid for twice


def test_a_model_that_fails_at_everything_stops_the_run(
    picture_folder: Path, tmp_path: Path
) -> None:
    model, describer, _ = scripted(lambda _: Output(text="a war"), **{"draw.fails": "war:raise"})
    with pytest.raises(RuntimeError, match=r"same error for 3 examples .* draw: ArithmeticError"):
        run(model, picture_folder, tmp_path, limit=40, batch_size=4, stop_after=3)
    assert lines(tmp_path) == []
    assert describer.batches == [ids(4)]


def test_what_a_describing_model_raises_costs_its_example_alone(
    picture_folder: Path, tmp_path: Path
) -> None:
    third = ids(4)[2]

    def describe(example: Example) -> Output:
        if example["id"] == third:
            raise LookupError("no words")
        return Output(text="a red leaf")

    model, _, drawer = scripted(describe)
    written = run(model, picture_folder, tmp_path)
    assert [line["status"] for line in written] == ["ok", "ok", "error", "ok"]
    assert written[2]["reason"] == "describe: LookupError: no words"
    assert set(drawer.prompts) == set(ids(4)) - {third}


def test_a_servers_failures_are_named(picture_folder: Path, tmp_path: Path) -> None:
    def answer(call: Call) -> Response:
        if call.number == 1:
            return error(400, "flagged", "content_filter")
        return completion("A red leaf.")

    with ChatServer(answer) as server:
        written = run(at(server, **{"describe.concurrency": 1}), picture_folder, tmp_path)
    assert [line["status"] for line in written].count("blocked") == 1
    [blocked] = [line for line in written if line["status"] == "blocked"]
    assert blocked["reason"] == "describe: content filter: flagged"
    assert "image" not in blocked
