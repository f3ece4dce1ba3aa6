"""Pipelines under test: what is no picture, and what is refused before anything is drawn."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import diffusers
import pytest
import torch
from cobsat import Options
from cobsat.models.diffusers_pipeline import DiffusersPipeline
from cobsat.models.settings import check_capabilities, run_settings
from drawn_rows import load, rows, spy, words

pytestmark = pytest.mark.usefixtures("one_thread")

Folders = Callable[[str], Path]


def test_what_the_safety_checker_withholds_is_blocked(
    pipeline_folder: Folders, picture_folder: Path
) -> None:
    model = load(pipeline_folder("stable_diffusion_checked"), at_once=2)
    checker = model._pipeline.safety_checker
    batch = words(picture_folder)[:2]
    checker.concept_embeds_weights.data.fill_(2.0)  # no cosine is above it
    assert [output.status for output in model.predict(batch)] == ["ok", "ok"]
    checker.concept_embeds_weights.data.fill_(-2.0)
    for output in model.predict(batch):
        assert (output.status, output.image) == ("blocked", None)
        assert output.reason == "safety_checker: it withheld the picture"
        assert output.extra is not None
    flags = iter([[False, True]])
    own = checker.forward
    checker.forward = lambda **inputs: (own(**inputs)[0], next(flags))
    checker.concept_embeds_weights.data.fill_(2.0)
    assert [output.status for output in model.predict(batch)] == ["ok", "blocked"]


def test_a_black_picture_is_no_answer(pipeline_folder: Folders, picture_folder: Path) -> None:
    for family, status, reason in (
        ("stable_diffusion", "error", "black: the picture is black all over, as where the "),
        ("stable_diffusion_checked", "blocked", "safety_checker: it withheld the picture"),
    ):
        model = load(pipeline_folder(family))
        model._pipeline.vae.decoder.conv_out.bias.data.fill_(torch.nan)
        if family == "stable_diffusion_checked":
            model._pipeline.safety_checker.concept_embeds_weights.data.fill_(2.0)
        [output] = model.predict(words(picture_folder)[:1])
        assert (output.status, output.image) == (status, None)
        assert (output.reason or "").startswith(reason)


def test_two_rounds_are_refused(pipeline_folder: Folders, picture_folder: Path) -> None:
    batch = rows(picture_folder, prompt_type="cot")[:2]
    with pytest.raises(ValueError, match=r"^prompt_type must be another than cot .* got 'cot'$"):
        load(pipeline_folder("flux2_klein")).predict(batch)


def test_a_run_with_pictures_is_refused_with_what_to_do(
    pipeline_folder: Folders, picture_folder: Path
) -> None:
    model = load(pipeline_folder("stable_diffusion"))

    def check(**options: Any) -> None:
        given = Options(images=str(picture_folder), **options)
        settings = run_settings("diffusers", model, {}, ("color_i-2shot",), "test", given)
        check_capabilities("diffusers", model.capabilities, settings)

    check(prompt_type="caption")
    with pytest.raises(
        ValueError,
        match="at most 0, got 2 in color_i-2shot: --config color_i-0shot --prompt-type exact",
    ):
        check()
    with pytest.raises(ValueError, match=r"must be one of image, got 'description': --output ima"):
        check(output="description")


def test_a_size_that_it_does_not_draw_is_told(
    pipeline_folder: Folders, picture_folder: Path
) -> None:
    model = load(pipeline_folder("flux_kontext"))
    model._arguments["max_area"] = 64 * 64
    message = r"^width and height must be such that FluxKontextPipeline draws it, got 32x32 \(it dr"
    with pytest.raises(ValueError, match=message):
        model.predict(words(picture_folder)[:1])


@pytest.mark.parametrize(
    ("family", "options", "message"),
    [
        ("stable_diffusion", {"steps": 0}, "steps must be an integer above 0, got 0"),
        ("stable_diffusion", {"width": 64.0}, "width must be an integer above 0, got 64.0"),
        ("stable_diffusion", {"guidance": "high"}, "guidance must be a number, got 'high'"),
        ("stable_diffusion", {"seed": "x"}, "seed must be an integer, got 'x'"),
        ("stable_diffusion", {"at_once": True}, "at_once must be an integer above 0, got True"),
        ("stable_diffusion", {"dtype": "int8"}, "dtype must be one of auto, float32"),
        ("stable_diffusion", {"many_images": "all"}, "many_images must be one of error"),
        ("stable_diffusion", {"offload": "all"}, "offload must be one of none, model, seq"),
        ("stable_diffusion", {"offload": "model"}, "offload must be none without a GPU, got 'mo"),
        (
            "stable_diffusion",
            {"max_sequence_length": 100},
            "max_sequence_length must be left out for StableDiffusionPipeline, which has no such",
        ),
        ("omnigen", {"negative_prompt": "grey"}, "negative_prompt must be left out for OmniGenP"),
        ("omnigen", {"height": 40}, "height must be a multiple of 16 for OmniGenPipeline, got 40"),
        ("flux2_klein_kv", {"guidance": 2}, "guidance must be left out for Flux2KleinKVPipeline"),
        ("pix2pix", {"height": 64}, "height must be left out for StableDiffusionInstructPix2Pix"),
        ("flux_kontext", {"height": None}, "height and width must both be given for FluxKontextP"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    family: str, options: dict[str, Any], message: str, pipeline_folder: Folders
) -> None:
    if torch.cuda.is_available() and options.get("offload") == "model":
        options = {**options, "device": "cpu"}
    with pytest.raises(ValueError, match=f"^{message}"):
        load(pipeline_folder(family), **options)


def test_weights_that_could_run_code_are_refused(pipeline_folder: Folders, tmp_path: Path) -> None:
    folder = tmp_path / "pickled"
    shutil.copytree(pipeline_folder("stable_diffusion"), folder)
    own = folder / "vae" / "diffusion_pytorch_model.safetensors"
    torch.save({}, own.with_suffix(".bin"))
    load(folder)  # beside safetensors they do no harm: they are not read
    own.unlink()
    with pytest.raises(OSError, match=r"must be safetensors, got vae/diffusion_pytorch_model\.bin"):
        load(folder)


def test_a_variant_is_loaded_where_there_is_one(
    pipeline_folder: Folders, picture_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "half"
    pipeline = diffusers.DiffusionPipeline.from_pretrained(pipeline_folder("stable_diffusion"))
    pipeline.to(torch.float16).save_pretrained(folder, variant="fp16")
    model = load(folder, variant="fp16")
    assert model.record()["variant"] == "fp16"
    assert len(model.record()["weights_sha256"]) == 64
    assert model.predict(words(picture_folder)[:1])[0].status == "ok"
    with pytest.raises(ValueError, match=r"variant must be one that .* got 'int4'"):
        load(folder, variant="int4")


def test_checkpoints_of_other_kinds_are_refused_before_their_weights_are_read(
    pipeline_folder: Folders, tmp_path: Path
) -> None:
    with pytest.raises(FileNotFoundError, match=r"^checkpoint must be a folder or a name on the "):
        DiffusersPipeline(str(tmp_path / "none"))
    with pytest.raises(FileNotFoundError, match=r"a folder without model_index.json: '"):
        DiffusersPipeline(str(pipeline_folder("stable_diffusion") / "unet"))
    folder = tmp_path / "other"
    folder.mkdir()
    index = (pipeline_folder("stable_diffusion") / "model_index.json").read_text()
    index = index.replace('"StableDiffusionPipeline"', '"StableDiffusionImg2ImgPipeline"')
    (folder / "model_index.json").write_text(index)
    with pytest.raises(ValueError, match=r"got one of StableDiffusionImg2ImgPipeline$"):
        DiffusersPipeline(str(folder))


def test_a_checkpoint_of_the_hub_is_known_by_its_commit(
    pipeline_folder: Folders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    commit = "0123456789abcdef0123456789abcdef01234567"
    home = tmp_path / "models--org--tiny"
    shutil.copytree(pipeline_folder("stable_diffusion"), home / "snapshots" / commit)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(commit)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    model = DiffusersPipeline("org/tiny", steps=2)
    assert model.record()["commit"] == commit
    assert model.record()["weights_sha256"] is None
    assert model.name == "org/tiny"


def test_a_pipeline_that_gives_something_else_than_pictures_is_told(
    pipeline_folder: Folders, picture_folder: Path
) -> None:
    model = load(pipeline_folder("stable_diffusion"))
    given = spy(model, "_call")
    model._call = lambda prompts: (object(), False)  # type: ignore[method-assign]
    with pytest.raises(ValueError, match="must be one that draws pictures, got StableDiffusionPip"):
        model.predict(words(picture_folder)[:1])
    assert given == []
