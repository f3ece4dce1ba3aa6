"""Pipelines that draw from a text: seeds, batches, and what is kept of a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import diffusers
import numpy as np
import pytest
import torch
from cobsat.models.diffusers_checkpoint import quiet
from cobsat.models.diffusers_pipeline import DiffusersPipeline
from cobsat.models.registry import describe, load_model
from cobsat.models.seeds import example_seed
from drawn_rows import drawn, load, pixels, say, spy, words

pytestmark = pytest.mark.usefixtures("one_thread")

Folders = Callable[[str], Path]


def with_scheduler(folder: Path, target: Path, scheduler: Any) -> Path:
    """Save a pipeline with another scheduler."""
    with quiet():
        pipeline = diffusers.DiffusionPipeline.from_pretrained(folder)
        pipeline.scheduler = scheduler.from_config(pipeline.scheduler.config)
        pipeline.save_pretrained(target)
    return target


@pytest.fixture(scope="module")
def ancestral(pipeline_folder: Folders, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stable Diffusion with a scheduler that draws noise in each step."""
    target = tmp_path_factory.mktemp("ancestral") / "stable_diffusion"
    scheduler = diffusers.EulerAncestralDiscreteScheduler
    return with_scheduler(pipeline_folder("stable_diffusion"), target, scheduler)


@pytest.mark.parametrize("family", ["stable_diffusion", "stable_diffusion_3", "qwen_image"])
def test_a_picture_depends_on_its_example_alone(
    family: str, pipeline_folder: Folders, picture_folder: Path
) -> None:
    batch = words(picture_folder)[:3]
    whole = drawn(load(pipeline_folder(family)).predict(batch))
    assert len(set(whole)) == 3
    model = load(pipeline_folder(family))
    torch.manual_seed(5)
    assert drawn(model.predict(batch[2:]) + model.predict(batch[1:])) == [
        whole[2], whole[1], whole[2]
    ]  # fmt: skip


def test_the_noise_is_that_of_the_examples_seed(
    pipeline_folder: Folders, picture_folder: Path
) -> None:
    row = words(picture_folder)[0]
    model = load(pipeline_folder("stable_diffusion"), seed=7, guidance=3.0)
    given = spy(model._pipeline.unet, "forward")
    [output] = model.predict([row])
    seed = example_seed(7, row["id"])
    assert output.extra == {"seed": seed}
    noise = torch.randn((1, 4, 4, 4), generator=torch.Generator().manual_seed(seed))
    first = given[0][0][0]
    assert torch.equal(first, torch.cat([noise, noise]))  # without and with the text
    own = diffusers.DiffusionPipeline.from_pretrained(pipeline_folder("stable_diffusion"))
    image = own(
        "blue book: ", num_inference_steps=2, guidance_scale=3.0, height=32, width=32,
        generator=torch.Generator().manual_seed(seed),
    ).images[0]  # fmt: skip
    assert np.array_equal(pixels(output), np.asarray(image))


def test_samples_and_seeds_of_a_run_draw_other_pictures_and_words_too(
    pipeline_folder: Folders, picture_folder: Path
) -> None:
    row = words(picture_folder)[0]
    folder = pipeline_folder("stable_diffusion")
    first = load(folder).predict([row, {**row, "id": f"{row['id']}-sample2"}, say(row, "red box")])
    assert len({*drawn(first), *drawn(load(folder, seed=1).predict([row]))}) == 4


@pytest.mark.parametrize("noisy", [False, True])
def test_a_batch_draws_the_pictures_of_single_examples_up_to_rounding(
    noisy: bool, pipeline_folder: Folders, ancestral: Path, picture_folder: Path
) -> None:
    folder = ancestral if noisy else pipeline_folder("stable_diffusion")
    batch = words(picture_folder)[:5]
    one = load(folder, negative_prompt="grey").predict(batch)
    model = load(folder, negative_prompt="grey", at_once=2)
    given = spy(model, "_call")
    several = model.predict(batch)
    assert [len(args[0]) for args, _ in given] == [2, 2, 1]
    for alone, together in zip(one, several, strict=True):
        assert alone.extra == together.extra
        assert np.abs(pixels(alone) - pixels(together)).max() <= 1
    assert len(set(drawn(one))) == 5


def test_noise_of_a_scheduler_is_the_examples_own(ancestral: Path, picture_folder: Path) -> None:
    batch = words(picture_folder)[:3]
    whole = drawn(load(ancestral, steps=4).predict(batch))
    model = load(ancestral, steps=4)
    torch.manual_seed(9)
    assert drawn(model.predict(batch[1:])) == whole[1:]
    assert model.record()["scheduler"] == "EulerAncestralDiscreteScheduler"


def test_what_draws_past_the_generators_is_drawn_one_at_a_time(
    pipeline_folder: Folders, picture_folder: Path, tmp_path: Path
) -> None:
    class Stochastic:
        @staticmethod
        def from_config(config: Any) -> Any:
            return diffusers.FlowMatchEulerDiscreteScheduler(stochastic_sampling=True)

    folder = with_scheduler(pipeline_folder("flux"), tmp_path / "flux", Stochastic)
    batch = words(picture_folder)[:3]
    whole = drawn(load(folder).predict(batch))
    assert len(set(whole)) == 3
    model = load(folder, at_once=3)
    given = spy(model, "_call")
    torch.manual_seed(11)
    assert drawn(model.predict(batch)) == whole
    assert drawn(model.predict(batch[::-1])) == whole[::-1]
    assert [len(args[0]) for args, _ in given] == [3, *[1] * 6]


