"""The judge `clip` on a tiny random CLIP of the real classes."""

from __future__ import annotations

import json
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from cobsat import THEMES
from cobsat.metrics import clip_encoder
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
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


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


@pytest.mark.usefixtures("two_threads")
def test_neither_order_nor_threads_nor_batch_size_matter(
    checkpoint: Path, judge: ClipJudge, pictures: list[str]
) -> None:
    outputs = [*pictures, *(path.replace("0.png", "none.png") for path in pictures[:1])]
    descriptions = [f"{word} " * number for number in range(9) for word in ("ab", "x?")]
    style = {"task": "style_ii", "object": "car", "attribute": "old"}
    for given, kind in ((outputs, "image"), (descriptions, "description")):
        references = [(RED_CAR, style)[number % 2] for number in range(len(given))]
        expected = judge.measure(given, references, kind)
        order = torch.randperm(len(given), generator=torch.Generator().manual_seed(2)).tolist()
        for size in (1, 3, 64):
            other = ClipJudge(str(checkpoint), device="cpu", forward_batch_size=size)
            mixed = other.measure([given[i] for i in order], [references[i] for i in order], kind)
            for place, measured in zip(order, mixed, strict=True):
                near(measured, expected[place])
    assert torch.get_num_threads() == 2


def near(one: Measured | str, other: Measured | str) -> None:
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    assert one.objects == pytest.approx(other.objects, abs=1e-5)
    assert one.attributes == pytest.approx(other.attributes, abs=1e-5)
    assert one.label == pytest.approx(other.label, abs=1e-5)
    assert one.truncated == other.truncated


