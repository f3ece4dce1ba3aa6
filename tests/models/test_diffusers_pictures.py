"""Pipelines that take pictures: what reaches their encoders, text and pictures in reading order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat import Example
from cobsat.models.diffusers_pipeline import DiffusersPipeline
from cobsat.models.vlm_pictures import collage
from drawn_rows import COLORS, drawn, load, pixels, rows, spy, words
from PIL import Image

pytestmark = pytest.mark.usefixtures("one_thread")

SEVERAL = ("omnigen", "flux2", "flux2_klein_kv", "qwen_edit_plus")
SINGLE = ("pix2pix", "qwen_edit", "flux_kontext")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pipelines that scale pictures to a megapixel scale them to 64 pixels a side instead."""
    from diffusers.pipelines.flux import pipeline_flux_kontext
    from diffusers.pipelines.qwenimage import pipeline_qwenimage_edit as edit
    from diffusers.pipelines.qwenimage import pipeline_qwenimage_edit_plus as edit_plus

    own = edit.calculate_dimensions
    monkeypatch.setattr(edit, "calculate_dimensions", lambda area, ratio: own(64 * 64, ratio))
    monkeypatch.setattr(edit_plus, "CONDITION_IMAGE_SIZE", 64 * 64)
    monkeypatch.setattr(edit_plus, "VAE_IMAGE_SIZE", 64 * 64)
    monkeypatch.setattr(pipeline_flux_kontext, "PREFERRED_KONTEXT_RESOLUTIONS", [(64, 64)])


def encoded(calls: list[Any]) -> list[tuple[int, ...]]:
    """Return the colors of the pictures that the decoder's other half was given, in order."""
    colors = []
    for args, _ in calls:
        channels = args[0].reshape(3, -1).float().mean(dim=1)
        colors.append(tuple(round(float(value + 1) * 127.5) for value in channels))
    return colors


def ask(model: DiffusersPipeline, row: Example) -> list[tuple[int, ...]]:
    """Draw one example, and return the colors of the pictures that were encoded."""
    calls = spy(model._pipeline.vae, "encode")
    [output] = model.predict([row])
    assert output.status == "ok", output.reason
    return encoded(calls)


