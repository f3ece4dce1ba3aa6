"""How pipelines are asked: the text of a prompt, and which pipelines draw from one at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import diffusers
import pytest
from cobsat.models.diffusers_prompts import FAMILIES, TEXT_ONLY, compose, family_of
from drawn_rows import COLORS, rows, words


def chat(folder: Path, **options: Any) -> list[Any]:
    return rows(folder, **options)[0]["messages"]


@pytest.mark.parametrize(
    ("pipeline", "text"),
    [
        (
            "OmniGenPipeline",
            "blue: <img><|image_1|></img> brown: <img><|image_2|></img> orange: ",
        ),
        ("Flux2Pipeline", "blue: image 1, brown: image 2, orange: "),
        ("Flux2KleinPipeline", "blue: image 1, brown: image 2, orange: "),
        ("QwenImageEditPlusPipeline", "blue: Picture 1, brown: Picture 2, orange: "),
    ],
)
def test_pictures_are_named_where_they_stand(
    pipeline: str, text: str, picture_folder: Path
) -> None:
    got, pictures = compose(chat(picture_folder), FAMILIES[pipeline])
    assert got == text
    assert [picture.getpixel((0, 0)) for picture in pictures] == list(COLORS[:2])


def test_words_beside_pictures_and_a_system_message_stay_where_they_are(
    picture_folder: Path,
) -> None:
    given = chat(picture_folder, prompt_type="misleading", instructions_for="gill")
    text, pictures = compose(given, FAMILIES["Flux2Pipeline"])
    system, said = text.split("\n")
    assert system == given[0]["content"][0]["text"]
    assert system.startswith("You are a professional assistant")
    first, second, query = [p["text"] for p in given[1]["content"] if p["type"] == "text"]
    assert said == f"{first}image 1, {second}image 2, {query}"
    assert len(first.split()) == 2  # "blue box: "
    assert len(pictures) == 2


def test_a_text_without_pictures_is_told_as_it_is(picture_folder: Path) -> None:
    for family in (TEXT_ONLY, *FAMILIES.values()):
        assert compose(words(picture_folder)[0]["messages"], family) == ("blue book: ", [])


@pytest.mark.parametrize(
    "name",
    [
        "StableDiffusionPipeline", "StableDiffusionXLPipeline", "StableDiffusion3Pipeline",
        "FluxPipeline", "PixArtSigmaPipeline", "SanaPipeline", "Lumina2Pipeline", "ZImagePipeline",
        "LatentConsistencyModelPipeline", "KandinskyV22CombinedPipeline", "HunyuanDiTPipeline",
    ],
)  # fmt: skip
def test_pipelines_that_draw_from_a_text_need_no_line_in_the_table(name: str) -> None:
    assert family_of(getattr(diffusers, name)) is TEXT_ONLY


@pytest.mark.parametrize(
    "name",
    [
        "StableDiffusionImg2ImgPipeline", "StableDiffusionInpaintPipeline", "FluxFillPipeline",
        "StableDiffusionControlNetPipeline", "StableDiffusionUpscalePipeline", "WanPipeline",
        "AudioLDM2Pipeline", "DDPMPipeline", "LongCatImagePipeline", "ShapEPipeline",
    ],
)  # fmt: skip
def test_pipelines_that_need_something_else_are_refused_by_name(name: str) -> None:
    with pytest.raises(ValueError, match=f"QwenImageEditPlusPipeline.*, got one of {name}$"):
        family_of(getattr(diffusers, name))


def test_the_table_names_arguments_that_the_pipelines_have() -> None:
    import inspect

    for name, family in FAMILIES.items():
        parameters = inspect.signature(getattr(diffusers, name).__call__).parameters
        named = {family.pictures, family.guidance, family.area, *family.always} - {""}
        assert named <= set(parameters), name
        assert family_of(getattr(diffusers, name)) is family
