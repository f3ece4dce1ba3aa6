"""A model that describes and one that draws, in a row: what each is given, and what is kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from chat_server import Call, ChatServer, Response, completion
from cobsat import Example, Options, RunFolder, examples
from cobsat.cli import main
from cobsat.models import Output, load_model
from cobsat.models.seeds import example_seed
from cobsat.models.settings import own_instructions
from PIL import Image
from scripted_model import CONFIG, Scripted, ids
from word_drawer import DRAWER, WordDrawer, at, pair, run, scripted

pytestmark = pytest.mark.usefixtures("openai_environment")


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Tiny models are quicker so, most of all where others are at work."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize(
    ("describe", "textual", "visual"), [("oracle", 1.0, 1.0), ("copy", 0.0, 1.0)]
)
def test_a_picture_of_the_description_is_judged_like_any(
    describe: str, textual: float, visual: float, tmp_path: Path
) -> None:
    command = [
        "predict", "--model", "describe_then_draw", "--config", "color_i-2shot", "--config",
        "action_ii-2shot", "--limit", "12", "--out", str(tmp_path),
        "--model-option", f"describe={describe}", "--model-option", f"draw={DRAWER}",
    ]  # fmt: skip
    assert main(command) == 0
    assert main(["judge", str(tmp_path), "--judge", "clip"]) == 0
    [path] = (tmp_path / "scores").glob("*.json")
    for group in json.loads(path.read_text())["groups"]:
        assert group["examples"] == group["scored"] == 12
        assert group["textual"]["value"] == textual
        assert group["visual"]["value"] == visual
        assert group["accuracy"]["value"] == textual * visual


def test_both_outputs_are_kept(picture_folder: Path, tmp_path: Path) -> None:
    model, _, drawer = scripted(
        lambda e: Output(
            text=e["target_description"], finish_reason="length", extra={"seed": 7},
            usage={"input_tokens": 3, "output_tokens": 2},
        ),
        **{"prompt": "A photo, {not this}: {description}!", "draw.usage": 5},
    )  # fmt: skip
    rows = examples(CONFIG, "test", Options(images=str(picture_folder)))[:4]
    for line, row in zip(run(model, picture_folder, tmp_path), rows, strict=True):
        said = row["target_description"]
        assert drawer.prompts[row["id"]] == f"A photo, {{not this}}: {said}!"
        assert (line["status"], line["text"], line["finish_reason"]) == ("ok", said, "length")
        picture = (tmp_path / line["image"]).read_bytes()
        assert picture == Path(str(row["target_image"])).read_bytes()
        assert line["usage"] == {"input_tokens": 3, "output_tokens": 2, "images": 5}
        label = f"color/{row['reference']['attribute']}/{row['reference']['object']}"
        assert line["extra"] == {"describe": {"seed": 7}, "draw": {"label": label}}


def test_what_the_drawing_model_says_itself_is_kept_apart(
    picture_folder: Path, tmp_path: Path
) -> None:
    model, _, _ = scripted(lambda _: Output(text="a car"))
    image = str(picture_folder / "color_car/red_car.png")
    revised = Output(image=image, text="a big car", finish_reason="stop", extra={"seed": 2})
    model._models["draw"] = Scripted(lambda _: revised)
    [line] = run(model, picture_folder, tmp_path, limit=1)
    assert (line["text"], "finish_reason" in line) == ("a car", False)
    assert line["extra"] == {"draw": {"text": "a big car", "finish_reason": "stop", "seed": 2}}


def test_the_prompts_ask_for_descriptions_in_the_describing_models_wording(
    picture_folder: Path, tmp_path: Path
) -> None:
    asked: list[Example] = []

    def describe(example: Example) -> Output:
        asked.append(example)
        return Output(text=example["target_description"])

    model, _, _ = scripted(describe)
    model.instructions_for = {"description": "llava", "image": "gill"}
    wording = own_instructions(model, Options())
    assert wording == "llava"
    run(model, picture_folder, tmp_path, instructions_for=wording)
    written = examples(
        CONFIG, "test",
        Options(output="description", instructions_for="llava", images=str(picture_folder)),
    )[:4]  # fmt: skip
    assert asked == written
    settings = RunFolder(tmp_path).settings()
    assert (settings.output, settings.asked_for) == ("image", "description")
    assert settings.instructions_for == "llava"


def test_a_server_describes_a_batch_at_once_and_in_two_rounds(
    picture_folder: Path, tmp_path: Path
) -> None:
    together = threading.Barrier(6)

    def answer(call: Call) -> Response:
        if len(call.body["messages"]) > 1:
            return completion("A red leaf.")
        together.wait(30)  # no call is answered before all of the batch have come
        return completion("Step by step …")

    with ChatServer(answer) as server:
        written = run(at(server), picture_folder, tmp_path, limit=6, prompt_type="cot")
    assert len(server.calls) == 12
    for line in written:
        assert (line["status"], line["text"], line["finish_reason"]) == (
            "ok",
            "A red leaf.",
            "stop",
        )
        assert line["extra"]["describe"]["first_round"] == "Step by step …"
        assert line["extra"]["draw"]["label"] == "color/red/leaf"
        assert line["usage"] == {"input_tokens": 200, "output_tokens": 4}


def test_a_run_that_goes_on_draws_the_same(picture_folder: Path, tmp_path: Path) -> None:
    def model() -> Any:
        return pair(describe="random", **{"describe.seed": 3})

    def answers(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**line, "seconds": 0} for line in lines]

    whole = run(model(), picture_folder, tmp_path / "whole", limit=9)
    run(model(), picture_folder, tmp_path / "parts", limit=2)
    parts = run(model(), picture_folder, tmp_path / "parts", limit=9, batch_size=2)
    assert answers(parts) == answers(whole)
    assert len({line["image"] for line in whole}) > 4


def test_how_many_pictures_is_the_describing_models_affair(
    checkpoint: Callable[[str], Path],
) -> None:
    folder = {"describe.checkpoint": str(checkpoint("instructblip"))}
    assert WordDrawer.capabilities.max_images == 0  # it is never shown one
    assert pair(describe="transformers", **folder).capabilities.max_images == 1
    model = pair(describe="transformers", many_images="last", **folder)
    assert model.capabilities.max_images is None
    assert model.record()["describe"]["many_images"] == "last"


def test_a_run_for_descriptions_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["predict", "--model", "describe_then_draw", "--config", CONFIG, "--output"]
    given = ["--model-option", "describe=oracle", "--model-option", f"draw={DRAWER}"]
    assert main([*command, "description", *given, "--out", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "output of model describe_then_draw must be one of image, got 'description'" in said
    assert not any(tmp_path.iterdir())


def test_options_go_to_the_model_that_they_name(picture_folder: Path, tmp_path: Path) -> None:
    with ChatServer(lambda _: completion("A red leaf.")) as server:
        command = [
            "predict", "--model", "describe_then_draw", "--config", CONFIG, "--limit", "3",
            "--images", str(picture_folder), "--out", str(tmp_path),
        ]  # fmt: skip
        options = {
            "describe": "openai", "describe.model": "tiny", "describe.max_tokens": 9,
            "describe.base_url": server.url, "draw": DRAWER, "draw.usage": 4,
            "draw.fails": "never:error",
        }  # fmt: skip
        for option, value in options.items():
            command += ["--model-option", f"{option}={value}"]
        assert main(command) == 0
    assert {call.body["max_tokens"] for call in server.calls} == {9}
    kept = RunFolder(tmp_path).settings()
    assert kept.model_options["options"] == {
        k: v for k, v in options.items() if k not in ("describe.base_url", "draw.usage")
    }
    record = kept.model_options["record"]
    assert record["name"] == "tiny, drawn by word-drawer"
    assert record["prompt"] == "{description}"
    assert record["describe"] == {
        "adapter": "openai", "name": "tiny", "model": "tiny", "max_tokens": 9, "temperature": 0.0,
    }  # fmt: skip
    assert record["draw"] == {"adapter": DRAWER, "name": "word-drawer", "words": "all"}
    assert kept.versions["draw.device"] == "pencil"
    assert "describe.openai" in kept.versions
    assert server.url not in (tmp_path / "run.json").read_text()


def test_prompts_come_in_the_order_that_suits_the_describing_server(picture_folder: Path) -> None:
    with ChatServer(lambda _: completion("A red leaf.")) as server:
        assert at(server).by_prefix is True
    assert pair().by_prefix is False


def test_samples_need_one_model_that_draws_lots() -> None:
    always = pair(draw="oracle").capabilities.repeats
    assert always == "describe: it gives the same each time; draw: it gives the same each time"
    assert pair(describe="random").capabilities.repeats == ""
    assert pair(draw="random").capabilities.repeats == ""
    model = pair(describe="openai", draw="oracle", **{"describe.model": "m"})
    assert "--model-option describe.temperature=1" in model.capabilities.repeats


def test_one_within_another() -> None:
    inner = {"draw.describe": "copy", "draw.draw": DRAWER, "draw.draw.fails": "x:error"}
    model = pair(draw="describe_then_draw", **inner)
    assert model.name == "oracle, drawn by copy, drawn by word-drawer"
    assert model.record()["draw"]["draw"]["adapter"] == DRAWER


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"describe": "oracl"}, "describe must be one of .*did you mean 'oracle'"),
        ({"draw": 3}, "draw must be one of copy, .*got 3"),
        ({"describ.seed": 1}, "option of model describe_then_draw must be one of describe, draw,"),
        ({"seed": 1}, "option of model describe_then_draw must be .*draw.KEY, got 'seed'"),
        ({"describe.seed": 1}, "model oracle must be given no options, got 'describe.seed'"),
        ({"draw.fail": 1}, "must be one of draw.fails, draw.usage, got 'draw.fail'; did"),
        ({"describe": "openai"}, "must be given describe.model, got .*-option describe.model="),
        ({"describe": "openai", "describe.model": "m", "describe.detail": "x"},
         "describe: detail must be one of"),
        ({"describe": DRAWER}, "describe must be a model that gives descriptions, got word_drawer"),
        ({"draw": "openai", "draw.model": "m"},
         "draw must be a model that gives images, got openai, which gives descriptions only: "
         "--model-option draw.image_api=images"),
        ({"prompt": "a car"}, r"prompt must be a text that holds \{description\}, got 'a car'"),
        ({"prompt": 3}, "prompt must be a text that holds"),
        ({"many_images": "last"}, "oracle must be given no options, got 'describe.many_images'"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pair(**options)


def test_a_secret_is_no_option_of_either(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["predict", "--model", "describe_then_draw", "--config", CONFIG]
    assert main([*command, "--model-option", "describe.api_key=sk-1"]) == 2
    assert "a secret must be in an environment variable" in capsys.readouterr().err


@pytest.mark.usefixtures("one_thread")
def test_a_real_checkpoint_describes(
    checkpoint: Callable[[str], Path], picture_folder: Path, tmp_path: Path
) -> None:
    options = {"describe.checkpoint": str(checkpoint("qwen2_5_vl")), "describe.max_new_tokens": 4}
    model = pair(describe="transformers", **options)
    assert model.instructions_for == {"description": "qwen_vl"}
    assert model.session_options == {"describe.device", "describe.device_map", "draw.usage"}
    alone = load_model(
        "transformers", **{k.removeprefix("describe."): v for k, v in options.items()}
    )
    rows = examples(
        CONFIG, "test",
        Options(output="description", instructions_for="qwen_vl", images=str(picture_folder)),
    )[:2]  # fmt: skip
    written = run(model, picture_folder, tmp_path, limit=2, instructions_for="qwen_vl")
    assert [line["text"] for line in written] == [o.text for o in alone.predict(rows)]
    assert [line["status"] for line in written] == ["ok", "ok"]
    assert [line["id"] for line in written] == ids(2)


@pytest.mark.usefixtures("one_thread")
def test_real_models_in_a_row(
    checkpoint: Callable[[str], Path],
    pipeline_folder: Callable[[str], Path],
    picture_folder: Path,
    tmp_path: Path,
) -> None:
    draw = {"checkpoint": str(pipeline_folder("stable_diffusion")), "steps": 2, "seed": 5}
    model = pair(
        describe="transformers",
        draw="diffusers",
        prompt="A car. {description}",
        **{"describe.checkpoint": str(checkpoint("qwen2_5_vl")), "describe.max_new_tokens": 3},
        **{f"draw.{name}": value for name, value in draw.items()},
    )
    written = run(model, picture_folder, tmp_path, limit=3)
    rows = examples(CONFIG, "test", Options(images=str(picture_folder)))[:3]
    alone: Any = load_model("diffusers", **draw)
    for line, row in zip(written, rows, strict=True):
        assert line["text"]
        part = {"type": "text", "text": f"A car. {line['text']}", "image": None}
        told: Any = {**row, "messages": [{"role": "user", "content": [part]}]}
        [drawn] = alone.predict([told])
        with Image.open(tmp_path / line["image"]) as picture:
            assert picture.tobytes() == drawn.image.tobytes()
        assert line["extra"]["draw"] == drawn.extra == {"seed": example_seed(5, row["id"])}


@pytest.mark.usefixtures("one_thread")
def test_a_description_that_no_encoder_reads_whole_is_not_drawn(
    pipeline_folder: Callable[[str], Path], picture_folder: Path, tmp_path: Path
) -> None:
    model, _, _ = scripted(
        lambda e: Output(text="a" * (75 if e["id"] == ids(1)[0] else 76)),
        draw="diffusers",
        **{"draw.checkpoint": str(pipeline_folder("stable_diffusion")), "draw.steps": 1},
    )
    first, second = run(model, picture_folder, tmp_path, limit=2)
    assert (first["status"], second["status"]) == ("ok", "error")  # 77 with those at both ends
    assert second["reason"].startswith("draw: too_long: ")
    assert second["text"] == "a" * 76
