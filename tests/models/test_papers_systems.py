"""What `cobsat models` and docs/models.md say of the papers' systems."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from cobsat.cli import main
from cobsat.models import MODELS
from cobsat.models.papers_systems import FETCHED, SYSTEMS
from cobsat.paper_tables import paper_scores
from cobsat.spec import TASKS

ROOT = Path(__file__).parents[2]


def test_every_system_of_both_papers_is_there() -> None:
    scored = {score.model for table in range(2, 7) for score in paper_scores(f"table{table}")}
    with open(ROOT / "cobsat_dataset" / "paper" / "touchstone_leaderboard.csv") as file:
        scored |= {row["model"] for row in csv.DictReader(file)}
    spelled = {name.replace("-", "").replace(" ", "") for name in SYSTEMS}
    missing = {name for name in scored if name.replace("-", "") not in spelled}
    assert missing == {"LLaVA"}  # of two releases
    assert {"GILL", "Emu", "Emu2", "Gemini", "Claude", "LLaVA-1.5", "LLaVA-NeXT"} <= set(SYSTEMS)


def test_what_runs_names_a_model_that_there_is() -> None:
    assert {system.state for system in SYSTEMS.values()} == {
        "runs", "through a server", "not available",
    }  # fmt: skip
    for system in SYSTEMS.values():
        model, _, options = system.how.partition(", ")
        assert (model in MODELS) == (system.state != "not available"), system
        assert system.state == "not available" or "=" in options


def test_cobsat_models_shows_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert main(["models"]) == 0
    shown = capsys.readouterr().out
    for name, system in SYSTEMS.items():
        assert re.search(
            rf"^{re.escape(name)} +{system.state} +{re.escape(system.how[:20])}", shown, re.M
        )


@pytest.mark.parametrize(
    ("section", "model", "count"),
    [
        ("SEED-LLaMA", "SEED-LLaMA", 11),
        ("GILL", "GILL", 1),
        ("Emu", "Emu", 1),
        ("Emu2", "Emu2", 1),
        ("Qwen-VL-Chat", "Qwen-VL", 10),
    ],
)
def test_the_page_holds_the_papers_numbers(section: str, model: str, count: int) -> None:
    page = (ROOT / "docs" / "models.md").read_text("utf-8")
    [told] = re.findall(rf"^## {section}$(.*?)(?=^## |\Z)", page, re.M | re.S)
    rows = re.findall(r"^\| (\d|authors) \| `(\w+)` \| (\d) \| (.*) \|$", told, re.M)
    assert len(rows) == count
    for table, method, shots, numbers in rows:
        paper = {
            score.task: score.accuracy
            for score in paper_scores(f"table{table}" if table.isdigit() else table)
            if (score.model, score.method, score.shots) == (model, method, int(shots))
        }
        assert [float(number) for number in numbers.split(" | ")] == [
            paper[task] for task in re.findall(r"`(\w+_ii?)`", told)[: len(TASKS)]
        ]


def test_the_page_holds_touchstones_numbers() -> None:
    page = (ROOT / "docs" / "models.md").read_text("utf-8")
    with open(ROOT / "cobsat_dataset" / "paper" / "touchstone_leaderboard.csv") as file:
        scores = {row["model"]: row["score"] for row in csv.DictReader(file)}
    names = {"Qwen-VL-Chat": "Qwen-VL", "MiniGPT-4": "MiniGPT4", "PandaGPT": "PandaGPT"}
    for section, name in names.items():
        [told] = re.findall(rf"^## {section}$(.*?)(?=^## |\Z)", page, re.M | re.S)
        assert f"(the paper's score: {scores[name]})" in told


def test_how_to_come_by_a_checkpoint_is_what_the_page_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = re.sub(r" \\\n +", " ", (ROOT / "docs" / "models.md").read_text("utf-8"))
    assert set(FETCHED) == {name for name, entry in MODELS.items() if entry.tiny}
    for name, lines in FETCHED.items():
        assert main(["models", name]) == 0
        shown = capsys.readouterr().out
        for line in lines:
            assert f"\n{line}\n" in page
            assert f"\n  {line}\n" in shown
