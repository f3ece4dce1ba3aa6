"""Checkpoints that draw under test: batches, seeds, rounds, records, whole runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny_drawers
import tiny_vlms
from cobsat import Options
from cobsat.cli import main
from cobsat.models.any_to_any import AnyToAny
from cobsat.models.seeds import example_seed
from cobsat.models.settings import check_capabilities, run_settings
from drawer_rows import load, pictures, ragged, rows, spy

pytestmark = pytest.mark.usefixtures("one_thread")

FAMILIES = list(tiny_drawers.FAMILIES)


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_picture_is_the_same_in_any_batch(
    family: str, checkpoint: Callable[[str], Path], picture_folder: Path
) -> None:
    model = load(checkpoint(family))
    batch = [*ragged(picture_folder), *rows(picture_folder, prompt_type="caption")[:1]]
    outputs = model.predict(batch)
    together = pictures(outputs)
    assert [pictures(model.predict([row]))[0] for row in reversed(batch)] == together[::-1]
    again = load(checkpoint(family), fresh=True)
    assert pictures(again.predict(batch[2:4])) == together[2:4]
    assert len(set(together)) == len(batch)
    seeds = [(output.extra or {})["seed"] for output in outputs]
    assert seeds == [example_seed(0, row["id"]) for row in batch]


def test_pictures_are_drawn_by_seed_and_id_or_are_greedy(
    family: str, checkpoint: Callable[[str], Path], picture_folder: Path
) -> None:
    batch = rows(picture_folder)[:2]
    first = pictures(load(checkpoint(family)).predict(batch))
    assert pictures(load(checkpoint(family), seed=1).predict(batch)) != first
    other: Any = {**batch[0], "id": f"{batch[0]['id']}-1"}
    assert pictures(load(checkpoint(family)).predict([other])) != first[:1]
    greedy = load(checkpoint(family), do_sample=False)
    outputs = greedy.predict([batch[0], other])
    same = pictures(outputs)
    assert same[0] == same[1] != first[0]
    assert outputs[0].extra is None


def test_guidance_and_settings_of_drawing_matter(
    family: str, checkpoint: Callable[[str], Path], picture_folder: Path
) -> None:
    batch = rows(picture_folder)[:2]
    model = load(checkpoint(family), fresh=True, guidance=1)
    free = pictures(model.predict(batch))
    assert pictures(model.predict(batch[1:])) == free[1:]
    drawn = {tuple(free)}
    changes: list[dict[str, Any]] = [
        {"guidance": 1.5}, {"temperature": 0.5}, {"top_k": 3}, {"top_p": 0.3}
    ]  # fmt: skip
    plain = model._drawing
    for change in changes:
        model._drawing = replace(plain, **change)
        drawn.add(tuple(pictures(model.predict(batch))))
    assert len(drawn) == 5


def test_a_negative_prompt_is_what_guidance_leads_away_from(
    checkpoint: Callable[[str], Path], picture_folder: Path
) -> None:
    batch = rows(picture_folder)[:2]
    usual = pictures(load(checkpoint("emu3")).predict(batch))
    other = load(checkpoint("emu3"), negative_prompt="blurry, by hand")
    assert pictures(other.predict(batch)) != usual
    assert other.record()["drawing"]["negative_prompt"] == "blurry, by hand"


def test_a_chain_of_thought_is_a_text_and_then_a_picture(
    family: str, checkpoint: Callable[[str], Path], picture_folder: Path
) -> None:
    model = load(checkpoint(family))
    given, _ = spy(model)
    batch = rows(picture_folder, prompt_type="cot")[:2]
    outputs = model.predict(batch)
    together = pictures(outputs)
    assert pictures(model.predict(batch[1:])) == together[1:]
    decode = model._processor.tokenizer.decode
    before = [(output.extra or {})["first_round"] for output in outputs]
    for row, (example, first) in enumerate(zip(batch, before, strict=True)):
        text = decode(given[0]["input_ids"][row])
        assert first["text"]
        assert first["finish_reason"] == "length"
        followup = str(example["followup"]).strip()
        assert re.search(
            rf"step by step.*{re.escape(first['text'])}.*{re.escape(followup)}", text, re.S
        )
        assert text.count("<|image start|>" if family == "emu3" else "<begin_of_image>") == 3
        seed = (outputs[row].extra or {})["seed"]
        assert seed == example_seed(0, example["id"], 1)
    usage = outputs[0].usage or {}
    assert usage["output_tokens"] == model._family.count + 5
    alone: Any = {**batch[0], "followup": None}
    first_round = model._writer.predict([alone])[0].usage or {}
    second_round = int(given[0]["attention_mask"][0].sum())
    assert usage["input_tokens"] == first_round["input_tokens"] + second_round


def test_the_record_says_how_pictures_are_drawn(checkpoint: Callable[[str], Path]) -> None:
    record = json.loads(json.dumps(load(checkpoint("emu3")).record()))
    assert record["architecture"] == "Emu3ForConditionalGeneration"
    assert re.fullmatch("[0-9a-f]{64}", record["weights_sha256"])
    assert record["dtype"] == "float32"
    assert record["layout"]["name"] == "plain"
    assert record["layout"]["why"] == "as the family was trained to draw"
    assert record["drawing"] == {
        "guidance": 3.0, "do_sample": True, "temperature": 1.0, "top_k": 2048, "top_p": 1.0,
        "seed": 0, "size": [32, 24], "picture_area": 256, "negative_prompt": "",
    }  # fmt: skip
    assert record["first_round"]["layout"]["name"] == "inline"
    assert record["first_round"]["decoding"] == {"max_new_tokens": 5, "do_sample": False}
    assert record["versions"]["device"] == "cpu"
    janus = load(checkpoint("janus"), seed=7).record()
    assert janus["drawing"] == {
        "guidance": 5.0, "do_sample": True, "temperature": 1.0, "top_k": 0, "top_p": 1.0,
        "seed": 7, "size": [32, 32],
    }  # fmt: skip
    greedy = load(checkpoint("emu3"), do_sample=False).record()["drawing"]
    assert greedy["do_sample"] is False
    assert "seed" not in greedy
    assert load(checkpoint("janus"), dtype="bfloat16").record()["dtype"] == "bfloat16"


def test_what_it_can_do(checkpoint: Callable[[str], Path]) -> None:
    model = load(checkpoint("janus"))
    assert model.capabilities.max_images is None
    settings = run_settings(
        "it", model, {}, ("color_i-2shot",), "test", Options(output="description")
    )
    with pytest.raises(ValueError, match="--output image, or --model transformers for descriptio"):
        check_capabilities("it", model.capabilities, settings)
    greedy = load(checkpoint("janus"), do_sample=False)
    several = run_settings("it", greedy, {}, ("color_i-2shot",), "test", Options(), samples=2)
    with pytest.raises(ValueError, match="pictures are greedy: leave out do_sample=false"):
        check_capabilities("it", greedy.capabilities, several)
    check_capabilities("it", model.capabilities, several)


@pytest.mark.parametrize(
    ("family", "options", "message"),
    [
        ("emu3", {"guidance": 0.5}, r"guidance must be a number of 1 \(none\) or more, got 0.5"),
        ("emu3", {"top_k": -1}, r"top_k must be an integer of 0 \(all\) or more, got -1"),
        ("emu3", {"do_sample": False, "top_k": 5}, "top_k must go with do_sample=true"),
        ("emu3", {"do_sample": False, "top_p": 0.5}, "temperature and top_p must go with"),
        ("emu3", {"temperature": 0}, "temperature must be above 0, got 0"),
        ("emu3", {"seed": 1.5}, "seed must be an integer, got 1.5"),
        ("emu3", {"image_area": 63}, "image_area must be an integer of 64 pixels or more, got 63"),
        ("emu3", {"picture_area": "big"}, "picture_area must be an integer of 64 pixels"),
        ("emu3", {"ratio": "0:1"}, "ratio must be width:height, such as 4:3, got '0:1'"),
        ("janus", {"image_area": 65536}, "image_area must be left out for a Janus .* 32 x 32 "),
        ("janus", {"negative_prompt": ""}, "negative_prompt must be left out for a Janus"),
        ("janus", {"dtype": "int8"}, "dtype must be one of auto, float32"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    family: str, options: dict[str, Any], message: str, checkpoint: Callable[[str], Path]
) -> None:
    with pytest.raises(ValueError, match=message):
        load(checkpoint(family), **options)


def test_only_checkpoints_that_draw_in_safetensors(tmp_path: Path) -> None:
    folder = tiny_vlms.save("qwen2_vl", tmp_path)
    with pytest.raises(ValueError, match=r"draws \(emu3, janus\), got .* of type 'qwen2_vl'"):
        AnyToAny(str(folder))
    with pytest.raises(FileNotFoundError, match="where there is no folder"):
        AnyToAny(str(tmp_path / "none"))
    folder = tiny_drawers.save("janus", tmp_path)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(OSError, match="safetensors"):
        load(folder)


def test_a_whole_run_goes_on_in_other_batches_to_the_same_end(
    family: str, checkpoint: Callable[[str], Path], picture_folder: Path, tmp_path: Path
) -> None:
    size = ["image_area=768", "ratio=3:2", "picture_area=256"] if family == "emu3" else []

    def run(out: str, limit: int, batch_size: int) -> list[dict[str, Any]]:
        options = [f"checkpoint={checkpoint(family)}", "seed=3", *size]
        code = main(
            [
                "predict", "--model", "any_to_any", "--config", "color_i-2shot",
                "--images", str(picture_folder), "--out", str(tmp_path / out),
                "--limit", str(limit), "--batch-size", str(batch_size), "--samples", "2",
                *(text for option in options for text in ("--model-option", option)),
            ]
        )  # fmt: skip
        assert code == 0
        lines = (tmp_path / out / "predictions.jsonl").read_text().splitlines()
        made = [{**json.loads(line), "seconds": 0} for line in lines]
        return sorted(made, key=lambda line: str(line["id"]))

    whole = run("whole", 4, 8)
    assert len({line["image_sha256"] for line in whole}) == 8
    assert {line["status"] for line in whole} == {"ok"}
    run("parts", 1, 1)
    assert run("parts", 4, 3) == whole
    for line in whole:
        first, second = (tmp_path / out / line["image"] for out in ("whole", "parts"))
        assert first.read_bytes() == second.read_bytes()
    settings = json.loads((tmp_path / "whole" / "run.json").read_text())
    assert settings["model_options"]["record"]["drawing"]["seed"] == 3
    assert settings["model_options"]["options"]["seed"] == 3
