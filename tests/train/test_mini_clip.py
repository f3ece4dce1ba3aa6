"""The training of mini-clip, on few drawings and for few steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from cobsat import THEMES
from cobsat.train import (
    drawings,
    mini_clip,
    mini_clip_card,
    mini_clip_model,
    samples,
    side_by_side,
)
from cobsat.train.augment import DISTURBANCES, augment
from PIL import Image
from transformers import CLIPModel, CLIPTokenizer

SIZE = 32  # of `conftest.data`'s pictures


@pytest.fixture
def tokenizer() -> CLIPTokenizer:
    return mini_clip_model.build_tokenizer(["a red car", "an old lion", "number"] * 20)


def hash_of(word: str) -> int:
    return sum(word.encode())


def test_drawings_are_in_order_and_drawn_once(
    plain_drawings: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = drawings.draw_all([3, 1], SIZE, tmp_path)
    names = list(THEMES)
    for row in (0, 137, 499, 500, 862):
        theme = THEMES[names[first.themes[row]]]
        attribute = theme.attributes[first.attributes[row]]
        object_ = theme.objects[first.objects[row]]
        seed = 3 if row < 500 else 1
        assert first.descriptions[row] == f"A {attribute} {object_}, number {seed}."
        red = (hash_of(attribute) + hash_of(object_) * 7 + seed) % 256
        assert first.images[row, 5, 5].tolist() == [red, 0, 255 - red]
    assert first.images.shape == (1000, SIZE, SIZE, 3)

    def none_again(*_: Any) -> None:
        raise AssertionError("was drawn before")

    monkeypatch.setattr(drawings, "_draw_file", none_again)
    again = drawings.draw_all([3, 1], SIZE, tmp_path)
    assert np.array_equal(again.images, first.images)
    assert again.descriptions == first.descriptions
    assert list(tmp_path.glob("*/.*")) == []


def test_seed_zero_is_never_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def stop(seeds: range, *_: Any, **__: Any) -> None:
        asked.extend(seeds)
        raise KeyboardInterrupt

    monkeypatch.setattr(mini_clip, "draw_all", stop)
    threads = torch.get_num_threads()
    with pytest.raises(KeyboardInterrupt):
        mini_clip.main(tmp_path / "out", tmp_path, drawing_seeds=5, threads=threads)
    assert asked == [1, 2, 3, 4, 5]


def test_options_are_the_judge_s() -> None:
    texts, objects, attributes = mini_clip_model.option_texts()
    assert len(texts) == len(set(texts)) == 70
    for number, theme in enumerate(THEMES.values()):
        assert [texts[i] for i in objects[number]] == list(theme.objects)
        shown = ["amusement park" if a == "park" else a for a in theme.attributes]
        assert [texts[i] for i in attributes[number]] == shown


def test_no_text_has_an_unknown_token(tokenizer: CLIPTokenizer) -> None:
    texts = ["red car", "Straße, naïve, 図書館 🦓!", "\x00\x7f", "a<|b", "x" * 500]
    for text in texts:
        ids = tokenizer(text)["input_ids"]
        assert ids[0] == tokenizer.bos_token_id
        assert ids[-1] == tokenizer.eos_token_id
        assert ids.count(tokenizer.eos_token_id) == 1, text
    assert len(tokenizer("a red car")["input_ids"]) == 5
    assert len(tokenizer("x " * 500, truncation=True)["input_ids"]) == 64


def test_augment_keeps_what_is_labelled() -> None:
    red = np.zeros((40, 48, 48, 3), np.uint8)
    red[..., 0] = 200
    first = augment(red, SIZE, np.random.default_rng(1))
    assert first.shape == (40, 3, SIZE, SIZE)
    assert 0 <= float(first.min()) <= float(first.max()) <= 1
    middle = first[:, :, 8:24, 8:24].mean(dim=(2, 3))
    assert bool((middle[:, 0] > 0.6).all())
    assert bool((middle[:, 1:] < 0.1).all())
    assert torch.equal(first, augment(red, SIZE, np.random.default_rng(1)))
    assert not torch.equal(first, augment(red, SIZE, np.random.default_rng(2)))
    assert red.max() == 200


def test_augment_flips_and_turns() -> None:
    marked = np.zeros((200, 48, 48, 3), np.uint8)
    marked[:, :, :24] = 255  # the left half
    seen = augment(marked, SIZE, np.random.default_rng(1))[:, :, 8:24].mean(dim=(1, 2))
    left = (seen[:, 8] > seen[:, 24]).float().mean().item()
    assert 0.35 < left < 0.65


def test_disturbances_keep_size_or_say_so() -> None:
    picture = Image.new("RGB", (200, 200), "red")
    sizes = {name: disturb(picture).size for name, disturb in DISTURBANCES.items()}
    assert sizes.pop("resize_128") == (128, 128)
    assert set(sizes.values()) == {(200, 200)}


def test_embeddings_are_the_model_s_own(tokenizer: CLIPTokenizer) -> None:
    model = mini_clip_model.build_model(tokenizer, 0).eval()
    pixels = torch.rand(2, 3, 96, 96, generator=torch.Generator().manual_seed(0))
    processed = mini_clip_model.build_processor()(
        [Image.fromarray((p.permute(1, 2, 0).numpy() * 255).round().astype(np.uint8))
         for p in pixels], return_tensors="pt",
    )["pixel_values"]  # fmt: skip
    texts = ["red car", "an old lion"]
    with torch.inference_mode():
        ours = mini_clip_model.image_embeddings(model, pixels)
        every = torch.stack([torch.randperm(36) for _ in range(2)])
        shuffled = mini_clip_model.image_embeddings(model, pixels, every)
        words = mini_clip_model.text_embeddings(model, tokenizer, texts)
        tokens = tokenizer(texts, padding=True, return_tensors="pt")
        result = model(pixel_values=processed, **tokens)
    assert torch.allclose(ours, result.image_embeds, atol=5e-3)
    assert torch.allclose(ours, shuffled, atol=1e-5)
    assert torch.allclose(words, result.text_embeds, atol=1e-5)


SETTINGS = mini_clip.Settings(
    drawing_seeds=2, steps=2, second_steps=1, batch_size=6, descriptions=4
)


def weights(model: CLIPModel) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def test_training_is_repeatable_and_goes_on_where_it_stopped(
    data: drawings.Drawings,
    tokenizer: CLIPTokenizer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(side_by_side, "CHECKPOINT_EVERY", 2)
    monkeypatch.setattr(drawings, "_digest", lambda: "same")
    losses: list[float] = []
    whole = mini_clip.train(
        data, tokenizer, SETTINGS, tmp_path / "a.pt", lambda _, loss: losses.append(loss)
    )
    assert len(losses) == 3

    def stop(step: int, loss: float) -> None:
        if step == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mini_clip.train(data, tokenizer, SETTINGS, tmp_path / "b.pt", stop)
    steps: list[int] = []
    resumed = mini_clip.train(
        data, tokenizer, SETTINGS, tmp_path / "b.pt", lambda step, _: steps.append(step)
    )
    assert steps == [3]
    assert torch.equal(weights(whole), weights(resumed))
    fresh = mini_clip_model.build_model(tokenizer, SETTINGS.seed)
    assert not torch.equal(weights(whole), weights(fresh))


def test_copies_learn_what_one_would_of_their_batches_together(
    data: drawings.Drawings, tokenizer: CLIPTokenizer
) -> None:
    model, *copies = (mini_clip_model.build_model(tokenizer, 0) for _ in range(3))
    for number, copy in enumerate(copies):
        for parameter in copy.parameters():
            parameter.grad = torch.full_like(parameter, number + 1.0)
    copies[0].logit_scale.grad = None
    side_by_side.gather(model, copies)
    gradients = dict(model.named_parameters())
    assert gradients["logit_scale"].grad is not None
    assert gradients["logit_scale"].grad.item() == 2.0
    inner = gradients["visual_projection.weight"].grad
    assert inner is not None
    assert bool((inner == 1.5).all())


def test_the_learning_rate_has_two_cycles() -> None:
    settings = mini_clip.Settings(steps=200, second_steps=100, second_rate=0.3)
    rates = [side_by_side.schedule(step, settings) for step in range(300)]
    assert max(rates[:200]) == pytest.approx(1)
    assert rates[199] < 0.001
    assert max(rates[200:]) == pytest.approx(0.3)
    assert rates[200] < rates[210] > rates[299]
    assert rates[299] < 0.001
    cycles = [side_by_side.cycle_of(step, settings) for step in (0, 199, 200, 299)]
    assert cycles == [(0, 0), (0, 199), (1, 0), (1, 99)]
    with pytest.raises(ValueError, match="before the last cycle's end, got 300"):
        side_by_side.cycle_of(300, settings)


def test_harder_themes_are_shown_more_often(data: drawings.Drawings) -> None:
    assert set(mini_clip.Settings().theme_weights) == set(THEMES)
    chances = samples.chances(data, mini_clip.Settings().theme_weights)
    assert chances.sum() == pytest.approx(1)
    style, color = (chances[data.themes == list(THEMES).index(n)] for n in ("style", "color"))
    assert style.min() == pytest.approx(2.5 * color.max())


def test_the_command_writes_a_whole_folder(
    data: drawings.Drawings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = dict.fromkeys([*DISTURBANCES, "descriptions"], 0.125)
    monkeypatch.setattr(mini_clip, "measure", lambda _: scores)
    monkeypatch.setattr(mini_clip, "draw_all", lambda *_, **__: data)
    monkeypatch.setattr(mini_clip, "Settings", lambda **given: mini_clip_settings(given))
    out = tmp_path / "mini_clip"
    mini_clip.main(out, tmp_path / "scratch", drawing_seeds=2, steps=2,
                   threads=torch.get_num_threads())  # fmt: skip
    model = CLIPModel.from_pretrained(out)
    assert model.dtype == torch.float16
    tokens = CLIPTokenizer.from_pretrained(out)("A red car.")["input_ids"]
    assert tokens[-1] == model.config.text_config.eos_token_id
    card = (out / "README.md").read_text("utf-8")
    assert card.count("12.5%") == len(scores)
    assert "1,000 drawings" in card
    assert oct((out / "model.safetensors").stat().st_mode)[-3:] == "644"


def mini_clip_settings(given: dict[str, Any]) -> mini_clip.Settings:
    return type(SETTINGS)(**{**given, "second_steps": 1, "batch_size": 4, "descriptions": 2})


def test_measure_counts_both_halves() -> None:
    options = torch.eye(20)
    places = [[list(range(10))] * 5, [list(range(10, 20))] * 5]
    outputs = torch.zeros(500, 20)
    for number in range(500):
        outputs[number, number % 10] = 1  # the object
        outputs[number, 10 + number // 10 % 10] = 1  # the attribute
    assert mini_clip_card._accuracy(outputs, options, places) == 1.0
    outputs[0] = torch.zeros(20)
    outputs[0, 3] = 1  # a wrong object and no attribute
    outputs[77, 10:] = 0
    assert mini_clip_card._accuracy(outputs, options, places) == pytest.approx(498 / 500)