@pytest.mark.usefixtures("two_threads")
def test_few_pictures_are_in_memory_at_a_time(
    checkpoint: Path, pictures: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = ClipJudge(str(checkpoint), device="cpu", forward_batch_size=3)
    decoded, ready = Alive(), Alive()
    monkeypatch.setattr(clip_encoder, "open_picture", decoded.watch(clip_encoder.open_picture))
    monkeypatch.setattr(judge.encoder, "_ready", ready.watch(judge.encoder._ready))
    many = [Path(path).read_bytes() + bytes([number]) for number in range(6) for path in pictures]
    verdicts = judge.judge(many, [RED_CAR] * 60, "image")
    assert {v.status for v in verdicts} == {"scored"}
    assert (decoded.seen, ready.seen) == (60, 60)
    assert decoded.most <= 2  # one a thread
    assert ready.most <= 2 * 3  # a batch a thread
    assert decoded.now == ready.now == 0


class Alive:
    """Counts how many of the things that a function made are alive."""

    def __init__(self) -> None:
        self.now = self.most = self.seen = 0
        self._lock = threading.RLock()  # a thing may die while another is counted

    def watch(self, make: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any) -> Any:
            made = make(*arguments)
            with self._lock:
                self.seen += 1
                self.now += 1
                self.most = max(self.most, self.now)
            weakref.finalize(made, self._gone)
            return made

        return watched

    def _gone(self) -> None:
        with self._lock:
            self.now -= 1


def test_equal_outputs_are_looked_at_once(
    judge: ClipJudge, pictures: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded = Alive()
    monkeypatch.setattr(clip_encoder, "open_picture", decoded.watch(clip_encoder.open_picture))
    outputs = [pictures[0], pictures[1], pictures[0], pictures[0]]
    verdicts = judge.judge(outputs, [RED_CAR] * 4, "image")
    assert decoded.seen == 2
    assert verdicts[0] == verdicts[2] == verdicts[3] != verdicts[1]


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


def test_what_is_no_number_is_no_answer(checkpoint: Path, pictures: list[str]) -> None:
    broken = ClipJudge(str(checkpoint), device="cpu")
    broken.encoder.model.visual_projection.weight.data[0, 0] = float("nan")
    (result,) = broken.judge(pictures[:1], [RED_CAR], "image")
    assert (result.status, result.object, result.object_correct) == ("unscored", None, None)
    assert result.reason == "the checkpoint gives no number for this output"
    (measured,) = broken.measure(pictures[:1], [RED_CAR], "image")
    assert measured == result.reason  # so that it is in no mean similarity
    (text,) = broken.judge(["a red car"], [RED_CAR], "description")
    assert text.status == "scored"


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


@pytest.mark.parametrize("size", [(16, 16), (24, 20), (1, 1), (7, 90), (300, 17), (3, 40)])
def test_pixels_are_the_processor_s(judge: ClipJudge, size: tuple[int, int],
                                    monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    noise = np.random.default_rng(0).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    picture = Image.fromarray(noise)
    seen: list[torch.Tensor] = []
    features = judge.encoder.model.get_image_features

    def listen(pixel_values: torch.Tensor) -> Any:
        seen.append(pixel_values)
        return features(pixel_values=pixel_values)

    monkeypatch.setattr(judge.encoder.model, "get_image_features", listen)
    judge.judge([picture], [RED_CAR], "image")
    plain = judge.encoder.processor(picture, return_tensors="pt")["pixel_values"]
    assert torch.equal(seen[0], plain)


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
    features = judge.encoder.model.get_text_features

    def listen(input_ids: torch.Tensor, attention_mask: torch.Tensor) -> Any:
        seen.append(input_ids)
        return features(input_ids=input_ids, attention_mask=attention_mask)

    monkeypatch.setattr(judge.encoder.model, "get_text_features", listen)
    texts = ["abcdefghij", "abcdefghijk", "abcdefghijklmnop", "abcdefghijkxyz", "ab"]
    verdicts = judge.judge(texts, [RED_CAR] * 5, "description")
    end = judge.encoder.tokenizer.eos_token_id
    ids = torch.cat([part[:, :LENGTH] for part in seen if part.shape[1] == LENGTH])
    assert ids[:, -1].tolist() == [end] * len(ids)
    assert max(part.shape[1] for part in seen) == LENGTH
    cut = [(v.raw or {}).get("truncated", False) for v in verdicts]
    assert cut == [False, True, True, True, False]
    assert verdicts[2].raw == verdicts[3].raw  # the same beginning
    assert verdicts[1].raw == verdicts[2].raw


@pytest.mark.parametrize("token", ["<|endoftext|>", "<|startoftext|>"])
def test_a_special_token_in_a_text_is_text(judge: ClipJudge, token: str) -> None:
    plain, *hostile = judge.measure(
        ["ab", f"ab{token}", f"{token}ab", f"{token[:5]}ab"], [RED_CAR] * 4, "description"
    )
    assert isinstance(plain, Measured)
    for other in hostile:
        assert isinstance(other, Measured)
        assert plain.objects != pytest.approx(other.objects, abs=1e-3)
    end = judge.encoder.tokenizer.eos_token_id
    ids = judge.encoder.tokenizer(f"ab{token}", split_special_tokens=True)["input_ids"]
    assert ids.count(end) == 1


def test_texts_are_embedded_once(checkpoint: Path, pictures: list[str]) -> None:
    judge = ClipJudge(str(checkpoint), device="cpu")
    embedded: list[str] = []
    texts_of = judge.encoder.texts

    def listen(texts: list[str]) -> Any:
        embedded.extend(texts)
        return texts_of(texts)

    judge.encoder.texts = listen  # type: ignore[method-assign,assignment]
    style = {"task": "style_ii", "object": "car", "attribute": "old"}
    for references in ([RED_CAR] * 3, [RED_CAR, style, RED_CAR], [style] * 3):
        judge.judge(pictures[:3], references, "image")
    assert "red car" not in embedded  # no verdict depends on it
    for _ in range(2):
        judge.measure(pictures[:2], [RED_CAR, style], "image")
    assert len(embedded) == len(set(embedded))
    assert set(embedded) == {
        *THEMES["color"].objects, *THEMES["color"].attributes, *THEMES["style"].attributes,
        "red car", "old car",
    }  # fmt: skip


def test_logit_scale_plays_no_part(checkpoint: Path, pictures: list[str], judge: ClipJudge) -> None:
    loud = ClipJudge(str(checkpoint), device="cpu")
    loud.encoder.model.logit_scale.data.fill_(10.0)
    (one,) = loud.measure(pictures[:1], [RED_CAR], "image")
    (other,) = judge.measure(pictures[:1], [RED_CAR], "image")
    assert isinstance(one, Measured)
    assert isinstance(other, Measured)
    assert one.label == pytest.approx(other.label, abs=1e-6)


@pytest.mark.parametrize("kind", ["image", "description"])
@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: SimpleNamespace(pooler_output=v)])
def test_features_may_be_a_tensor_or_an_object(
    checkpoint: Path, pictures: list[str], judge: ClipJudge, monkeypatch: pytest.MonkeyPatch,
    kind: Any, wrap: Callable[[torch.Tensor], Any],
) -> None:  # fmt: skip
    other = ClipJudge(str(checkpoint), device="cpu", forward_batch_size=4)
    for name in ("get_text_features", "get_image_features"):
        inner = getattr(other.encoder.model, name)

        def wrapped(*, _inner: Any = inner, **inputs: Any) -> Any:
            features = _inner(**inputs)
            return wrap(getattr(features, "pooler_output", features))

        monkeypatch.setattr(other.encoder.model, name, wrapped)
    outputs = pictures if kind == "image" else ["ab", "a red car", "?"]
    references = [RED_CAR] * len(outputs)
    assert other.judge(outputs, references, kind) == judge.judge(outputs, references, kind)


def test_record_and_name(judge: ClipJudge, checkpoint: Path) -> None:
    assert judge.name == "clip-tiny-clip"
    record = judge.record()
    assert record["checkpoint"] == "tiny-clip"
    assert record["image_processor"] == "CLIPImageProcessorPil"
    assert record["dtype"] == "float32"
    assert len(record["weights_sha256"]) == 64
    assert set(record["versions"]) == {"torch", "transformers", "pillow"}
    assert next(judge.encoder.model.parameters()).dtype == torch.float32


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision(
    checkpoint: Path, judge: ClipJudge, pictures: list[str], dtype: str
) -> None:
    half = ClipJudge(str(checkpoint), device="cpu", dtype=dtype)
    assert half.record() == {**judge.record(), "dtype": dtype}
    assert {p.dtype for p in half.encoder.model.parameters()} == {getattr(torch, dtype)}
    for outputs, kind in ((pictures, "image"), (["ab", "a red car"], "description")):
        references = [RED_CAR] * len(outputs)
        for one, other in zip(
            half.measure(outputs, references, kind),
            judge.measure(outputs, references, kind),
            strict=True,
        ):
            assert isinstance(one, Measured)
            assert isinstance(other, Measured)
            assert one.objects == pytest.approx(other.objects, abs=0.05)
            assert one.objects != other.objects


def test_another_type_of_model_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    """The library would fill a CLIP with random weights, and only warn."""
    config = json.loads((checkpoint / "config.json").read_text("utf-8"))
    (tmp_path / "config.json").write_text(json.dumps({**config, "model_type": "siglip"}), "utf-8")
    with pytest.raises(ValueError, match=r"must be of the model type 'clip'.*, got 'siglip'"):
        ClipJudge(str(tmp_path))


def test_parts_leave_no_thread_without_work() -> None:
    for count in (0, 1, 2, 7, 16, 33, 200):
        items = list(range(count))
        for workers in (1, 2, 8):
            parts = clip_encoder._even_parts(items, workers, 16)
            assert [item for part in parts for item in part] == items
            sizes = [len(part) for part in parts]
            assert all(0 < size <= 16 for size in sizes)
            assert not sizes or max(sizes) - min(sizes) <= 1
            assert len(parts) == count or len(parts) % workers == 0


def test_bad_input(judge: ClipJudge, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="output must be one of image, description, got 'text'"):
        judge.judge(["a"], [RED_CAR], "text")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"as many as predictions \(2\), got 1"):
        judge.judge(["a", "b"], [RED_CAR], "description")
    with pytest.raises(ValueError, match="attribute of a color_i reference must be one of yellow"):
        judge.judge(["a"], [{**RED_CAR, "attribute": "old"}], "description")
    with pytest.raises(OSError, match="empty"):
        ClipJudge(str(tmp_path / "empty"))
    with pytest.raises(ValueError, match="dtype must be one of float32, bfloat16, float16"):
        ClipJudge(dtype="int8")
    with pytest.raises(ValueError, match="forward_batch_size must be at least 1, got 0"):
        ClipJudge(forward_batch_size=0)
