"""The judge `clip` on a tiny random CLIP of the real classes."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from cobsat import THEMES
from cobsat.metrics.clip_judge import ClipJudge, Measured, verdict
from PIL import Image
from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel, CLIPTokenizer

RED_CAR = {"task": "color_i", "object": "car", "attribute": "red"}
LENGTH = 12


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model whose tokenizer reads letters."""
    folder = tmp_path_factory.mktemp("models") / "tiny-clip"
    letters = [chr(c) for c in range(33, 127)]
    pieces = [*letters, *(letter + "</w>" for letter in letters)]
    pieces += ["<|startoftext|>", "<|endoftext|>"]
    tokenizer = CLIPTokenizer(vocab={p: n for n, p in enumerate(pieces)}, merges=[])
    torch.manual_seed(0)
    text = {
        "vocab_size": len(pieces), "hidden_size": 16, "intermediate_size": 32,
        "num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": LENGTH,
        "bos_token_id": len(pieces) - 2, "eos_token_id": len(pieces) - 1,
    }  # fmt: skip
    vision = {
        "image_size": 16, "patch_size": 8, "hidden_size": 16, "intermediate_size": 32,
        "num_hidden_layers": 2, "num_attention_heads": 2,
    }  # fmt: skip
    model = CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=8))
    for parameter in model.parameters():  # a fresh model's towers hardly look at their input
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    CLIPImageProcessorPil(
        size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16}
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def judge(checkpoint: Path) -> ClipJudge:
    return ClipJudge(str(checkpoint), device="cpu", forward_batch_size=4)


@pytest.fixture
def pictures(tmp_path: Path) -> list[str]:
    generator = torch.Generator().manual_seed(1)
    paths = []
    for number in range(10):
        blocks = torch.randint(0, 256, (2, 2, 3), generator=generator).byte().numpy()
        paths.append(str(tmp_path / f"{number}.png"))
        Image.fromarray(blocks).resize((20 + number, 24), Image.Resampling.NEAREST).save(paths[-1])
    return paths


def cosines(model: CLIPModel, tokenizer: CLIPTokenizer, picture: str, texts: list[str]) -> Any:
    """The textbook way: one picture and its texts through the model's own forward pass."""
    processor = CLIPImageProcessorPil(
        size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16}
    )
    with Image.open(picture) as image, torch.inference_mode():
        inputs = processor(image.convert("RGB"), return_tensors="pt")
        tokens = tokenizer(texts, padding=True, truncation=True, max_length=LENGTH,
                           return_tensors="pt")  # fmt: skip
        result = model(**tokens, **inputs)
        return (result.logits_per_image[0] / model.logit_scale.exp()).tolist()


def test_agrees_with_the_model_s_own_forward_pass(
    judge: ClipJudge, checkpoint: Path, pictures: list[str]
) -> None:
    model = CLIPModel.from_pretrained(checkpoint).eval()
    tokenizer = CLIPTokenizer.from_pretrained(checkpoint)
    theme = THEMES["background"]
    reference = {"task": "background_ii", "object": "pig", "attribute": "park"}
    words = ["amusement park" if w == "park" else w for w in theme.attributes]
    texts = [*theme.objects, *words, "amusement park pig"]
    for picture, measured in zip(
        pictures, judge.measure(pictures, [reference] * 10, "image"), strict=True
    ):
        expected = cosines(model, tokenizer, picture, texts)
        assert isinstance(measured, Measured)
        assert measured.objects == pytest.approx(expected[:10], abs=1e-5)
        assert measured.attributes == pytest.approx(expected[10:20], abs=1e-5)
        assert measured.label == pytest.approx(expected[20], abs=1e-5)


def test_batched_is_single(judge: ClipJudge, pictures: list[str]) -> None:
    descriptions = ["a red car", "", "blue " * 40, "x", "the old lion sleeps in a cave", "?!"]
    for outputs, kind in ((pictures, "image"), (descriptions, "description")):
        together = judge.judge(outputs, [RED_CAR] * len(outputs), kind)
        alone = [judge.judge([output], [RED_CAR], kind)[0] for output in outputs]
        for one, other in zip(together, alone, strict=True):
            assert (one.status, one.object, one.attribute, one.reason) == (
                other.status, other.object, other.attribute, other.reason,
            )  # fmt: skip
            for key in one.raw or {}:
                assert one.raw[key] == pytest.approx(other.raw[key], abs=2e-4)  # type: ignore[index]
    seen = {str(v.raw) for v in judge.judge(pictures, [RED_CAR] * 10, "image")}
    assert len(seen) == len(pictures)


