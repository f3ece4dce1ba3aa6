"""The judge that ships: right on every shipped picture and description, and under disturbances."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import cobsat.metrics
import numpy as np
import pytest
from cobsat import THEMES, ImageSource, Prediction, RunFolder, RunSettings, image_source
from cobsat.metrics import judge_run, load_judge
from cobsat.metrics.clip_judge import ClipJudge
from PIL import Image

FOLDER = Path(cobsat.metrics.__file__).parent / "mini_clip"
LABELS = [(t.name, a, o) for t in THEMES.values() for a in t.attributes for o in t.objects]
# twenty pictures a theme, every object and every attribute twice
FEW = [label for number, label in enumerate(LABELS) if (number // 10 + number) % 5 == number // 100]
# ten pictures a theme, every object and every attribute once
HALF = [label for number, label in enumerate(FEW) if number % 4 in (0, 3)]


def turn(image: Image.Image, degrees: float) -> Image.Image:
    return image.rotate(degrees, Image.Resampling.BICUBIC)


def jpeg(image: Image.Image) -> Image.Image:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=40)
    with Image.open(buffer) as saved:
        return saved.convert("RGB")


def noise(image: Image.Image) -> Image.Image:
    generator = np.random.default_rng(5)
    pixels = np.asarray(image, float) + generator.normal(0, 8, (image.height, image.width, 3))
    return Image.fromarray(pixels.round().clip(0, 255).astype(np.uint8))


DISTURBANCES: dict[str, Callable[[Image.Image], Image.Image]] = {
    "jpeg": jpeg,
    "resize": lambda image: image.resize((128, 128), Image.Resampling.LANCZOS),
    "flip": lambda image: image.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
    "left": lambda image: turn(image, 10),
    "right": lambda image: turn(image, -10),
    "noise": noise,
}


@pytest.fixture(scope="module")
def judge() -> ClipJudge:
    loaded = load_judge("clip", device="cpu")
    assert isinstance(loaded, ClipJudge)
    return loaded


@pytest.fixture(scope="module")
def source() -> ImageSource:
    return image_source("rendered")


def wrong(
    judge: ClipJudge,
    labels: Sequence[tuple[str, str, str]],
    outputs: Sequence[str | Image.Image],
    kind: str,
) -> list[str]:
    references = [{"task": f"{t}_i", "object": o, "attribute": a} for t, a, o in labels]
    verdicts = judge.judge(outputs, references, kind)  # type: ignore[arg-type]
    return [
        f"{attribute} {object_}: {verdict.attribute} {verdict.object} {verdict.reason or ''}"
        for (_, attribute, object_), verdict in zip(labels, verdicts, strict=True)
        if not verdict.correct
    ]


def disturbed(
    source: ImageSource, labels: Sequence[tuple[str, str, str]], name: str
) -> list[Image.Image]:
    pictures = []
    for label in labels:
        with Image.open(source.paths[label]) as image:
            pictures.append(DISTURBANCES[name](image.convert("RGB")))
    return pictures


def test_right_on_every_shipped_picture(judge: ClipJudge, source: ImageSource) -> None:
    assert wrong(judge, LABELS, [source.paths[label] for label in LABELS], "image") == []


def test_right_on_every_shipped_description(judge: ClipJudge, source: ImageSource) -> None:
    descriptions = [source.descriptions[label] for label in LABELS]
    assert wrong(judge, LABELS, descriptions, "description") == []


def test_right_on_plain_labels(judge: ClipJudge) -> None:
    texts = [f"{THEMES[t].text(a)} {o}" for t, a, o in LABELS]
    assert wrong(judge, LABELS, texts, "description") == []


@pytest.mark.parametrize("name", DISTURBANCES)
def test_few_disturbed_pictures(judge: ClipJudge, source: ImageSource, name: str) -> None:
    missed = wrong(judge, HALF, disturbed(source, HALF, name), "image")
    assert len(missed) <= 0.03 * len(HALF), missed


@pytest.mark.slow
@pytest.mark.parametrize("name", DISTURBANCES)
def test_all_pictures_disturbed(judge: ClipJudge, source: ImageSource, name: str) -> None:
    missed = wrong(judge, LABELS, disturbed(source, LABELS, name), "image")
    assert len(missed) <= 0.03 * len(LABELS), missed


def test_a_run_of_targets_scores_one(source: ImageSource, tmp_path: Path) -> None:
    from cobsat import examples

    folder = RunFolder(tmp_path)
    folder.start(RunSettings("oracle", ("style_ii-2shot",), output="image", limit=60))
    with folder.append_predictions() as appender:
        appender.add(
            Prediction(row["id"], "ok", image=str(row["target_image"]))
            for row in examples("style_ii-2shot")[:60]
        )
    result = judge_run(folder, load_judge("clip"))
    assert result["groups"][0]["accuracy"]["value"] == 1.0
    assert result["judge"]["name"] == "clip"
    assert result["judge"]["checkpoint"] == "mini-clip"


def test_what_ships() -> None:
    files = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert set(files) == {
        "README.md", "config.json", "model.safetensors", "preprocessor_config.json",
        "tokenizer.json", "tokenizer_config.json",
    }  # fmt: skip
    assert sum(files.values()) < 6e6
    config = json.loads((FOLDER / "config.json").read_text("utf-8"))
    assert config["architectures"] == ["CLIPModel"]
    assert config["dtype"] == "float16"
    assert "/" not in config.get("_name_or_path", "")


def test_card_names_these_weights(judge: ClipJudge, source: ImageSource) -> None:
    card = (FOLDER / "README.md").read_text("utf-8")
    assert judge.record()["weights_sha256"] in card
    assert f"digest\n`{source.digest[:16]}`" in card or f"digest `{source.digest[:16]}`" in card
    for text in ("knows only these 20 things", "50 attributes", "seed 0", "How it was trained"):
        assert text in card