def test_omnigen_has_pictures_in_the_places_of_their_marks(
    pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    model = load(pipeline_folder("omnigen"))
    given = spy(model._pipeline.transformer, "forward")
    colors = ask(model, rows(picture_folder, "color_i-4shot")[0])
    assert colors == [*COLORS, *COLORS]  # the prompt's, and those of the guidance by pictures
    ids = given[0][1]["input_ids"][0].tolist()
    places = given[0][1]["input_image_sizes"][0]
    assert [end - start for start, end in places] == [64 * 64 // 16 // 16] * 4
    text, last = "", 0
    for start, end in places:
        text += model._pipeline.tokenizer.decode(ids[last:start]) + "PICTURE"
        last = end
    text += model._pipeline.tokenizer.decode(ids[last:])
    instruction = "Generate an image according to the following instructions\n"
    assert text.split(instruction)[1] == (
        "blue: <img>PICTURE</img> brown: <img>PICTURE</img> orange: <img>PICTURE</img> "
        "black: <img>PICTURE</img> red: <|end|>\n<|assistant|>\n<|diffusion|>"
    )


@pytest.mark.parametrize("family", ["flux2", "flux2_klein"])
def test_flux_2_numbers_pictures_in_its_text_as_in_its_drawing(
    family: str, pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    model = load(pipeline_folder(family))
    texts = spy(model._pipeline.text_encoder, "forward")
    given = spy(model._pipeline.transformer, "forward")
    assert ask(model, rows(picture_folder)[0]) == list(COLORS[:2])
    tokenizer = getattr(model._pipeline.tokenizer, "tokenizer", model._pipeline.tokenizer)
    text = tokenizer.decode(texts[0][1]["input_ids"][0], skip_special_tokens=True)
    assert "blue: image 1, brown: image 2, orange: " in text
    numbers = given[0][1]["img_ids"][0, :, 0].tolist()
    # The drawn picture, then each of the prompt's, by a coordinate that counts in tens.
    assert numbers == [0] * (32 // 16) ** 2 + [10] * (64 // 16) ** 2 + [20] * (64 // 16) ** 2


def test_qwen_image_edit_plus_has_its_pictures_by_number_before_the_text(
    pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    model = load(pipeline_folder("qwen_edit_plus"))
    texts = spy(model._pipeline.text_encoder, "forward")
    assert ask(model, rows(picture_folder)[0]) == list(COLORS[:2])
    assert len(texts[0][1]["image_grid_thw"]) == 2
    text = model._pipeline.tokenizer.decode(texts[0][1]["input_ids"][0])
    while "<|image_pad|><|image_pad|>" in text:
        text = text.replace("<|image_pad|><|image_pad|>", "<|image_pad|>")
    picture = "<|vision_start|><|image_pad|><|vision_end|>"
    assert text.split("<|im_start|>user\n")[1] == (
        f"Picture 1: {picture}Picture 2: {picture}blue: Picture 1, brown: Picture 2, orange: "
        "<|im_end|>\n<|im_start|>assistant\n"
    )


def test_qwen_image_is_guided_as_its_authors_do(
    pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    model = load(pipeline_folder("qwen_edit_plus"), guidance=3.0)
    texts = spy(model._pipeline.text_encoder, "forward")
    steps = spy(model._pipeline.transformer, "forward")
    ask(model, rows(picture_folder)[0])
    assert (len(texts), len(steps)) == (2, 4)  # with and without the prompt
    arguments = model.record()["arguments"]
    assert (arguments["true_cfg_scale"], arguments["negative_prompt"]) == (3.0, " ")


@pytest.mark.parametrize("family", SINGLE)
@pytest.mark.parametrize("policy", ["collage", "last"])
def test_a_pipeline_for_one_picture_is_given_one(
    family: str, policy: str, pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    row = rows(picture_folder)[0]
    model = load(pipeline_folder(family), many_images=policy)
    assert model.capabilities.max_images is None
    given = spy(model, "_pipeline")
    model._pipeline.vae, model._pipeline.maybe_free_model_hooks = None, lambda: None
    model.predict([row])
    shown = given[0][1]["image"]
    pictures = [Image.new("RGB", (64, 64), color) for color in COLORS[:2]]
    wanted = collage(pictures) if policy == "collage" else pictures[-1]
    assert shown.tobytes() == wanted.tobytes()
    assert given[0][1]["prompt"] == "blue: brown: the image, orange: "
    assert load(pipeline_folder(family)).capabilities.max_images == 1


@pytest.mark.parametrize("family", [*SEVERAL, *SINGLE])
def test_text_pictures_and_seed_all_change_what_is_drawn_and_nothing_else_does(
    family: str, pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    row = rows(picture_folder)[0]
    said, first, *rest = row["messages"][-1]["content"]
    other_text: Any = {**row, "messages": [{"role": "user", "content": [first, *rest]}]}
    turned: Any = {"type": "image", "text": None, "image": Image.new("RGB", (64, 64), COLORS[2])}
    if family in SINGLE:
        rest = [*rest[:-2], turned, rest[-1]]
    else:
        first = turned
    other_picture: Any = {**row, "messages": [{"role": "user", "content": [said, first, *rest]}]}
    policy = "last" if family in SINGLE else "error"
    model = load(pipeline_folder(family), many_images=policy)
    batch: list[Any] = [row, other_text, other_picture, {**row, "id": "another"}]
    whole = drawn(model.predict(batch))
    assert len(set(whole)) == 4
    torch.manual_seed(123)
    state = torch.get_rng_state()
    assert drawn(model.predict([batch[2]])) + drawn(model.predict([row])) == [whole[2], whole[0]]
    assert torch.equal(torch.get_rng_state(), state)
    assert drawn(load(pipeline_folder(family), many_images=policy).predict([row])) == whole[:1]


@pytest.mark.parametrize("family", [*SEVERAL, *SINGLE])
def test_a_prompt_without_pictures_is_drawn_where_the_pipeline_can(
    family: str, pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    [output] = load(pipeline_folder(family)).predict(words(picture_folder)[:1])
    if family in ("pix2pix", "qwen_edit", "qwen_edit_plus"):
        assert output.reason == (
            "no_picture: the pipeline must be given a picture, got a prompt without one"
        )
    else:
        assert pixels(output).shape == (32, 32, 3)


def test_more_pictures_than_a_pipeline_takes_are_an_error(
    pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    row = rows(picture_folder)[0]
    [output] = load(pipeline_folder("pix2pix")).predict([row])
    assert output.reason == "picture_count: the pipeline takes 1, got 2"
    [output] = load(pipeline_folder("stable_diffusion")).predict([row])
    assert output.reason == "picture_count: the pipeline takes 0, got 2"


def test_pictures_that_cannot_be_used_cost_their_example_alone(
    pipeline_folder: Callable[[str], Path], picture_folder: Path, tmp_path: Path
) -> None:
    tiny, missing, good = rows(picture_folder)[:3]
    tiny["messages"][-1]["content"][1]["image"] = Image.new("RGB", (64, 63))
    missing["messages"][-1]["content"][1]["image"] = str(tmp_path / "none.png")
    outputs = load(pipeline_folder("flux2_klein")).predict([tiny, missing, good])
    assert [output.status for output in outputs] == ["error", "error", "ok"]
    assert outputs[0].reason == "picture: each side must have at least 64 pixels, got 64x63"
    assert (outputs[1].reason or "").startswith("picture: ")


def test_text_that_would_be_taken_for_a_mark_is_an_error(
    pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    row = rows(picture_folder)[0]
    row["messages"][-1]["content"][0]["text"] = "<|image_2|> blue: "
    [output] = load(pipeline_folder("omnigen")).predict([row])
    assert output.reason == "control_token: a text of the prompt holds '<|image_'"


def test_pictures_go_with_one_prompt_at_a_time(pipeline_folder: Callable[[str], Path]) -> None:
    with pytest.raises(ValueError, match=r"^at_once must be 1 for OmniGenPipeline, .* got 2$"):
        load(pipeline_folder("omnigen"), at_once=2)
