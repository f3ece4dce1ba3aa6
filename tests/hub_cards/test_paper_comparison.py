"""The paper's numbers beside those of runs, against the paper's tables read by hand."""

from __future__ import annotations

import pytest
from cobsat import TASKS, RunSettings
from cobsat.hub_cards.paper_comparison import PaperLine, family, paper_tables, why_not
from cobsat.hub_cards.report_data import Run
from cobsat.hub_cards.report_scores import COUNTS, RATES, Estimate, Row, Scores

SEED = {"record": {"name": "seed_llama", "checkpoint": "seed-llama-14b"}}
QWEN = {"record": {"name": "transformers", "checkpoint": "Qwen/Qwen2.5-VL-7B-Instruct"}}


def run(
    label: str = "mine",
    *,
    tasks: tuple[str, ...] = ("color_i", "color_ii"),
    shots: int = 2,
    value: float = 0.5,
    images: str = "official",
    **settings: object,
) -> Run:
    asked = RunSettings("m", ("all-2shot",), images=images, **settings)  # type: ignore[arg-type]
    rows = tuple(
        Row(task, shots, dict.fromkeys(RATES, Estimate(value, 0.1, 9)), dict.fromkeys(COUNTS, 0),
            False)
        for task in tasks
    )  # fmt: skip
    scores = {"llava": Scores("llava", {}, rows, (), ())}
    return Run(None, label, asked, {}, scores, {}, None, ())  # type: ignore[arg-type]


def values(line: PaperLine) -> list[float | None]:
    return [estimate and estimate.value for estimate in line.values]


def test_a_run_stands_beside_the_papers_row_of_its_family() -> None:
    (table,) = paper_tables([run(model_options=SEED)], "llava")
    assert table.title == "pictures, 2 shots, default prompts"
    assert table.tasks == ("color_i", "color_ii")
    assert [(line.name, line.source, line.kind) for line in table.lines] == [
        ("mine", "this run", "run"),
        ("minus the paper's SEED-LLaMA", "difference", "difference"),
        ("SEED-LLaMA", "Table 2", "paper"),
    ]
    mine, difference, paper = table.lines
    assert values(mine) == [0.5, 0.5]
    assert values(paper) == [0.680, 0.287]  # Table 2, SEED-LLaMA, 2 shots, T2I-ICL
    assert values(difference) == pytest.approx([-0.180, 0.213])
    assert mine.mean() == 0.5
    assert paper.mean() == pytest.approx((0.680 + 0.287) / 2)
    first = difference.values[0]
    assert first is not None
    assert first.value == pytest.approx(-0.18)
    assert first.interval == pytest.approx((0.5 - 0.196 - 0.68, 0.5 + 0.196 - 0.68))


def test_descriptions_at_2_shots_have_the_authors_ten_systems_too() -> None:
    (table,) = paper_tables([run(output="description", model_options=QWEN)], "llava")
    found = {line.name: line for line in table.lines if line.kind == "paper"}
    assert set(found) == {
        "Qwen-VL", "Emu", "Emu2", "GILL", "SEED-LLaMA", "LLaVA-1.5", "LLaVA-NeXT", "Gemini",
        "GPT-4V", "Claude",
    }  # fmt: skip
    assert found["Qwen-VL"].source == "Table 2"
    assert values(found["Qwen-VL"]) == [0.475, 0.457]
    assert found["GPT-4V"].source == "authors"
    assert values(found["GPT-4V"]) == [0.842, None]  # of object inference only
    assert found["GPT-4V"].mean() is None


def test_another_family_has_no_difference() -> None:
    (table,) = paper_tables([run(model_options={"record": {"checkpoint": "x/y"}})], "llava")
    assert [line.kind for line in table.lines] == ["run", "paper"]


def test_tables_hold_what_was_asked_alike() -> None:
    runs = [
        run("plain", model_options=SEED),
        run("four", shots=4, model_options=SEED),
        run("told", prompt_type="instruct", model_options=SEED),
        run("misled", prompt_type="misleading", model_options=SEED),  # in no table of the paper
    ]
    tables = {table.title: table for table in paper_tables(runs, "llava")}
    assert set(tables) == {
        "pictures, 2 shots, default prompts",
        "pictures, 4 shots, default prompts",
        "pictures, 2 shots, instruct prompts",
    }
    last = tables["pictures, 2 shots, instruct prompts"].lines[-1]
    assert last.source == "Table 6"
    assert values(last)[0] == 0.779


def test_a_tuned_model_stands_beside_the_tuned_one() -> None:
    tuned = {"record": {"checkpoint": "Qwen/Qwen-VL-Chat", "adapter": {"weights_sha256": "ab"}}}
    options = {"output": "description", "split": "ft_test"}
    (table,) = paper_tables(
        [
            run("tuned", model_options=tuned, **options),
            run("base", model_options=QWEN, **options),
        ],
        "llava",
    )
    assert table.title == "descriptions, 2 shots, default prompts, split ft_test"
    lines = {line.name: line for line in table.lines}
    assert values(lines["Qwen-VL"]) == [0.540, 0.276]  # Table 4
    assert values(lines["Qwen-VL, fine-tuned"]) == [0.852, 0.516]
    assert values(lines["minus the paper's Qwen-VL, fine-tuned"]) == pytest.approx([-0.352, -0.016])
    assert values(lines["minus the paper's Qwen-VL"]) == pytest.approx([-0.04, 0.224])


@pytest.mark.parametrize("images", ["rendered", "/somewhere/pictures"])
def test_off_the_official_pictures_there_is_a_reason_and_no_table(images: str) -> None:
    mine = run(images=images, model_options=SEED)
    assert paper_tables([mine], "llava") == []
    name = "rendered" if images == "rendered" else "folder:pictures"
    assert f"these on {name} ones" in why_not([mine])
    assert "/somewhere" not in why_not([mine])
    assert why_not([run()]) == ""


def test_a_judge_that_scored_nothing_has_no_table() -> None:
    assert paper_tables([run(model_options=SEED)], "clip") == []


def test_tasks_stand_in_the_papers_order() -> None:
    (table,) = paper_tables([run(tasks=tuple(reversed(TASKS)), model_options=SEED)], "llava")
    assert table.tasks == tuple(TASKS)


@pytest.mark.parametrize(
    ("name", "which"),
    [
        ("llava-hf/llava-1.5-13b-hf", "LLaVA-1.5"),
        ("llava-hf/llava-v1.6-vicuna-13b-hf", "LLaVA-NeXT"),
        ("Qwen/Qwen-VL-Chat", "Qwen-VL"),
        ("Qwen/Qwen2.5-VL-72B-Instruct", "Qwen-VL"),
        ("Qwen/Qwen2.5-7B", None),
        ("BAAI/Emu2", "Emu2"),
        ("BAAI/Emu", "Emu"),
        ("BAAI/Emu3-Chat", None),
        ("gpt-4-vision-preview", "GPT-4V"),
        ("gpt-4o-mini", None),
        ("gemini-2.5-pro", "Gemini"),
        ("claude-3-5-haiku", "Claude"),
        ("mini-vlm", None),
    ],
)
def test_families_are_told_by_the_checkpoints_name(name: str, which: str | None) -> None:
    assert family(RunSettings("m", (), model_options={"record": {"checkpoint": name}})) == which
