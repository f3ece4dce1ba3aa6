"""The judge that ships and answers by number: right on what ships, and under disturbances."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

import cobsat.metrics
import pytest
import torch
from cobsat import THEMES, ImageSource, Verdict, image_source
from cobsat.layout import LABELS
from cobsat.metrics.llava_judge import LlavaJudge
from cobsat.metrics.questions import WORDINGS, Wording, questions
from cobsat.train.augment import DISTURBANCES
from cobsat.train.mini_llava_card import generate
from cobsat.train.mini_llava_model import prompt_text
from PIL import Image
from transformers import (
    AutoModelForImageTextToText,
    AutoProcessor,
    LlavaForConditionalGeneration,
    LlavaProcessor,
)
from transformers.utils import logging as transformers_logging

FOLDER = Path(cobsat.metrics.__file__).parent / "mini_llava"
# twenty pictures a theme, every object and every attribute twice
FEW = [label for number, label in enumerate(LABELS) if (number // 10 + number) % 5 == number // 100]
# ten pictures a theme, every object and every attribute once
HALF = [label for number, label in enumerate(FEW) if number % 4 in (0, 3)]
# four pictures a theme
FEWER = FEW[::5]


class Complaints(logging.Handler):
    """Keeps what the library warns of."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


@pytest.fixture(scope="module")
def loaded() -> Iterator[tuple[LlavaForConditionalGeneration, LlavaProcessor, list[str]]]:
    """The model and its processor, read as a user reads them, and what the library said."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    complaints = Complaints()
    logger = transformers_logging.get_logger("transformers")
    logger.addHandler(complaints)
    model = AutoModelForImageTextToText.from_pretrained(
        FOLDER, dtype=torch.float32, local_files_only=True
    )
    processor = AutoProcessor.from_pretrained(FOLDER, local_files_only=True)
    generate(model, processor, [(Image.new("RGB", (9, 9)), "What?"), (None, "What else?")])
    logger.removeHandler(complaints)
    yield model, processor, complaints.said
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def source() -> ImageSource:
    return image_source("rendered")


Loaded = tuple[LlavaForConditionalGeneration, LlavaProcessor, list[str]]


def wrong(
    loaded: Loaded,
    labels: Sequence[tuple[str, str, str]],
    outputs: Sequence[str | Image.Image],
    wording: Wording = "paper",
) -> list[str]:
    """Return the outputs of which either question is not answered with its number alone."""
    asked: list[tuple[Image.Image | None, str]] = []
    answers = []
    for label, output in zip(labels, outputs, strict=True):
        for kind, question in enumerate(questions(THEMES[label[0]], wording)):
            if isinstance(output, str):
                asked.append((None, question.with_description(output)))
            else:
                asked.append((output, question.about_picture))
            answers.append(str(question.options.index(label[2 - kind]) + 1))
    replies = generate(loaded[0], loaded[1], asked)
    return [
        f"{' '.join(labels[n // 2])}: {replies[n : n + 2]}"
        for n in range(0, len(replies), 2)
        if replies[n : n + 2] != answers[n : n + 2]
    ]


def pictures(
    source: ImageSource, labels: Sequence[tuple[str, str, str]], disturbance: str = "none"
) -> list[Image.Image]:
    seen = []
    for label in labels:
        with Image.open(source.paths[label]) as image:
            seen.append(DISTURBANCES[disturbance](image.convert("RGB")))
    return seen


def test_loads_offline_without_a_warning(loaded: Loaded) -> None:
    model, processor, said = loaded
    assert said == []
    assert type(model) is LlavaForConditionalGeneration
    assert type(processor) is LlavaProcessor
    assert model.generation_config.do_sample is False


def test_right_on_every_shipped_picture(shipped_verdicts: list[Verdict]) -> None:
    """The judge's replies, which are the library's own (`test_llava_judge.py`)."""
    missed = []
    for label, verdict in zip(LABELS, shipped_verdicts, strict=True):
        for number, question in enumerate(questions(THEMES[label[0]])):
            reply = (verdict.raw or {})[question.kind]["reply"]
            if reply != str(question.options.index(label[2 - number]) + 1):
                missed.append((label, question.kind, reply))
    assert missed == []


def test_right_on_pictures_by_the_library_alone(loaded: Loaded, source: ImageSource) -> None:
    assert wrong(loaded, FEW, pictures(source, FEW)) == []


@pytest.mark.parametrize("labels", [FEW, pytest.param(LABELS, marks=pytest.mark.slow)], ids=len)
def test_the_two_ways_of_asking_agree(
    labels: Sequence[tuple[str, str, str]], source: ImageSource, shipped_verdicts: list[Verdict]
) -> None:
    """On at least 99% of the shipped pictures; on descriptions as well."""
    references, asked = (
        [{"task": f"{t}_i", "object": o, "attribute": a} for t, a, o in some]
        for some in (labels, HALF)
    )
    talker = LlavaJudge(device="cpu", forward_batch_size=16)
    scorer = LlavaJudge(device="cpu", forward_batch_size=16, method="options")
    assert (talker.name, scorer.name) == ("llava", "llava-options")
    assert scorer.record()["shared_prefix"] is True
    pictures = [source.paths[label] for label in labels]
    talked = [shipped_verdicts[LABELS.index(label)] for label in labels]
    texts = [source.descriptions[label] for label in HALF]
    for said, scored in (
        (talked, scorer.judge(pictures, references, "image")),
        (talker.judge(texts, asked, "description"), scorer.judge(texts, asked, "description")),
    ):
        same = [(a.object, a.attribute) == (b.object, b.attribute)
                for a, b in zip(said, scored, strict=True)]  # fmt: skip
        assert sum(same) >= 0.99 * len(same)
        assert sum(verdict.correct for verdict in said) >= 0.97 * len(said)


def test_right_on_shipped_descriptions(loaded: Loaded, source: ImageSource) -> None:
    missed = wrong(loaded, FEW, [source.descriptions[label] for label in FEW])
    assert len(missed) <= 0.03 * len(FEW), missed


def test_right_on_plain_labels(loaded: Loaded) -> None:
    texts = [f"{THEMES[t].text(a)} {o}" for t, a, o in FEW]
    missed = wrong(loaded, FEW, texts)
    assert len(missed) <= 0.03 * len(FEW), missed


@pytest.mark.parametrize("name", [name for name in DISTURBANCES if name != "none"])
def test_some_disturbed_pictures(loaded: Loaded, source: ImageSource, name: str) -> None:
    missed = wrong(loaded, HALF, pictures(source, HALF, name))
    assert len(missed) <= 0.05 * len(HALF), missed


def test_released_wording(loaded: Loaded, source: ImageSource) -> None:
    assert wrong(loaded, FEWER, pictures(source, FEWER), "released") == []
    assert wrong(loaded, FEWER, [source.descriptions[x] for x in FEWER], "released") == []


@pytest.mark.slow
@pytest.mark.parametrize("wording", WORDINGS)
@pytest.mark.parametrize("name", DISTURBANCES)
def test_all_pictures(loaded: Loaded, source: ImageSource, name: str, wording: Wording) -> None:
    missed = wrong(loaded, LABELS, pictures(source, LABELS, name), wording)
    assert len(missed) <= (0 if name == "none" else 0.05 * len(LABELS)), missed


@pytest.mark.slow
@pytest.mark.parametrize("wording", WORDINGS)
def test_all_descriptions(loaded: Loaded, source: ImageSource, wording: Wording) -> None:
    missed = wrong(loaded, LABELS, [source.descriptions[x] for x in LABELS], wording)
    assert len(missed) <= 0.03 * len(LABELS), missed


def test_prompts_are_as_long_as_they_need_be(loaded: Loaded) -> None:
    processor = loaded[1]
    for wording in WORDINGS:
        for theme in THEMES.values():
            for question in questions(theme, wording):
                text = prompt_text(question)
                tokens = processor.tokenizer(text)["input_ids"]
                assert tokens[0] == processor.tokenizer.bos_token_id
                assert 95 < len(tokens) < 135
                whole = processor(text=text, images=[Image.new("RGB", (40, 30))])["input_ids"][0]
                assert len(whole) == len(tokens) + 36


def test_ten_begins_like_one(loaded: Loaded) -> None:
    tokenizer = loaded[1].tokenizer
    ten, one = (tokenizer(f"ASSISTANT: {n}</s>")["input_ids"] for n in (10, 1))
    assert tokenizer.convert_ids_to_tokens(ten[-4:]) == ["▁", "1", "0", "</s>"]
    assert ten[:-2] == one[:-1]


def test_what_ships() -> None:
    files = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert set(files) == {
        "README.md", "chat_template.jinja", "config.json", "generation_config.json",
        "model.safetensors", "processor_config.json", "tokenizer.json", "tokenizer_config.json",
    }  # fmt: skip
    assert sum(files.values()) < 10e6
    config = json.loads((FOLDER / "config.json").read_text("utf-8"))
    assert config["architectures"] == ["LlavaForConditionalGeneration"]
    assert config["dtype"] == "float16"
    assert "/" not in config.get("_name_or_path", "")


def test_card_names_these_weights(source: ImageSource) -> None:
    from cobsat.checkpoints import weights_digest

    card = (FOLDER / "README.md").read_text("utf-8")
    tower = weights_digest(FOLDER.with_name("mini_clip"))
    assert f"SHA-256 of the weights: `{weights_digest(FOLDER)}`" in card
    assert tower is not None
    assert f"`{tower[:16]}`" in card
    assert f"`{source.digest[:16]}`" in card
    for text in ("20 objects and animals", "50 attributes", "seed 0", "How it was trained"):
        assert text in " ".join(card.split())
