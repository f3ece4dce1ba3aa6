"""`cobsat compare` on made-up run folders: numbers, words, and what is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cobsat import Prediction, RunFolder, RunSettings, Verdict
from cobsat.cli import main
from cobsat.metrics.compare import (
    Pair,
    common_judge,
    compare_runs,
    labels,
    read_run,
)
from cobsat.metrics.comparison import Comparison, compare_pairs, mean_of_comparisons
from cobsat.metrics.comparison_words import difference_in_words
from cobsat.metrics.outputs import run_rows

SETTINGS = RunSettings(
    "test", ("color_i-2shot", "style_ii-2shot"), output="description", limit=60, images="nowhere",
    image_digest="d" * 64,
)  # fmt: skip
RECORD = {"checkpoint": "c", "versions": {"torch": "1"}}

Right = Callable[[int], bool]


def make_run(
    path: Path,
    right: Right,
    settings: RunSettings = SETTINGS,
    judge: str = "mention",
    record: Mapping[str, Any] = RECORD,
    change: Callable[[int, Prediction, Verdict], tuple[Prediction | None, Verdict | None]]
    | None = None,
) -> Path:
    """Make a run whose outputs are right where `right` of their row number says so."""
    folder = RunFolder(path)
    folder.start(settings)
    predictions, verdicts = [], []
    for number, row in enumerate(run_rows(settings)):
        correct = right(number)
        prediction: Prediction | None = Prediction(row["id"], "ok", text="…")
        verdict: Verdict | None = Verdict(
            row["id"], "scored", object_correct=True, attribute_correct=correct
        )
        if change:
            prediction, verdict = change(number, prediction, verdict)  # type: ignore[arg-type]
        predictions += [prediction] if prediction else []
        verdicts += [verdict] if verdict else []
    with folder.append_predictions() as appender:
        appender.add(predictions)
    with folder.append_verdicts(judge) as appender:
        appender.add(verdicts)
    folder.verdicts_path(judge).with_suffix(".json").write_text(json.dumps(record))
    folder.scores_path(judge).parent.mkdir(exist_ok=True)
    folder.scores_path(judge).write_text("{}")
    return path


def compared(*paths: Path, judge: str = "mention") -> list[Pair]:
    letters = labels(len(paths))
    return compare_runs(
        [read_run(RunFolder(p), judge, name) for p, name in zip(paths, letters, strict=True)]
    )


def compare(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["compare", *map(str, arguments)])
    out, error = capsys.readouterr()
    return code, out, " ".join(error.split())


def test_numbers_are_those_of_the_pure_functions(tmp_path: Path) -> None:
    def first(number: int) -> bool:
        return number % 3 == 0

    def second(number: int) -> bool:
        return number % 3 == 0 or number % 5 == 1

    (pair,) = compared(make_run(tmp_path / "a", first), make_run(tmp_path / "b", second))
    rows = list(run_rows(SETTINGS))
    assert len(rows) == 120
    expected = []
    for start in (0, 60):
        numbers = range(start, start + 60)
        clusters = [(rows[n]["query"], rows[n]["latent_variable"]) for n in numbers]
        expected.append(
            compare_pairs([first(n) for n in numbers], [second(n) for n in numbers], clusters)
        )
    assert [(g.task, g.shots, g.result) for g in pair.tasks] == [
        ("color_i", 2, expected[0]), ("style_ii", 2, expected[1]),
    ]  # fmt: skip
    assert {g.task: g.result for g in pair.means} == {
        "object_inference": expected[0],
        "attribute_inference": expected[1],
        "all": mean_of_comparisons(expected),
    }
    # 40 of 120 are right in the first; of the others, one in five (16) in the second
    (overall,) = pair.overall()
    assert overall.result.first.value == pytest.approx(40 / 120)
    assert overall.result.difference == pytest.approx(16 / 120)
    assert (overall.result.only_first, overall.result.only_second) == (0, 16)
    assert overall.tasks == ("color_i", "style_ii")


def test_what_is_not_known_in_either_is_left_out(tmp_path: Path) -> None:
    def broken(number: int, p: Prediction, v: Verdict) -> Any:
        match number:
            case 0:
                return None, None
            case 1:
                return p, None
            case 2:
                return p, Verdict(p.id, "error", reason="timed out")
            case 3:
                return Prediction(p.id, "error", reason="no"), Verdict(p.id, "unscored")
            case 4:
                return Prediction(p.id, "blocked", reason="no"), None
            case 5:
                return p, Verdict(p.id, "unscored", reason="unclear")
            case 6:  # about another output than the one that is there
                return p, replace(v, raw={"output": "f" * 16})
        return p, v

    def also(number: int, p: Prediction, v: Verdict) -> Any:
        # what failed in both is counted once; number 7 failed here alone
        return (p, Verdict(p.id, "error", reason="x")) if number in (2, 7) else (p, v)

    a = make_run(tmp_path / "a", lambda _: True, change=broken)
    b = make_run(tmp_path / "b", lambda _: True, change=also)
    (pair,) = compared(a, b)
    assert pair.left_out == {
        "only in the first run": 0, "only in the second run": 0, "missing": 3, "judge_failed": 2,
    }  # fmt: skip
    assert pair.counts == (
        {"scored": 112, "unscored": 1, "failed": 1, "blocked": 1},
        {"scored": 115},
    )
    (overall,) = pair.overall()
    assert (overall.result.n, overall.result.only_second) == (115, 3)
    back, forth = compared(b, a)[0].overall()[0].result, overall.result
    assert back.difference == -forth.difference


def test_only_common_prompts_are_compared(tmp_path: Path) -> None:
    a = make_run(tmp_path / "a", lambda n: n % 2 == 0)
    fewer = replace(SETTINGS, configs=("color_i-2shot", "color_i-4shot"), limit=20)
    b = make_run(tmp_path / "b", lambda n: n % 2 == 1, fewer)
    (pair,) = compared(a, b)
    assert pair.left_out["only in the first run"] == 100
    assert pair.left_out["only in the second run"] == 20
    assert [(g.task, g.result.n) for g in pair.tasks] == [("color_i", 20)]
    assert pair.overall()[0].result == pair.tasks[0].result


def test_command_on_three_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generator = random.Random(4)
    luck = [generator.random() < 0.5 for _ in range(240)]
    settings = replace(SETTINGS, configs=(*SETTINGS.configs, "color_i-4shot", "style_ii-4shot"))
    a = make_run(tmp_path / "[red]a", lambda n: luck[n], settings)
    b = make_run(tmp_path / "b\x1b[31m", lambda n: luck[n] or n % 3 == 0, settings)
    c = make_run(tmp_path / "c", lambda n: luck[n] != (n % 40 == 0), settings)
    code, out, error = compare(capsys, a, b, c, "--json", tmp_path / "out" / "all.json")
    assert (code, error) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "[red]a" in out
    assert "\x1b[31m" not in out
    assert "…" not in out
    said = " ".join(out.split())
    assert "Judged by mention; pictures: folder:nowhere." in said
    assert said.count("the difference stands.") == 2
    assert said.count("this could be chance. Only 3 prompts told the runs apart.") == 2
    assert said.count("corrected for 4 comparisons (Holm)") == 4
    for heading in ("B against A, 2 shots", "B against A, 4 shots", "C against A, 4 shots"):
        assert heading in out

    text = (tmp_path / "out" / "all.json").read_text("utf-8")
    assert str(tmp_path) not in text
    data = json.loads(text)
    assert data["judge"] == {"name": "mention", **RECORD}
    assert [run["name"] for run in data["runs"]] == ["[red]a", "b\x1b[31m", "c"]
    assert [(p["first"], p["second"]) for p in data["pairs"]] == [("A", "B"), ("A", "C")]
    alls = [m for p in data["pairs"] for m in p["means"] if m["task"] == "all"]
    raw = sorted(m["deciding_p"] for m in alls)
    # the smallest of four is Holm's times four
    assert min(m["corrected_p"] for m in alls) == pytest.approx(min(1, 4 * raw[0]))
    assert all(m["corrected_p"] >= m["deciding_p"] for m in alls)
    assert data["pairs"][0]["counts"] == {"A": {"scored": 240}, "B": {"scored": 240}}
    first = data["pairs"][0]["tasks"][0]
    assert (first["task"], first["shots"], first["n"], first["only_first"]) == ("color_i", 2, 60, 0)

    again = tmp_path / "again.json"
    assert compare(capsys, a, b, c, "--json", again)[1] == out
    assert again.read_text("utf-8") == text


def test_command_tells_of_other_prompts_and_of_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(number: int, p: Prediction, v: Verdict) -> Any:
        failed = Prediction(p.id, "error", reason="no")
        return (None, None) if number == 0 else (failed, None) if number < 4 else (p, v)

    a = make_run(tmp_path / "a", lambda n: n % 2 == 0)
    misleading = replace(SETTINGS, prompt_type="misleading", limit=50)
    b = make_run(tmp_path / "b", lambda n: n % 2 == 0, misleading, change=change)
    with open(RunFolder(b).predictions_path, "ab") as file:
        file.write(b"oops\n")
    code, out, error = compare(capsys, a, b)
    said = " ".join(out.split())
    assert code == 0
    assert "The prompts differ in prompt_type: default (A), misleading (B)." in said
    assert "Prompts left out: 20 only in A, 1 without a prediction or a verdict." in said
    assert "Counted as wrong in B: 3 failed." in said
    assert error.startswith("left out: b: predictions.jsonl, line ")


def test_runs_that_cannot_be_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def other(name: str, **changes: Any) -> Path:
        return make_run(tmp_path / name, lambda _: True, replace(SETTINGS, **changes))

    a = other("a")
    for path, words in (
        (other("pictures", image_digest="e" * 64, images="official"),
         "pictures of A (a) and B (pictures) must be the same, got folder:nowhere (digest dddddddd)"
         " and official (digest eeeeeeee)"),
        (other("kind", output="image"), "must be of one kind, got description and image"),
        (other("seed", seed=7), "got the lists of seed 123 and of seed 7"),
        (other("shots", configs=("color_i-4shot",)),
         "must have prompts in common, got color_i-2shot, style_ii-2shot of split test and "
         "color_i-4shot of split test"),
        (make_run(tmp_path / "judge", lambda _: True, record={**RECORD, "checkpoint": "d"}),
         "must be by the very same judge, got checkpoint: 'c' and 'd'"),
        (make_run(tmp_path / "clip", lambda _: True, judge="clip"),
         "must have a judge in common, got a: mention; clip: clip"),
        (make_run(tmp_path / "none", lambda _: True, change=lambda n, p, v: (p, None)),
         "with a verdict in common, got none of 120"),
        (a, "runs must be different folders, got a twice"),
        (tmp_path / "nothing", "must be a run folder, got no such folder"),
    ):  # fmt: skip
        code, out, error = compare(capsys, a, path)
        assert code == 2
        assert words in error
        assert out == ""
    assert "two or more, got 1" in compare(capsys, a)[2]
    versions = {**RECORD, "versions": {"torch": "2"}}
    b = make_run(tmp_path / "versions", lambda _: True, record=versions)
    assert compare(capsys, a, b)[0] == 0


def test_which_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(name: str, *judges: str) -> RunFolder:
        folder = RunFolder(tmp_path / name)
        for judge in judges:
            folder.scores_path(judge).parent.mkdir(parents=True, exist_ok=True)
            folder.scores_path(judge).write_text("{}")
        return folder

    everyone = ["a-judge", "api-gpt", "clip", "llava", "mention"]
    one, two = run("1", *everyone), run("2", *everyone)
    assert common_judge([one, two]) == "llava"
    assert common_judge([one, run("3", "clip", "mention")]) == "clip"
    assert common_judge([one, run("4", "mention", "a-judge")]) == "a-judge"
    assert common_judge([one, run("5", "api-gpt", "a-judge")]) == "a-judge"
    assert common_judge([one, two], "mention") == "mention"
    with pytest.raises(ValueError, match="judge of every run must be one of clip, mention, got"):
        common_judge([one, run("6", "clip", "mention")], "llava")


def words(first: list[bool], second: list[bool], **options: Any) -> str:
    result: Comparison = compare_pairs(first, second, range(len(first)))
    return difference_in_words(result, "A", "B", options.pop("p", result.deciding_p), **options)


def test_words() -> None:
    no, yes = [False], [True]
    # 30 of 100: standard error root(0.21 / 99) = 0.04606, t(99) = 1.9842
    better = words(no * 100, yes * 30 + no * 70)
    assert better == (
        "B is 30.0 points better than A (95% interval 20.9 to 39.1; p < 0.001): "
        "the difference stands."
    )
    assert words(yes * 30 + no * 70, no * 100) == better.replace("B is", "X is").replace(
        "than A", "than B"
    ).replace("X is", "A is")
    # 16 against 14: root((0.3 - 0.02²) * 100 / 99) / 10 = 0.05502; times 1.9842 + 0.8453
    chance = words(yes * 14 + no * 86, no * 14 + yes * 16 + no * 70)
    assert chance == (
        "B is 2.0 points better than A (95% interval -8.9 to 12.9; p = 0.72): this could be "
        "chance. With these prompts a difference under 15.6 points would often not have shown "
        "(80% power)."
    )
    assert "; p = 0.031, corrected for 3 comparisons (Holm)): the difference stands." in words(
        no * 100, yes * 30 + no * 70, p=0.0312, comparisons=3
    )
    assert "this could be chance. Only 5 prompts told the runs apart. With" in words(
        no * 100, yes * 5 + no * 95
    )
    assert "Only 1 prompt told" in words(no * 100, yes + no * 99)
    same = words(yes * 50 + no * 50, yes * 50 + no * 50)
    assert same == (
        "No difference was seen between A and B (95% interval -3.8 to 3.8; p = 1.00): they are "
        "right on the very same prompts."
    )
    unknown = compare_pairs(no * 2, yes + no, ["a", "a"])
    assert difference_in_words(unknown, "A", "B", None) == (
        "B is 50.0 points better than A. Whether that stands cannot be told: in some task all "
        "prompts ask for the same thing."
    )


def test_samples_of_a_prompt_count_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = replace(SETTINGS, configs=("color_i-2shot",), samples=5)
    assert len(list(run_rows(settings))) == 300

    def change(number: int, p: Prediction, v: Verdict) -> Any:
        match number:
            case 7:  # the third output of prompt 1: nothing is known of it
                return p, Verdict(p.id, "error", reason="timed out")
            case 12:  # of prompt 2: the model failed, which is wrong
                return Prediction(p.id, "error", reason="no"), None
            case 299:  # of the last prompt: not there yet
                return None, None
        return p, v

    # output 5n + k is right for k < n mod 6: n mod 6 of a prompt's five
    a = make_run(tmp_path / "a", lambda i: i % 5 < i // 5 % 6, settings, change=change)
    b = make_run(tmp_path / "b", lambda n: n % 6 == 5, replace(settings, samples=1))
    c = make_run(tmp_path / "c", lambda i: i % 5 >= i // 5 % 6, settings)
    to_b, to_c = compared(a, b, c)
    for pair in (to_b, to_c):
        assert pair.left_out == {
            "only in the first run": 0, "only in the second run": 0, "missing": 1,
            "judge_failed": 1,
        }  # fmt: skip
    assert to_b.counts == ({"scored": 289, "failed": 1}, {"scored": 58})
    assert to_c.counts[1] == {"scored": 290}
    (overall,) = to_b.overall()
    # ten rounds of 0 to 5 fifths, but for prompts 1 and 59 (1 and 5); 2's failed one was wrong
    # anyway, its first two are right
    assert overall.result.n == 58
    assert overall.result.first.value == pytest.approx((10 * 15 - 1 - 5) / 5 / 58)
    assert overall.result.second.value == pytest.approx(9 / 58)
    # what is right in A's n mod 6 of five is in B's one for all five only
    assert (overall.result.only_first, overall.result.only_second) == (39, 0)
    assert overall.result.mcnemar_p is None
    # c is right where a is wrong: more often for 0, 1, 2 of five
    (other,) = to_c.overall()
    assert (other.result.only_first, other.result.only_second) == (29, 29)
    assert other.result.mcnemar_p == 1.0

    code, out, error = compare(capsys, a, b, c, "--json", tmp_path / "c.json")
    assert (code, error) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    said = " ".join(out.split())
    assert (
        "Outputs for each prompt: 5 (A), 1 (B), 5 (C). What is compared is the share of a" in said
    )
    assert "McNemar's test needs as many outputs in both runs;" in said
    assert "Outputs counted as wrong in A: 1 failed." in said
    data = json.loads((tmp_path / "c.json").read_text("utf-8"))
    assert [run.get("samples") for run in data["runs"]] == [5, None, 5]

    out = compare(capsys, a, c)[1]
    assert "Outputs for each prompt: 5 (A), 5 (C)." not in out
    assert "Outputs for each prompt: 5 (A), 5 (B)." in out
    assert "McNemar's test needs" not in " ".join(out.split())
