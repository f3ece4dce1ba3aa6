"""The runner: what it keeps, what it does about failing models, and when it stops."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cobsat import Example, Options, Prediction, RunFolder, RunSettings, examples, image_source
from cobsat.models import Capabilities, Output, load_model
from cobsat.models.pictures import write_picture
from cobsat.models.predict import predict
from cobsat.models.settings import run_settings
from cobsat.run_folder import Appender
from PIL import Image

CONFIG = "color_i-2shot"
BOTH = frozenset({"image", "description"})
ANYTHING = Capabilities(BOTH)


class Scripted:
    """A model that answers each example by a function."""

    name = "scripted"

    def __init__(
        self, answer: Callable[[Example], Output], capabilities: Capabilities = ANYTHING
    ) -> None:
        self.answer = answer
        self.capabilities = capabilities
        self.batches: list[list[str]] = []

    def record(self) -> dict[str, Any]:
        return {}

    def predict(self, batch: Sequence[Example]) -> list[Output]:
        self.batches.append([example["id"] for example in batch])
        return [self.answer(example) for example in batch]


def describe(example: Example) -> Output:
    return Output(text=f"A {example['query']} thing.")


def settings_for(
    pictures: Path, output: str = "description", limit: int | None = 10, **changes: Any
) -> RunSettings:
    options = Options(output=output, images=str(pictures))
    settings = run_settings("scripted", Scripted(describe), {}, (CONFIG,), "test", options, limit)
    return replace(settings, **changes)


def lines(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "predictions.jsonl").read_text().splitlines()]


def ids(count: int) -> list[str]:
    return [f"{CONFIG}-test-{number:04d}" for number in range(count)]


def test_predictions_come_in_order_and_in_batches(picture_folder: Path, tmp_path: Path) -> None:
    model = Scripted(describe)
    folder = predict(model, settings_for(picture_folder), tmp_path / "run", batch_size=4)
    assert [len(batch) for batch in model.batches] == [4, 4, 2]
    assert list(folder.predictions()[0]) == ids(10)
    assert all(line["seconds"] >= 0 for line in lines(tmp_path / "run"))


def test_all_that_an_output_says_is_kept(picture_folder: Path, tmp_path: Path) -> None:
    given = Output(
        text="Ein roter Wagen \ud800.\n",
        finish_reason="length",
        usage={"output_tokens": 7},
        extra={"first_round": ["red", None]},
    )
    predict(Scripted(lambda _: given), settings_for(picture_folder, limit=1), tmp_path)
    [line] = lines(tmp_path)
    del line["seconds"]
    assert line == {
        "id": ids(1)[0],
        "status": "ok",
        "text": given.text,
        "finish_reason": "length",
        "usage": {"output_tokens": 7},
        "extra": {"first_round": ["red", None]},
    }


def test_an_existing_picture_is_stored_once_and_as_it_is(
    picture_folder: Path, tmp_path: Path
) -> None:
    original = Path(image_source(str(picture_folder)).paths["color", "red", "car"])
    model = Scripted(lambda _: Output(image=str(original)))
    predict(model, settings_for(picture_folder, "image"), tmp_path)
    digest = hashlib.sha256(original.read_bytes()).hexdigest()
    [stored] = (tmp_path / "images").iterdir()
    assert stored.read_bytes() == original.read_bytes()
    assert {(line["image"], line["image_sha256"]) for line in lines(tmp_path)} == {
        (f"images/{digest[:16]}.png", digest)
    }


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P", "CMYK", "1", "I;16"])
def test_a_generated_picture_is_stored_under_its_id(
    mode: str, picture_folder: Path, tmp_path: Path
) -> None:
    image = Image.new(mode, (5, 3))
    model = Scripted(lambda _: Output(image=image))
    predict(model, settings_for(picture_folder, "image", limit=2), tmp_path)
    assert sorted(path.name for path in (tmp_path / "images").iterdir()) == [
        f"{name}.png" for name in ids(2)
    ]
    for line in lines(tmp_path):
        data = (tmp_path / line["image"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == line["image_sha256"]
        with Image.open(tmp_path / line["image"]) as opened:
            assert opened.size == (5, 3)


def test_a_picture_in_another_format_keeps_it(picture_folder: Path, tmp_path: Path) -> None:
    odd = tmp_path / "out.dat"
    Image.new("RGB", (4, 4)).save(odd, format="WEBP")
    model = Scripted(lambda _: Output(image=str(odd)))
    predict(model, settings_for(picture_folder, "image", limit=1), tmp_path / "run")
    [line] = lines(tmp_path / "run")
    assert line["image"].endswith(".webp")


def test_a_file_that_a_model_writes_anew_each_time_is_read_each_time(
    picture_folder: Path, tmp_path: Path
) -> None:
    shared = tmp_path / "out.bmp"

    def draw(example: Example) -> Output:
        Image.new("RGB", (4, 4), (int(example["id"][-4:]), 0, 0)).save(shared)
        return Output(image=str(shared))

    settings = settings_for(picture_folder, "image")
    predict(Scripted(draw), settings, tmp_path / "run", batch_size=1)
    assert len({line["image_sha256"] for line in lines(tmp_path / "run")}) == 10
    for number, line in enumerate(lines(tmp_path / "run")):
        with Image.open(tmp_path / "run" / line["image"]) as opened:
            assert opened.getpixel((0, 0)) == (number, 0, 0)


def test_a_picture_that_cannot_be_read_is_an_error(picture_folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no picture")
    answers = iter([Output(image=str(broken)), Output(image=str(tmp_path / "missing.png"))])
    model = Scripted(lambda _: next(answers))
    predict(model, settings_for(picture_folder, "image", limit=2), tmp_path / "run")
    first, second = lines(tmp_path / "run")
    assert first["status"] == second["status"] == "error"
    assert first["reason"].startswith("the picture cannot be read: cannot identify image file")
    assert "No such file" in second["reason"]
    assert "image" not in first
    assert not (tmp_path / "run" / "images").exists()


@pytest.mark.parametrize(
    ("kind", "given", "reason"),
    [
        ("description", Output(), "the model gave no description"),
        ("image", Output(text="I cannot draw."), "the model gave no picture"),
        ("image", Output("error"), "the model gave no reason"),
        ("description", Output("error", reason="a\n b" + "c" * 600), "a b" + "c" * 496 + "…"),
    ],
)
def test_what_is_not_there_is_an_error_and_no_answer(
    kind: str, given: Output, reason: str, picture_folder: Path, tmp_path: Path
) -> None:
    predict(Scripted(lambda _: given), settings_for(picture_folder, kind, limit=1), tmp_path)
    [line] = lines(tmp_path)
    assert (line["status"], line["reason"]) == ("error", reason)
    assert line.get("text") == given.text


def test_a_blocked_output_stays_blocked(picture_folder: Path, tmp_path: Path) -> None:
    model = Scripted(lambda _: Output("blocked", reason="content filter"))
    predict(model, settings_for(picture_folder, limit=1), tmp_path)
    [line] = lines(tmp_path)
    assert (line["status"], line["reason"]) == ("blocked", "content filter")


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


def test_captions_in_place_of_pictures_need_no_pictures(
    picture_folder: Path, tmp_path: Path
) -> None:
    model = Scripted(describe, Capabilities(BOTH, max_images=0))
    predict(model, settings_for(picture_folder, prompt_type="caption"), tmp_path)
    assert len(lines(tmp_path)) == 10


def test_the_folder_of_another_run_is_refused(picture_folder: Path, tmp_path: Path) -> None:
    predict(Scripted(describe), settings_for(picture_folder), tmp_path)
    before = (tmp_path / "predictions.jsonl").read_bytes()
    with pytest.raises(ValueError, match=r"got another run's .*seed: 123 there, 1 now"):
        predict(Scripted(describe), settings_for(picture_folder, seed=1), tmp_path)
    assert (tmp_path / "predictions.jsonl").read_bytes() == before


def test_configs_that_overlap_give_no_example_twice(picture_folder: Path, tmp_path: Path) -> None:
    settings = settings_for(picture_folder, configs=(CONFIG, "all-2shot", CONFIG))
    predict(Scripted(describe), settings, tmp_path)
    assert [line["id"] for line in lines(tmp_path)] == ids(10)


@pytest.mark.parametrize(
    "changes",
    [{"configs": (CONFIG, "colour-2shot")}, {"split": "ft"}, {"prompt_type": "x"}, {"output": "x"}],
)
def test_settings_that_do_not_go_together_write_nothing(
    changes: dict[str, Any], picture_folder: Path, tmp_path: Path
) -> None:
    settings = replace(settings_for(picture_folder), **changes)
    with pytest.raises(ValueError, match="must be one of"):
        predict(Scripted(describe), settings, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_other_pictures_than_the_runs_are_refused(picture_folder: Path, tmp_path: Path) -> None:
    settings = settings_for(picture_folder, image_digest="0" * 64)
    with pytest.raises(ValueError, match="must be those that the run began with"):
        predict(Scripted(describe), settings, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_two_processes_do_not_write_one_folder(picture_folder: Path, tmp_path: Path) -> None:
    settings = settings_for(picture_folder)
    RunFolder(tmp_path).start(settings)
    model = Scripted(describe)
    with (
        RunFolder(tmp_path).append_predictions(),
        pytest.raises(ValueError, match="must be written by one process at a time"),
    ):
        predict(model, settings, tmp_path)
    assert model.batches == []
    predict(model, settings, tmp_path)
    assert len(lines(tmp_path)) == 10


def test_other_versions_do_not_make_another_run(picture_folder: Path, tmp_path: Path) -> None:
    settings = settings_for(picture_folder)
    predict(Scripted(describe), settings, tmp_path)
    predict(Scripted(describe), replace(settings, versions={"python": "4.0"}), tmp_path)
    assert RunFolder(tmp_path).settings() == settings


def test_a_done_run_asks_nothing(picture_folder: Path, tmp_path: Path) -> None:
    predict(Scripted(describe), settings_for(picture_folder), tmp_path)
    before = (tmp_path / "predictions.jsonl").read_bytes()
    again = Scripted(describe)
    predict(again, settings_for(picture_folder), tmp_path)
    assert again.batches == []
    assert (tmp_path / "predictions.jsonl").read_bytes() == before


@pytest.mark.parametrize("cut", [1, 30, 80])
def test_a_half_written_last_line_is_done_again(
    cut: int, picture_folder: Path, tmp_path: Path
) -> None:
    predict(Scripted(describe), settings_for(picture_folder), tmp_path)
    target = tmp_path / "predictions.jsonl"
    whole = target.read_bytes()
    target.write_bytes(whole[: -min(cut, len(whole.splitlines()[-1]))])
    again = Scripted(describe)
    folder = predict(again, settings_for(picture_folder), tmp_path)
    assert again.batches == [ids(10)[9:]]
    assert [line["id"] for line in lines(tmp_path)] == ids(10)
    assert folder.predictions()[1] == []


def test_broken_lines_are_named_and_done_again_and_the_rest_is_kept(
    picture_folder: Path, tmp_path: Path
) -> None:
    predict(Scripted(describe), settings_for(picture_folder), tmp_path)
    target = tmp_path / "predictions.jsonl"
    good = target.read_bytes().splitlines(keepends=True)
    bad = [b"\xff\xfe\n", b'{"status": "ok"}\n', b'["a", "list"]\n', good[3][:20] + b"\n"]
    target.write_bytes(b"".join([*good[:3], *bad, *good[5:]]))
    again = Scripted(describe)
    folder = predict(again, settings_for(picture_folder), tmp_path)
    assert again.batches == [[ids(10)[3], ids(10)[4]]]
    predictions, problems = folder.predictions()
    assert sorted(predictions) == ids(10)
    assert [problem.split(":")[0] for problem in problems] == [
        f"predictions.jsonl, line {number}" for number in (4, 5, 6, 7)
    ]


def test_a_full_disk_stops_the_run_and_loses_nothing(
    picture_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(picture_folder)
    add = Appender.add
    batches = iter(range(10))

    def full(self: Appender, given: Sequence[Prediction]) -> None:
        if next(batches) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        add(self, given)

    monkeypatch.setattr(Appender, "add", full)
    with pytest.raises(OSError, match="No space left on device"):
        predict(Scripted(describe), settings, tmp_path, batch_size=3)
    monkeypatch.undo()
    assert [line["id"] for line in lines(tmp_path)] == ids(6)
    predict(Scripted(describe), settings, tmp_path, batch_size=3)
    assert [line["id"] for line in lines(tmp_path)] == ids(10)


def test_a_full_disk_under_a_model_is_no_failure_of_the_model(
    picture_folder: Path, tmp_path: Path
) -> None:
    def answer(example: Example) -> Output:
        raise OSError(errno.ENOSPC, "No space left on device", "/tmp/cache")

    with pytest.raises(OSError, match="No space left"):
        predict(Scripted(answer), settings_for(picture_folder), tmp_path, stop_after=0)
    assert lines(tmp_path) == []


def test_a_picture_is_there_in_full_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "images" / "a.png"

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_picture(target, b"data")
    assert not target.exists()
    monkeypatch.undo()
    write_picture(target, b"data")
    assert target.read_bytes() == b"data"
    write_picture(target, b"other")
    assert target.read_bytes() == b"other"
    assert [path.name for path in target.parent.iterdir()] == ["a.png"]


def test_baselines_need_no_pixels(
    picture_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A baseline gives paths: no picture is decoded, whatever the number of prompts."""

    def decode(*_: object) -> None:
        raise AssertionError("a picture was decoded")

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", decode)
    for name in ("copy", "query", "random", "oracle"):
        predict(load_model(name), settings_for(picture_folder, "image"), tmp_path / name)
        assert {line["status"] for line in lines(tmp_path / name)} == {"ok"}


def test_settings_make_the_same_examples_again(picture_folder: Path, tmp_path: Path) -> None:
    predict(Scripted(describe), settings_for(picture_folder), tmp_path)
    kept = RunFolder(tmp_path).settings()
    options = Options(output=kept.output, images=kept.images, seed=kept.seed)
    rows = examples(kept.configs[0], kept.split, options)[: kept.limit]
    assert [row["id"] for row in rows] == ids(10)
    assert kept.image_digest == rows[0]["image_source"]["digest"]