def test_answers_are_the_closest_options() -> None:
    theme = THEMES["color"]
    objects = tuple(0.1 * (word == "car") for word in theme.objects)
    attributes = tuple(-0.5 - 0.1 * (word != "red") for word in theme.attributes)
    right = verdict(Measured(objects, attributes, 0.2), RED_CAR)
    assert right.correct
    assert right.raw == {"objects": list(objects), "attributes": [round(a, 4) for a in attributes]}
    other = verdict(
        Measured(objects, attributes, 0.2, truncated=True), {**RED_CAR, "object": "hat"}
    )
    assert (other.object_correct, other.attribute_correct) == (False, True)
    assert other.raw is not None
    assert other.raw["truncated"] is True


def test_what_is_no_number_is_no_answer() -> None:
    nothing = Measured((math.nan,) * 10, (0.1,) * 10, 0.2)
    result = verdict(nothing, RED_CAR)
    assert (result.status, result.object, result.object_correct) == ("unscored", None, None)
    assert result.reason == "the checkpoint gives no number for this output"


def test_what_cannot_be_read_is_counted_not_scored(
    judge: ClipJudge, pictures: list[str], tmp_path: Path
) -> None:
    whole = Path(pictures[0]).read_bytes()
    files = {"half.png": whole[: len(whole) // 2], "empty.png": b"", "text.png": b"no picture"}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    strange = [str(tmp_path / name) for name in (*files, "missing.png")] + [str(tmp_path)]
    outputs = [strange[0], pictures[1], *strange[1:], pictures[2]]
    verdicts = judge.judge(outputs, [RED_CAR] * len(outputs), "image")
    statuses = ["unscored", "scored", "unscored", "unscored", "unscored", "unscored", "scored"]
    assert [v.status for v in verdicts] == statuses
    assert verdicts[0].reason == "image cannot be read: half.png: OSError"
    assert verdicts[4].reason == "image cannot be read: missing.png: FileNotFoundError"
    alone = judge.judge([pictures[1]], [RED_CAR], "image")[0]
    assert (verdicts[1].object, verdicts[1].attribute) == (alone.object, alone.attribute)
    nothing = judge.judge(strange, [RED_CAR] * 5, "image")
    assert {v.status for v in nothing} == {"unscored"}
    assert judge.judge([], [], "image") == []


def test_pictures_may_be_files_bytes_or_images(judge: ClipJudge, pictures: list[str]) -> None:
    with Image.open(pictures[3]) as image:
        image.load()
    data = Path(pictures[3]).read_bytes()
    grey = image.convert("L").convert("RGB")
    as_path, as_image, as_bytes, as_grey, as_l = judge.measure(
        [pictures[3], image, data, grey, image.convert("L")], [RED_CAR] * 5, "image"
    )
    for one, other in ((as_path, as_image), (as_path, as_bytes), (as_grey, as_l)):
        assert isinstance(one, Measured)
        assert isinstance(other, Measured)
        assert one.objects == pytest.approx(other.objects, abs=1e-5)
    assert as_grey != as_path


def test_a_long_description_is_cut_and_keeps_its_end_token(
    judge: ClipJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[torch.Tensor] = []
    features = judge._model.get_text_features

    def listen(input_ids: torch.Tensor, attention_mask: torch.Tensor) -> Any:
        seen.append(input_ids)
        return features(input_ids=input_ids, attention_mask=attention_mask)

    monkeypatch.setattr(judge._model, "get_text_features", listen)
    texts = ["abcdefghij", "abcdefghijk", "abcdefghijklmnop", "abcdefghijkxyz", "ab"]
    verdicts = judge.judge(texts, [RED_CAR] * 5, "description")
    end = judge._tokenizer.eos_token_id
    ids = torch.cat([part[:, :LENGTH] for part in seen if part.shape[1] == LENGTH])
    assert ids[:, -1].tolist() == [end] * len(ids)
    assert max(part.shape[1] for part in seen) == LENGTH
    cut = [(v.raw or {}).get("truncated", False) for v in verdicts]
    assert cut == [False, True, True, True, False]
    assert verdicts[2].raw == verdicts[3].raw  # the same beginning
    assert verdicts[1].raw == verdicts[2].raw


def test_an_end_token_in_a_text_is_text(judge: ClipJudge) -> None:
    plain, hostile = judge.measure(["ab", "ab<|endoftext|>"], [RED_CAR] * 2, "description")
    assert isinstance(plain, Measured)
    assert isinstance(hostile, Measured)
    assert plain.objects != pytest.approx(hostile.objects, abs=1e-3)


def test_texts_are_embedded_once(checkpoint: Path, pictures: list[str]) -> None:
    judge = ClipJudge(str(checkpoint), device="cpu")
    embedded: list[str] = []
    encode = judge._encode
    judge._encode = lambda texts: embedded.extend(texts) or encode(texts)  # type: ignore[method-assign,func-returns-value,assignment]
    style = {"task": "style_ii", "object": "car", "attribute": "old"}
    for references in ([RED_CAR] * 3, [RED_CAR, style, RED_CAR], [style] * 3):
        judge.judge(pictures[:3], references, "image")
    assert len(embedded) == len(set(embedded))
    assert set(embedded) == {
        *THEMES["color"].objects, *THEMES["color"].attributes, *THEMES["style"].attributes,
        "red car", "old car",
    }  # fmt: skip


def test_logit_scale_plays_no_part(checkpoint: Path, pictures: list[str], judge: ClipJudge) -> None:
    loud = ClipJudge(str(checkpoint), device="cpu")
    loud._model.logit_scale.data.fill_(10.0)
    (one,) = loud.measure(pictures[:1], [RED_CAR], "image")
    (other,) = judge.measure(pictures[:1], [RED_CAR], "image")
    assert isinstance(one, Measured)
    assert isinstance(other, Measured)
    assert one.label == pytest.approx(other.label, abs=1e-6)


def test_features_may_be_a_tensor_or_an_object(
    checkpoint: Path, pictures: list[str], judge: ClipJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = ClipJudge(str(checkpoint), device="cpu")
    for name in ("get_text_features", "get_image_features"):
        inner = getattr(other._model, name)

        def plain(*, _inner: Any = inner, **inputs: Any) -> torch.Tensor:
            features = _inner(**inputs)
            vectors: torch.Tensor = getattr(features, "pooler_output", features)
            return vectors

        def wrapped(*, _inner: Any = plain, **inputs: Any) -> SimpleNamespace:
            return SimpleNamespace(pooler_output=_inner(**inputs))

        monkeypatch.setattr(other._model, name, plain if "text" in name else wrapped)
    assert other.judge(pictures, [RED_CAR] * 10, "image") == judge.judge(
        pictures, [RED_CAR] * 10, "image"
    )


def test_record_and_name(judge: ClipJudge, checkpoint: Path) -> None:
    assert judge.name == "clip-tiny-clip"
    record = judge.record()
    assert record["checkpoint"] == "tiny-clip"
    assert record["image_processor"] == "CLIPImageProcessorPil"
    assert record["dtype"] == "float32"
    assert len(record["weights_sha256"]) == 64
    assert set(record["versions"]) == {"torch", "transformers", "pillow"}
    assert next(judge._model.parameters()).dtype == torch.float32


def test_bad_input(judge: ClipJudge, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="output must be one of image, description, got 'text'"):
        judge.judge(["a"], [RED_CAR], "text")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"as many as predictions \(2\), got 1"):
        judge.judge(["a", "b"], [RED_CAR], "description")
    with pytest.raises(ValueError, match="attribute of a color_i reference must be one of yellow"):
        judge.judge(["a"], [{**RED_CAR, "attribute": "old"}], "description")
    with pytest.raises(OSError, match="empty"):
        ClipJudge(str(tmp_path / "empty"))
