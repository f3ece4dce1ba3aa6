"""The runner: what it does about models that fail, and when it stops."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from cobsat import Example
from cobsat.models import Capabilities, Output
from cobsat.models.predict import predict
from scripted_model import BOTH, Scripted, describe, ids, lines, settings_for


def test_a_batch_that_raises_is_asked_one_by_one(picture_folder: Path, tmp_path: Path) -> None:
    def answer(example: Example) -> Output:
        if example["id"] in (ids(10)[2], ids(10)[5]):
            raise RuntimeError("out of\nmemory")
        return describe(example)

    model = Scripted(answer)
    predict(model, settings_for(picture_folder), tmp_path, batch_size=5)
    got = lines(tmp_path)
    assert [line["id"] for line in got] == ids(10)
    assert [n for n, line in enumerate(got) if line["status"] == "error"] == [2, 5]
    assert got[2]["reason"] == "RuntimeError: out of memory"
    assert [len(batch) for batch in model.batches] == [5, *[1] * 5, 5, *[1] * 5]


def test_ctrl_c_passes_through_a_model_and_keeps_what_was_done(
    picture_folder: Path, tmp_path: Path
) -> None:
    def answer(example: Example) -> Output:
        if example["id"] == ids(10)[6]:
            raise KeyboardInterrupt
        return describe(example)

    with pytest.raises(KeyboardInterrupt):
        predict(Scripted(answer), settings_for(picture_folder), tmp_path, batch_size=2)
    assert [line["id"] for line in lines(tmp_path)] == ids(6)
    predict(Scripted(describe), settings_for(picture_folder), tmp_path, batch_size=2)
    assert [line["id"] for line in lines(tmp_path)] == ids(10)


def fail(example: Example) -> Output:
    raise ConnectionError(f"no server for {example['id']}")


def test_a_model_that_fails_at_everything_stops_and_is_asked_again_later(
    picture_folder: Path, tmp_path: Path
) -> None:
    settings = settings_for(picture_folder, limit=100)
    model = Scripted(fail)
    stops = r"same error for 20 examples in a row .*ConnectionError: no server for color_i-2shot"
    with pytest.raises(RuntimeError, match=stops):
        predict(model, settings, tmp_path)
    assert len({example_id for batch in model.batches for example_id in batch}) <= 32
    assert lines(tmp_path) == []
    predict(Scripted(describe), settings, tmp_path)
    assert [line["id"] for line in lines(tmp_path)] == ids(100)
    assert {line["status"] for line in lines(tmp_path)} == {"ok"}


def test_a_server_that_goes_away_costs_no_answers(picture_folder: Path, tmp_path: Path) -> None:
    settings = settings_for(picture_folder, limit=60)

    def answer(example: Example) -> Output:
        return fail(example) if example["id"] >= ids(60)[30] else describe(example)

    with pytest.raises(RuntimeError, match="20 examples in a row"):
        predict(Scripted(answer), settings, tmp_path)
    assert [line["id"] for line in lines(tmp_path)] == ids(30)


def test_a_short_run_of_nothing_but_one_error_stops_too(
    picture_folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(RuntimeError, match="same error for 3 examples"):
        predict(Scripted(fail), settings_for(picture_folder, limit=3), tmp_path)
    assert lines(tmp_path) == []


def test_failures_in_a_row_are_recorded_when_something_else_follows(
    picture_folder: Path, tmp_path: Path
) -> None:
    def answer(example: Example) -> Output:
        return fail(example) if example["id"] != ids(40)[15] else describe(example)

    predict(Scripted(answer), settings_for(picture_folder, limit=30), tmp_path, batch_size=4)
    assert [line["id"] for line in lines(tmp_path)] == ids(30)
    assert sum(line["status"] == "ok" for line in lines(tmp_path)) == 1


def test_errors_of_different_kinds_do_not_stop_a_run(picture_folder: Path, tmp_path: Path) -> None:
    def answer(example: Example) -> Output:
        kinds = (ValueError, KeyError)
        raise kinds[int(example["id"][-4:]) % 2]("no")

    predict(Scripted(answer), settings_for(picture_folder, limit=30), tmp_path)
    assert [line["id"] for line in lines(tmp_path)] == ids(30)


def test_stop_after_zero_records_every_failure(picture_folder: Path, tmp_path: Path) -> None:
    settings = settings_for(picture_folder, limit=30)
    predict(Scripted(fail), settings, tmp_path, stop_after=0)
    assert [line["status"] for line in lines(tmp_path)] == ["error"] * 30


class Broken:
    """An adapter that breaks its contract."""

    name = "broken"
    capabilities = Capabilities(BOTH)

    def __init__(self, given: Any) -> None:
        self.given = given

    def record(self) -> dict[str, Any]:
        return {}

    def predict(self, batch: Sequence[Example]) -> Any:
        return self.given


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "a model must give a list of 3 outputs, got 0"),
        ([Output(text="a")] * 2, "a model must give a list of 3 outputs, got 2"),
        (None, "a model must give a list of 3 outputs, got NoneType"),
        (["a", "b", "c"], "a model must give Outputs, got str"),
        ([Output(text=["a"])] * 3, "text of an Output must be a string, got list"),  # type: ignore[arg-type]
        ([Output("fine", text="a")] * 3, "status of an Output must be one of ok, error, blocked"),  # type: ignore[arg-type]
        ([Output(text="a", raised=True)] * 3, "an Output that raised must be 'error', got 'ok'"),
        ([Output(text="a", extra={"a": {1}})] * 3, "usage and extra of an Output must be plain"),
    ],
)
def test_an_adapter_that_breaks_its_contract_is_told_so(
    given: Any, message: str, picture_folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        predict(Broken(given), settings_for(picture_folder, limit=3), tmp_path)
    assert lines(tmp_path) == []


@pytest.mark.parametrize(
    ("capabilities", "changes", "message"),
    [
        (Capabilities(frozenset({"image"})), {}, "output of model .* must be one of image, got 'd"),
        (Capabilities(BOTH, max_images=1), {}, "pictures in a prompt .* must be at most 1, got 2"),
    ],
)
def test_what_a_model_cannot_do_is_refused_before_anything_is_written(
    capabilities: Capabilities,
    changes: dict[str, Any],
    message: str,
    picture_folder: Path,
    tmp_path: Path,
) -> None:
    model = Scripted(describe, capabilities)
    with pytest.raises(ValueError, match=message):
        predict(model, settings_for(picture_folder, **changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()
