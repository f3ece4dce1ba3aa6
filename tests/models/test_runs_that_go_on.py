"""Runs that go on: errors asked again, a larger limit, a streaming model, a limit on the cost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from cobsat import Example, Options, RunFolder, RunSettings, image_source
from cobsat.cli import main
from cobsat.models import Capabilities, Output
from cobsat.models.predict import predict
from cobsat.models.protocol import Finished
from cobsat.models.settings import check_capabilities, default_folder, run_settings
from cobsat.models.spending import Spending, usage_line
from cobsat.run_examples import config_examples, config_ids

CONFIG = "color_i-2shot"


class Talker:
    """Describes; fails at the numbers that it is given, one way or another."""

    name = "talker"
    capabilities = Capabilities({"description"})
    session_options = frozenset({"slots"})

    def __init__(self, raises: Sequence[int] = (), errs: Sequence[int] = (), tokens: int = 0):
        self.raises, self.errs = raises, errs
        self.usage = {"input_tokens": tokens, "output_tokens": 1.0} if tokens else None
        self.asked: list[int] = []

    def record(self) -> dict[str, Any]:
        return {}

    def answer(self, example: Example) -> Output:
        number = int(example["id"][-4:])
        self.asked.append(number)
        if number in self.raises:
            raise ValueError(f"{number} is too much")
        if number in self.errs:
            return Output("error", reason="an empty completion", usage=self.usage)
        return Output(text=f"a {example['query']} car", usage=self.usage)

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        return [self.answer(example) for example in examples]


class Streamer(Talker):
    """Keeps some examples under way and finishes the newest first."""

    slots = 4
    closed = 0

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        raise AssertionError("the runner streams")

    def stream(self, examples: Iterator[Example]) -> Iterator[list[Finished]]:
        waiting: list[Example] = []
        try:
            while True:
                while len(waiting) < self.slots and (new := next(examples, None)) is not None:
                    waiting.append(new)
                if not waiting:
                    return
                done = [waiting.pop() for _ in range(min(2, len(waiting)))]
                yield [(example["id"], self.result(example), 0.5) for example in done]
        finally:
            self.closed += 1

    def result(self, example: Example) -> Output | Exception:
        try:
            return self.answer(example)
        except ValueError as error:
            return error


def settings_for(pictures: Path, limit: int | None = 10, **options: Any) -> RunSettings:
    chosen = Options(output="description", images=str(pictures))
    return run_settings("talker", Talker(), options, (CONFIG,), "test", chosen, limit)


def texts(out: Path) -> dict[str, str | None]:
    return {i: p.text for i, p in sorted(RunFolder(out).predictions()[0].items())}


def judged(out: Path) -> bytes:
    assert main(["judge", str(out), "--judge", "mention"]) == 0
    return RunFolder(out).scores_path("mention").read_bytes()


@pytest.mark.parametrize("kind", [Talker, Streamer])
def test_errors_asked_again_end_with_the_scores_of_a_run_without(
    kind: type[Talker], picture_folder: Path, tmp_path: Path
) -> None:
    settings = settings_for(picture_folder)
    predict(kind(raises=[2, 7], errs=[4]), settings, tmp_path / "run")
    predict(kind(), settings, tmp_path / "whole")
    assert judged(tmp_path / "run") != judged(tmp_path / "whole")

    again = kind(errs=[7])
    predict(again, settings, tmp_path / "run")
    assert again.asked == []
    predict(again, settings, tmp_path / "run", retry_errors=True)
    assert sorted(again.asked) == [2, 4, 7]
    statuses = {i: p.status for i, p in RunFolder(tmp_path / "run").predictions()[0].items()}
    assert [i for i, status in statuses.items() if status != "ok"] == [f"{CONFIG}-test-0007"]
    last = kind()
    predict(last, settings, tmp_path / "run", retry_errors=True)
    assert last.asked == [7]
    assert texts(tmp_path / "run") == texts(tmp_path / "whole")
    assert judged(tmp_path / "run") == judged(tmp_path / "whole")


def test_a_retry_that_fails_at_everything_leaves_the_run_as_it_was(
    picture_folder: Path, tmp_path: Path
) -> None:
    settings = settings_for(picture_folder)
    predict(Talker(raises=range(10)), settings, tmp_path, stop_after=0)
    before = (tmp_path / "predictions.jsonl").read_bytes()
    with pytest.raises(RuntimeError, match="same error for 10 examples in a row"):
        predict(Talker(raises=range(10)), settings, tmp_path, retry_errors=True)
    assert (tmp_path / "predictions.jsonl").read_bytes() == before


@pytest.mark.parametrize("larger", [15, None])
def test_a_larger_limit_goes_on(larger: int | None, picture_folder: Path, tmp_path: Path) -> None:
    predict(Talker(), settings_for(picture_folder), tmp_path / "run")
    model = Talker()
    predict(model, settings_for(picture_folder, larger), tmp_path / "run")
    assert model.asked == list(range(10, larger or 1000))
    assert RunFolder(tmp_path / "run").settings() == settings_for(picture_folder, larger)


@pytest.mark.parametrize(
    ("first", "message"),
    [(10, "limit must be 10 or more, as the run in .* began, got 5: name another folder"),
     (None, "limit must be none, as the run in .* began, got 5")],
)  # fmt: skip
def test_a_smaller_limit_is_refused(
    first: int | None, message: str, picture_folder: Path, tmp_path: Path
) -> None:
    RunFolder(tmp_path).start(settings_for(picture_folder, first))
    with pytest.raises(ValueError, match=message):
        predict(Talker(), settings_for(picture_folder, 5), tmp_path)
    assert RunFolder(tmp_path).settings().limit == first


def test_a_folder_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="must be a run folder, got no such folder"):
        RunFolder(tmp_path / "none").settings()
    with pytest.raises(FileNotFoundError, match=r"got one without run\.json"):
        RunFolder(tmp_path).settings()


@pytest.mark.parametrize("outputs", [{"text"}, {"image", "text"}, "image", set(), None])
def test_kinds_of_output_that_there_are_not_are_refused(outputs: Any) -> None:
    with pytest.raises(ValueError, match="outputs of Capabilities must be"):
        Capabilities(outputs)


def test_another_kind_of_output_is_refused_with_the_option_that_helps(picture_folder: Path) -> None:
    settings = settings_for(picture_folder)
    with pytest.raises(ValueError, match=r"got 'description': --output image, or take another$"):
        check_capabilities("m", Capabilities({"image"}, hint="take another"), settings)


def test_options_of_a_session_make_no_other_run(picture_folder: Path) -> None:
    plain, slow = settings_for(picture_folder), settings_for(picture_folder, slots=1)
    assert plain == slow
    assert default_folder(plain, [CONFIG]) == default_folder(slow, [CONFIG])


def test_what_streams_is_written_as_it_finishes(picture_folder: Path, tmp_path: Path) -> None:
    model = Streamer(raises=[5])
    predict(model, settings_for(picture_folder), tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "predictions.jsonl").read_text().splitlines()]
    assert [int(line["id"][-4:]) for line in lines][:4] == [3, 2, 5, 4]
    assert {line["id"]: line["status"] for line in lines} == {
        f"{CONFIG}-test-{n:04d}": "error" if n == 5 else "ok" for n in range(10)
    }
    assert lines[2]["reason"] == "ValueError: 5 is too much"
    assert {line["seconds"] for line in lines} == {0.5}
    assert model.closed == 1


def test_a_stream_that_fails_at_everything_is_closed(picture_folder: Path, tmp_path: Path) -> None:
    model = Streamer(raises=range(1000))
    with pytest.raises(RuntimeError, match="same error for 20 examples in a row"):
        predict(model, settings_for(picture_folder, None), tmp_path)
    assert len(model.asked) < 30
    assert model.closed == 1
    assert (tmp_path / "predictions.jsonl").read_bytes() == b""


def test_a_stream_that_forgets_an_example_is_told_so(picture_folder: Path, tmp_path: Path) -> None:
    class Forgetful(Streamer):
        def stream(self, examples: Iterator[Example]) -> Iterator[list[Finished]]:
            first, _ = next(examples), next(examples)
            yield [(first["id"], self.answer(first), 0.1)]

    with pytest.raises(ValueError, match=f"must answer all that it took, left {CONFIG}-test-0001"):
        predict(Forgetful(), settings_for(picture_folder), tmp_path)
    assert list(texts(tmp_path)) == [f"{CONFIG}-test-0000"]


@pytest.mark.parametrize("kind", [Talker, Streamer])
def test_a_limit_on_the_cost_stops_a_run_and_a_higher_one_goes_on(
    kind: type[Talker], picture_folder: Path, tmp_path: Path
) -> None:
    """Each answer costs 1,000 tokens at 2 and one at 1,000: 3,000 millionths."""
    settings = settings_for(picture_folder)
    for limit, expected in ((0.0, 0), (0.0125, 4), (0.0125, 4), (0.0149, 4), (0.0151, 5), (9, 10)):
        model = kind(tokens=1000)
        spending = Spending(limit, price_in=2, price_out=1000)
        predict(model, settings, tmp_path, spending=spending, batch_size=3)
        assert len(texts(tmp_path)) == expected
        assert spending.spent == pytest.approx(0.003 * expected)


def test_a_limit_on_the_cost_needs_prices_and_usage(picture_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="max_cost must come with prices"):
        Spending(1.0)
    with pytest.raises(ValueError, match="price_in must be 0 or more, got nan"):
        Spending(1.0, float("nan"))
    with pytest.raises(RuntimeError, match="must say how many tokens it used"):
        predict(Talker(), settings_for(picture_folder), tmp_path, spending=Spending(1.0, 1.0))
    assert len(texts(tmp_path)) == 1


def test_tokens_are_summed(picture_folder: Path, tmp_path: Path) -> None:
    spending = Spending(None, 2.0, 1000.0)
    folder = predict(Talker(tokens=1000), settings_for(picture_folder), tmp_path, spending=spending)
    line = usage_line(folder.predictions()[0].values(), spending)
    assert line == "used: 10,000 input tokens, 10 output tokens, cost 0.0300"
    assert usage_line([], spending) == ""


def test_the_command_says_what_to_do_next(
    picture_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    (tmp_path / "talking_adapter.py").write_text(
        "from cobsat.models import Capabilities, Output\n"
        "class Talker:\n"
        "    name = 'talker'\n"
        "    capabilities = Capabilities({'description'})\n"
        "    def record(self): return {}\n"
        "    def predict(self, examples):\n"
        "        return [Output(text='red', finish_reason='length', usage={'input_tokens': 500})\n"
        "                if e['id'][-1] != '3' else Output('error', reason='no')\n"
        "                for e in examples]\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    command = [
        "predict", "--model", "talking_adapter:Talker", "--config", CONFIG, "--limit", "20",
        "--images", str(picture_folder), "--output", "description", "--out", "run",
        "--price-in", "2",
    ]  # fmt: skip
    assert main([*command, "--max-cost", "0.0051"]) == 0
    out, err = capsys.readouterr()
    assert "stopped before the run costs more than 0.0051: give the same command with a" in err
    count = len(texts(tmp_path / "run"))
    assert 5 <= count < 20
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert "run: 20 predictions (18 ok, 2 error)" in out
    assert "used: 9,000 input tokens, cost 0.0180" in out
    assert "cut at the most tokens that a reply may have: 18" in err
    assert "the same command with --retry-errors" in err
    assert main([*command, "--retry-errors"]) == 0


@pytest.mark.parametrize(
    ("config", "split"),
    [("color_ii-4shot", "test"), ("all-2shot", "leave_color_out_test"), ("all-4shot", "ft_test")],
)
@pytest.mark.parametrize("limit", [None, 300])
def test_ids_are_known_without_making_the_examples(
    config: str, split: str, limit: int | None, picture_folder: Path
) -> None:
    settings = RunSettings("m", (config,), split, images=str(picture_folder), limit=limit)
    rows = config_examples(config, settings, image_source(str(picture_folder)))
    assert list(config_ids(config, settings)) == [row["id"] for row in rows]
