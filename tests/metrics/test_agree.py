"""`cobsat agree` on made-up run folders whose numbers are known beforehand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cobsat import Prediction, RunFolder, RunSettings, Verdict
from cobsat.cli import main
from cobsat.metrics.agree import agreement_of_runs
from cobsat.metrics.grading import failed, grade
from cobsat.metrics.labels import Label, add_labels, labels_path
from cobsat.metrics.outputs import fingerprint, run_rows
from cobsat.run_folder import write_json

SETTINGS = RunSettings(
    "test", ("color_i-2shot", "style_ii-2shot"), output="description", limit=10, images="nowhere",
    image_digest="d" * 64,
)  # fmt: skip
Says = Callable[[dict[str, Any], int], Verdict | None]


def right(row: dict[str, Any], number: int) -> Verdict:
    return grade(row["reference"], row["reference"]["object"], row["reference"]["attribute"])


def wrong_every(step: int) -> Says:
    """A judge that sees a bag and yellow, or watercolor, in every so-manieth output."""

    def says(row: dict[str, Any], number: int) -> Verdict:
        attribute = "yellow" if row["task"] == "color_i" else "watercolor"
        return right(row, number) if number % step else grade(row["reference"], "bag", attribute)

    return says


def make_run(
    path: Path, *, settings: RunSettings = SETTINGS, text: str = "output {}", **judges: Says
) -> RunFolder:
    """A run of twenty descriptions, all different, with verdicts of judges."""
    folder = RunFolder(path)
    folder.start(settings)
    rows: list[Any] = list(run_rows(settings))
    with folder.append_predictions() as appender:
        appender.add(Prediction(row["id"], "ok", text=text.format(k)) for k, row in enumerate(rows))
    predictions, _ = folder.predictions()
    for name, says in judges.items():
        write_json(folder.verdicts_path(name).with_suffix(".json"), {"judge": name})
        with folder.append_verdicts(name) as verdicts:
            for k, row in enumerate(rows):
                verdict = says(row, k)
                if verdict is not None:
                    output = fingerprint(folder, predictions[row["id"]])
                    raw = {"output": output, **(verdict.raw or {})}
                    verdicts.add([replace(verdict, id=row["id"], raw=raw)])
    return folder


def label(folder: RunFolder, person: str, says: Says, numbers: Sequence[int]) -> None:
    rows: list[Any] = list(run_rows(SETTINGS))
    verdicts = [(rows[k], says(rows[k], k)) for k in numbers]
    add_labels(
        labels_path(folder, person),
        [Label(row["id"], v.object or "", v.attribute or "") for row, v in verdicts if v],
    )


def test_two_judges(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", first=right, second=wrong_every(5))
    result = agreement_of_runs([run.path])
    assert result["items"] == 20
    assert [(r["name"], r["n"], r["accuracy"]) for r in result["raters"]] == [
        ("first", 20, 1.0), ("second", 20, 0.8),
    ]  # fmt: skip
    (pair,) = result["pairs"]
    assert (pair["n"], pair["distinct"]) == (20, 20)
    assert pair["both"]["ratio"]["value"] == pair["right"]["ratio"]["value"] == 0.8
    assert pair["right"]["kappa"]["value"] == 0.0  # the first always says right: chance agrees too
    assert pair["both"]["kappa"]["value"] > 0.7
    assert pair["both"]["ratio"]["standard_error"] > 0
    keys = ("task", "n", "first_accuracy", "second_accuracy")
    assert [tuple(point[key] for key in keys) for point in pair["points"]] == [
        ("color_i", 10, 1.0, 0.8), ("style_ii", 10, 1.0, 0.8),
    ]  # fmt: skip
    assert pair["correlation"] is None
    assert [d["id"] for d in pair["disagreements"]] == [
        "color_i-2shot-test-0000", "color_i-2shot-test-0005", "style_ii-2shot-test-0000",
        "style_ii-2shot-test-0005",
    ]  # fmt: skip
    assert pair["disagreements"][0]["second"] == ("bag", "yellow")
    assert result["people"] is None
    assert result["problems"] == []


def test_points_of_several_runs_correlate(tmp_path: Path) -> None:
    paths = [
        make_run(tmp_path / name, first=wrong_every(step), second=wrong_every(step)).path
        for name, step in (("good", 5), ("fair", 2), ("bad", 1))
    ]
    (pair,) = agreement_of_runs(paths)["pairs"]
    assert [(p["run"], p["first_accuracy"]) for p in pair["points"]] == [
        ("good", 0.8), ("good", 0.8), ("fair", 0.5), ("fair", 0.5), ("bad", 0.0), ("bad", 0.0),
    ]  # fmt: skip
    assert pair["correlation"] == 1.0
    assert (pair["n"], pair["both"]["ratio"]["value"]) == (60, 1.0)


def test_no_answer_is_one_and_a_failed_call_is_none(tmp_path: Path) -> None:
    def unsure(row: dict[str, Any], number: int) -> Verdict | None:
        if number < 4:
            return failed("timed out")
        if number < 6:
            return grade(row["reference"], row["reference"]["object"], None, reason="unclear")
        return right(row, number) if number < 15 else None

    run = make_run(tmp_path / "run", first=unsure, second=right)
    (pair,) = agreement_of_runs([run.path])["pairs"]
    assert pair["n"] == 11  # 4 calls failed, 5 outputs were not judged yet
    assert pair["object"]["ratio"]["value"] == 1.0
    assert pair["attribute"]["ratio"]["value"] == pytest.approx(9 / 11)
    rater = agreement_of_runs([run.path])["raters"][0]
    assert (rater["no_answer"], rater["accuracy"]) == (2, pytest.approx(9 / 11))


def test_people_and_their_majority(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", judge=right)
    label(run, "ada", right, range(12))
    label(run, "bob", right, range(12))
    label(run, "cyd", wrong_every(4), range(12))  # outvoted on 0, 4 and 8
    result = agreement_of_runs([run.path])
    assert [(r["kind"], r["n"]) for r in result["raters"]] == [
        ("judge", 20), ("person", 12), ("person", 12), ("person", 12), ("majority", 12),
    ]  # fmt: skip
    by_names = {(p["first"], p["second"]): p for p in result["pairs"]}
    assert len(by_names) == 7  # four with the judge, three of people
    assert by_names["judge", "majority of 3 people"]["both"]["ratio"]["value"] == 1.0
    assert by_names["judge", "cyd"]["both"]["ratio"]["value"] == 0.75
    people = result["people"]
    assert (people["persons"], people["n"]) == (3, 12)
    assert people["both"]["pairwise"]["value"] == pytest.approx((9 * 3 + 3) / 36)
    # where cyd differs, the others are tied for ada and bob, and against cyd
    assert people["both"]["leave_one_out"]["value"] == pytest.approx(27 / 30)
    assert 0.5 < people["both"]["alpha"]["value"] < 1


def test_ties_are_left_out_and_counted(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", judge=right)
    label(run, "ada", right, range(10))
    label(run, "bob", wrong_every(5), range(10))
    result = agreement_of_runs([run.path])
    most = result["raters"][-1]
    assert (most["name"], most["n"], most["tied"]) == ("majority of 2 people", 10, 2)
    pair = next(p for p in result["pairs"] if p["second"] == most["name"])
    assert (pair["both"]["ratio"]["n"], pair["both"]["ratio"]["value"]) == (8, 1.0)


def test_the_same_output_again_adds_no_certainty(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", text="the same", first=right, second=wrong_every(3))
    (pair,) = agreement_of_runs([run.path])["pairs"]
    assert (pair["n"], pair["distinct"]) == (20, 2)
    other = make_run(tmp_path / "other", first=right, second=wrong_every(3))
    (many,) = agreement_of_runs([other.path])["pairs"]
    assert pair["both"]["ratio"]["value"] == many["both"]["ratio"]["value"]
    only = agreement_of_runs([run.path])["pairs"][0]["points"][0]["both"]["ratio"]
    assert only["standard_error"] is None  # one output: nothing tells how sure it is


def test_verdicts_about_other_outputs_are_left_out(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", first=right, second=right)
    rows = list(run_rows(SETTINGS))
    add_labels(
        labels_path(run, "ada"),
        [Label(rows[k]["id"], "car", "red", "0" * 16 if k else None) for k in range(3)],
    )
    lines = run.predictions_path.read_text().replace('"output 7"', '"another"')
    run.predictions_path.write_text(lines)
    result = agreement_of_runs([run.path])
    assert [rater["n"] for rater in result["raters"]] == [19, 19, 1]
    assert result["problems"] == [
        "first: 1 verdict is about another output than the one that is there now, and left out: "
        "judge anew",
        "second: 1 verdict is about another output than the one that is there now, and left out: "
        "judge anew",
        "ada: 2 verdicts are about another output than the one that is there now, and left out: "
        "label anew",
    ]


def test_outputs_without_anything_to_see_are_not_rated(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", first=right, second=right)
    lines = run.predictions_path.read_text().splitlines()
    lines[0] = json.dumps({"id": json.loads(lines[0])["id"], "status": "error", "reason": "no"})
    lines[1] = json.dumps({"id": json.loads(lines[1])["id"], "status": "ok", "text": "  "})
    run.predictions_path.write_text("\n".join(lines[:-1]) + "\n")
    result = agreement_of_runs([run.path])
    assert result["items"] == 17
    assert result["pairs"][0]["n"] == 17


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", first=right, second=right)
    other = make_run(
        tmp_path / "other", settings=replace(SETTINGS, image_digest="e" * 64), first=right
    )
    with pytest.raises(ValueError, match="runs must have the same image_digest"):
        agreement_of_runs([run.path, other.path])
    with pytest.raises(ValueError, match="got first: have another judge it"):
        agreement_of_runs([other.path])
    with pytest.raises(ValueError, match="run folders must differ"):
        agreement_of_runs([run.path, run.path])
    with pytest.raises(FileNotFoundError, match="must be a run folder"):
        agreement_of_runs([tmp_path])


def test_another_setting_of_a_judge_is_told(tmp_path: Path) -> None:
    paths = [make_run(tmp_path / n, first=right, second=right).path for n in "ab"]
    write_json(paths[1] / "verdicts" / "first.json", {"judge": "first", "checkpoint": "other"})
    assert agreement_of_runs(paths)["problems"] == [
        "b: first is another version or setting than elsewhere"
    ]


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "run", first=right, second=wrong_every(5))
    out = tmp_path / "numbers.json"
    assert main(["agree", str(run.path), "--json", str(out), "--disagreements"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert max(map(len, said.out.splitlines())) <= 80
    assert "first and second: 20 outputs (20 distinct)" in said.out
    assert re.search(r"object and attribute +0.800 ±", said.out)
    assert "style_ii-2shot-test-0005" in said.out
    assert "yellow bag" in said.out
    before = out.read_bytes()
    assert json.loads(before) == json.loads(json.dumps(agreement_of_runs([run.path])))
    assert main(["agree", str(run.path), "--json", str(out)]) == 0
    assert out.read_bytes() == before


def test_many_pairs_are_one_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "run", first=right, second=wrong_every(5), third=wrong_every(2))
    label(run, "ada", right, range(5))
    label(run, "bob", right, range(5))
    assert main(["agree", str(run.path)]) == 0
    short = capsys.readouterr().out
    assert "people among themselves: 5 outputs (5 distinct)" in short
    assert "style_ii" not in short
    assert "first, majority of 2 people" in short
    assert main(["agree", str(run.path), "--details"]) == 0
    assert capsys.readouterr().out.count("object and attribute  ") == 14


def test_what_files_hold_is_only_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "[bold red]\x1b[2J\u202ebag[/]"

    def says(row: dict[str, Any], number: int) -> Verdict:
        return Verdict("", "scored", hostile, "x" * 500, False, False)

    run = make_run(tmp_path / "run", first=right, **{"[link=x]": says})
    assert main(["agree", str(run.path), "--disagreements"]) == 0
    out = capsys.readouterr().out
    assert r"[bold red]\x1b[2J\u202ebag[/]" in out.replace("\n", "")
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "x" * 100 not in out


def test_a_wrong_label_is_one_line_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(tmp_path / "run", first=right)
    path = labels_path(run, "ada")
    path.parent.mkdir()
    path.write_text("id;object;attribute\ncolor_i-2shot-test-0000;carr;red\n")
    assert main(["agree", str(run.path)]) == 2
    assert "ada.csv, line 2: object must be one of leaf, " in capsys.readouterr().err