def test_a_batch_that_does_not_fit_is_halved(
    pipeline_folder: Folders, picture_folder: Path
) -> None:
    batch = words(picture_folder)[:5]
    whole = load(pipeline_folder("stable_diffusion")).predict(batch)
    model = load(pipeline_folder("stable_diffusion"), at_once=5)
    own, sizes = model._pipeline.unet.forward, []

    def forward(sample: Any, *args: Any, **kwargs: Any) -> Any:
        sizes.append(len(sample) // 2)
        if sizes[-1] > 2:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return own(sample, *args, **kwargs)

    model._pipeline.unet.forward = forward
    for alone, together in zip(whole, model.predict(batch), strict=True):
        assert np.abs(pixels(alone) - pixels(together)).max() <= 1
    assert sizes == [5, 2, 2, 2, 2, 1, 1]  # two steps each, where they fit


def test_an_example_that_does_not_fit_alone_is_an_error_and_other_errors_are_raised(
    pipeline_folder: Folders, picture_folder: Path
) -> None:
    model = load(pipeline_folder("stable_diffusion"))

    def fails(error: Exception) -> Callable[..., Any]:
        def forward(*args: Any, **kwargs: Any) -> Any:
            raise error

        return forward

    model._pipeline.unet.forward = fails(torch.OutOfMemoryError("CUDA out of memory."))
    [output] = model.predict(words(picture_folder)[:1])
    assert output.reason == "out_of_memory: the example alone does not fit"
    model._pipeline.unet.forward = fails(RuntimeError("the device is gone"))
    with pytest.raises(RuntimeError, match="the device is gone"):
        model.predict(words(picture_folder)[:2])


def test_a_picture_after_a_failed_one_is_the_same(
    pipeline_folder: Folders, picture_folder: Path, tmp_path: Path
) -> None:
    scheduler = diffusers.DPMSolverMultistepScheduler  # remembers earlier steps
    folder = with_scheduler(pipeline_folder("stable_diffusion"), tmp_path / "sd", scheduler)
    row = words(picture_folder)[0]
    expected = drawn(load(folder, steps=3).predict([row]))
    model = load(folder, steps=3)
    own, left = model._pipeline.unet.forward, [1]

    def forward(*args: Any, **kwargs: Any) -> Any:
        left[0] -= 1
        if left[0] == -1:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return own(*args, **kwargs)

    model._pipeline.unet.forward = forward
    assert model.predict([row])[0].status == "error"
    assert drawn(model.predict([row])) == expected


def test_the_record_says_how_it_was_asked(pipeline_folder: Folders, tmp_path: Path) -> None:
    folder = pipeline_folder("stable_diffusion_3")
    record = load(folder, guidance=3.5, seed=2).record()
    versions = record.pop("versions")
    digest = record.pop("weights_sha256")
    assert record == {
        "checkpoint": str(folder),
        "revision": None,
        "variant": None,
        "commit": None,
        "pipeline": "StableDiffusion3Pipeline",
        "scheduler": "FlowMatchEulerDiscreteScheduler",
        "dtype": "float32",
        "arguments": {
            "num_inference_steps": 2, "guidance_scale": 3.5, "height": 32, "width": 32,
        },
        "pictures": None,
        "many_images": "error",
        "at_once": 1,
        "seed": 2,
    }  # fmt: skip
    assert set(versions) == {"diffusers", "torch", "transformers", "device"}
    assert json.loads(json.dumps(record)) == record
    assert len(digest) == 64
    other = load(pipeline_folder("stable_diffusion"))
    assert other.record()["weights_sha256"] != digest
    free = DiffusersPipeline(str(pipeline_folder("omnigen"))).record()
    assert free["arguments"] == {"num_inference_steps": 50, "guidance_scale": 2.5}
    assert free["pictures"] == {
        "argument": "input_images", "text": "<img><|image_{number}|></img> "
    }  # fmt: skip


def test_a_lower_precision_is_loaded_and_recorded(
    pipeline_folder: Folders, picture_folder: Path
) -> None:
    model = load(pipeline_folder("stable_diffusion"), dtype="bfloat16")
    assert model._pipeline.unet.dtype == torch.bfloat16
    assert model.record()["dtype"] == "bfloat16"
    assert model.predict(words(picture_folder)[:1])[0].status == "ok"


def test_nothing_of_the_libraries_reaches_the_users_screen(
    pipeline_folder: Folders,
    picture_folder: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    folders = [pipeline_folder("stable_diffusion"), pipeline_folder("stable_diffusion_3")]
    capfd.readouterr()
    caplog.clear()
    row = words(picture_folder)[0]
    for folder in folders:  # they warn of a text that CLIP cuts
        load(folder).predict([row, say(row, "a" * 100)])
    assert capfd.readouterr() == ("", "")
    assert [record.getMessage() for record in caplog.records] == []


def test_the_registry_knows_it(pipeline_folder: Folders) -> None:
    model = load_model("diffusers", checkpoint=str(pipeline_folder("stable_diffusion")))
    assert isinstance(model, DiffusersPipeline)
    assert model.capabilities.outputs == {"image"}
    assert model.capabilities.max_images == 0
    text = describe("diffusers")
    for word in ("checkpoint: must be given", "--prompt-type caption", "OmniGen", "steps=4"):
        assert word in text
