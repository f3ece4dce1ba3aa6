"""The training of mini-vlm, on few drawings and for few steps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from cobsat import Options, examples
from cobsat.examples import prompt_list
from cobsat.metrics.mention_judge import judge_description
from cobsat.spec import TASKS, THEMES
from cobsat.train import (
    drawings,
    mini_clip_model,
    mini_vlm,
    mini_vlm_card,
    mini_vlm_data,
    mini_vlm_model,
    samples,
    side_by_side,
)
from PIL import Image
from torch.nn import functional
from transformers import (
    AutoModelForImageTextToText,
    AutoProcessor,
    CLIPConfig,
    CLIPModel,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2_5_VLProcessor,
    Qwen2Tokenizer,
)

SETTINGS = mini_vlm.Settings(
    drawing_seeds=2,
    width=64,
    layers=2,
    sight=mini_vlm.Stage(((2, 1.0),), 3),
    naming=mini_vlm.Stage(((2, 1.0),), 3),
    context=mini_vlm.Stage(((1, 1.0), (1, 0.5)), 3),
)
WORDINGS = [
    *((kind, "neutral") for kind in ("default", "instruct", "exact", "misleading")),
    *(("default", name) for name in ("emu", "gill", "seed_llama", "llava", "qwen_vl", "gpt4v")),
]


class Texts:
    """Stands for drawings where only their descriptions are read."""

    descriptions = ("A red car by a pale wall.", "An old lion, number 2.")


@pytest.fixture(scope="module")
def tokenizer() -> Qwen2Tokenizer:
    texts: Any = Texts()
    return mini_vlm_model.build_tokenizer(mini_vlm_data.tokenizer_texts(texts))


@pytest.fixture(scope="module")
def processor(tokenizer: Qwen2Tokenizer) -> Qwen2_5_VLProcessor:
    return mini_vlm_model.build_vlm_processor(tokenizer)


@pytest.fixture(scope="module")
def encoder(tokenizer: Qwen2Tokenizer) -> mini_vlm_data.Encoder:
    return mini_vlm_data.Encoder(tokenizer)


@pytest.fixture(scope="module")
def clip() -> CLIPModel:
    """An untrained CLIP of mini-clip's layout, and smaller."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2}
    sizes |= {"num_attention_heads": 2}
    pictures = {"image_size": 96, "patch_size": 16, "hidden_act": "gelu"}
    config = CLIPConfig(text_config={**sizes, "vocab_size": 9}, vision_config={**sizes, **pictures})
    return CLIPModel(config).train(False)


@pytest.fixture(scope="module")
def model(tokenizer: Qwen2Tokenizer, clip: CLIPModel) -> Qwen2_5_VLForConditionalGeneration:
    """An untrained model that tells its inputs apart."""
    built = mini_vlm_model.build_vlm(tokenizer, clip, 0, width=64, layers=2)
    with torch.no_grad():
        for parameter in built.model.language_model.layers.parameters():
            if parameter.ndim == 2:
                parameter.mul_(4)
    return built.train(False)


def test_any_text_can_be_written(tokenizer: Qwen2Tokenizer) -> None:
    for text in ["red car", "Straße, naïve, 図書館 🦓!", "a\n\n b\t\x00\x7f", "a<|b", "x" * 500]:
        ids = tokenizer(text)["input_ids"]
        assert tokenizer.eos_token_id not in ids
        assert tokenizer.pad_token_id not in ids
        assert tokenizer.decode(ids) == text


def test_words_of_table_1_are_one_token(tokenizer: Qwen2Tokenizer) -> None:
    for theme in THEMES.values():
        for word in (*theme.objects, *theme.attributes):
            assert len(tokenizer.tokenize(f" {word}")) == 1, word


def test_weights_fit_into_ten_megabytes(tokenizer: Qwen2Tokenizer) -> None:
    words = mini_clip_model.build_tokenizer(["a red car"])
    whole = mini_vlm_model.build_vlm(tokenizer, mini_clip_model.build_model(words, 0), 0)
    missing = mini_vlm_model.VOCABULARY - len(tokenizer)
    parameters = sum(p.numel() for p in whole.parameters()) + 192 * missing
    assert 2 * parameters < 10e6


def test_captions_name_their_label_and_no_other() -> None:
    for theme, attribute, object_ in samples_of_all_labels():
        told = mini_vlm_data.caption(theme, attribute, object_)
        verdict = judge_description(
            told, {"task": f"{theme}_ii", "object": object_, "attribute": attribute}
        )
        assert verdict.correct, told


def samples_of_all_labels() -> list[tuple[str, str, str]]:
    return [(t.name, a, o) for t in THEMES.values() for a in t.attributes for o in t.objects]


def test_label_numbers_are_those_of_the_drawings(data: drawings.Drawings) -> None:
    numbers = samples.label_numbers(data, np.arange(500))
    told = [mini_vlm_data.label_number(*label) for label in samples_of_all_labels()]
    assert numbers.tolist() == told == list(range(500))


@pytest.mark.parametrize(("prompt_type", "name"), WORDINGS)
def test_prompts_are_the_benchmark_s(
    prompt_type: str,
    name: str,
    encoder: mini_vlm_data.Encoder,
    processor: Qwen2_5_VLProcessor,
) -> None:
    options = Options(output="description", prompt_type=prompt_type, instructions_for=name)
    wording = mini_vlm_data.Wording(prompt_type, name, 1.0)
    picture = Image.new("RGB", (70, 70))
    for shots, number in ((2, 7), (4, 998)):
        for task in TASKS.values():
            row = examples(f"{task.name}-{shots}shot", "test", options)[number]
            prompt = prompt_list("test", shots, 123)[number]
            chat, labels, answer = mini_vlm_data.task_chat(task, prompt, wording)
            for message in row["messages"]:
                for part in message["content"]:
                    part["image"] = None
            assert chat == row["messages"]
            shown = [task.label(d["text_input"], row["latent_variable"])
                     for d in row["demonstrations"]]  # fmt: skip
            assert [samples_of_all_labels()[n] for n in labels] == [
                (task.theme.name, *pair) for pair in shown
            ]
            assert judge_description(answer, row["reference"]).correct
            sample = encoder.sample(chat, labels, answer)
            text = processor.apply_chat_template(chat, add_generation_prompt=True, tokenize=False)
            ids = processor(text=text, images=[picture] * shots)["input_ids"][0]
            assert ids == list(sample.tokens[: -sample.answer])
            rest = processor.tokenizer.decode(sample.tokens[-sample.answer :])
            assert rest == f"{answer}<|im_end|>"


def test_the_released_list_is_not_trained_on(encoder: mini_vlm_data.Encoder) -> None:
    assert 123 not in mini_vlm_data.LIST_SEEDS
    task, wording = TASKS["style_i"], mini_vlm.WORDINGS[0]
    drawn = [
        mini_vlm_data.context_sample(encoder, task, 4, wording, np.random.default_rng(seed))
        for seed in range(3)
    ]
    assert len({sample.tokens for sample in drawn}) == 3


def test_prompts_are_drawn_as_often_as_set(encoder: mini_vlm_data.Encoder) -> None:
    settings = replace(
        SETTINGS, context=mini_vlm.Stage(((1, 1.0),), 200), kept_naming=0.25, shots=((2, 1.0),),
        attribute_inference=0.8, wordings=mini_vlm.WORDINGS[:1],
    )  # fmt: skip
    drawn = mini_vlm.context_samples(encoder, settings, np.random.default_rng(0))
    assert len(drawn) == 200
    prompts = [sample for sample in drawn if len(sample.labels) == 2]
    assert len(prompts) == 150
    objects = [{label % 10 for label in sample.labels} for sample in prompts]
    attributes = [{label // 10 for label in sample.labels} for sample in prompts]
    assert all(len(o) + len(a) == 3 for o, a in zip(objects, attributes, strict=True))
    assert 105 < sum(len(a) == 1 for a in attributes) < 135  # they share the attribute


def test_single_pictures_are_asked_about_in_every_way(encoder: mini_vlm_data.Encoder) -> None:
    generator = np.random.default_rng(0)
    told = []
    for _ in range(60):
        sample = mini_vlm_data.naming_sample(encoder, 437, generator)  # a plastic ball
        text = encoder.tokenizer.decode(sample.tokens)
        asked, answer = text.split("<|im_start|>assistant\n")
        told.append(answer.removesuffix("<|im_end|>"))
        assert asked.count("<|image_pad|>") == 9 * len(sample.labels)
        assert sample.labels in ((), (437,))
        if not sample.labels:
            assert "Write a caption for: plastic ball" in asked
    assert set(told) == {"A plastic ball.", "ball", "plastic"}


def test_positions_are_qwen_s(
    model: Qwen2_5_VLForConditionalGeneration, encoder: mini_vlm_data.Encoder
) -> None:
    batch, pictures = ragged(encoder)
    seen = (batch.tokens != encoder.padding).long()
    expected, _ = model.model.get_rope_index(
        batch.tokens,
        mm_token_type_ids=(batch.tokens == encoder.image).int(),
        image_grid_thw=torch.tensor([[1, 6, 6]] * pictures),
        attention_mask=seen,
    )
    assert torch.equal(expected * seen, batch.positions * seen)


def ragged(encoder: mini_vlm_data.Encoder) -> tuple[mini_vlm_data.Batch, int]:
    """Return three prompts of different lengths, and how many pictures they have."""
    generator = np.random.default_rng(0)
    wording = mini_vlm.WORDINGS[0]
    drawn = [
        mini_vlm_data.context_sample(encoder, TASKS["style_i"], n, wording, generator)
        for n in (2, 6)
    ]
    drawn.append(mini_vlm_data.naming_sample(encoder, 5, np.random.default_rng(1)))
    batch = mini_vlm_data.collate(encoder, drawn)
    assert len(batch.labels) == 8 + len(drawn[-1].labels)
    return batch, len(batch.labels)


def test_pictures_side_by_side_are_seen_as_one_after_the_other(
    model: Qwen2_5_VLForConditionalGeneration, processor: Qwen2_5_VLProcessor
) -> None:
    generator = np.random.default_rng(0)
    pictures = [
        Image.fromarray(generator.integers(256, size=(96, 96, 3), dtype=np.uint8)) for _ in range(3)
    ]
    inputs = processor.image_processor(pictures, return_tensors="pt")
    pixels = torch.from_numpy(np.stack([np.array(p) for p in pictures]))
    with torch.no_grad():
        expected = model.model.get_image_features(**inputs).pooler_output
        seen = mini_vlm_model.picture_features(model, pixels.permute(0, 3, 1, 2) / 255)
    assert seen.shape == (3, mini_vlm_model.PICTURE_TOKENS, 64)
    for own, other in zip(seen, expected, strict=True):
        assert torch.allclose(own, other, atol=1e-5)
    assert not torch.allclose(seen[0], seen[1], atol=1e-2)


def test_a_block_begins_as_clip_s(
    model: Qwen2_5_VLForConditionalGeneration, clip: CLIPModel
) -> None:
    """Without positions, and up to the mean that Qwen's norms leave alone."""
    hidden = torch.randn(1, 36, 64, generator=torch.Generator().manual_seed(0))
    hidden = hidden - hidden.mean(dim=-1, keepdim=True)
    still = torch.ones(36, 32), torch.zeros(36, 32)
    lengths = torch.tensor([0, 36], dtype=torch.int32)
    with torch.no_grad():
        for block, layer in zip(
            model.model.visual.blocks, clip.vision_model.encoder.layers, strict=True
        ):
            expected = layer(hidden, None)
            expected = expected[0] if isinstance(expected, tuple) else expected
            expected = expected - expected.mean(dim=-1, keepdim=True)
            own = block(hidden[0], cu_seqlens=lengths, position_embeddings=still)
            assert torch.allclose(own, expected[0], atol=0.03)
            assert not torch.allclose(own, hidden[0], atol=0.1)


def test_losses_are_those_of_each_sample_alone(
    model: Qwen2_5_VLForConditionalGeneration, encoder: mini_vlm_data.Encoder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(mini_vlm, "half", lambda: torch.autocast("cpu", enabled=False))
    batch, pictures = ragged(encoder)
    pixels = torch.rand(pictures, 3, 96, 96, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        features = mini_vlm_model.picture_features(model, pixels)
        together = mini_vlm.answer_losses(model, batch, features, encoder.image)
    first = 0
    for number, tokens in enumerate(batch.tokens):
        ids = tokens[tokens != encoder.padding][None]
        count = int((ids == encoder.image).sum()) // 9
        answer = int((batch.owners == number).sum())
        with torch.no_grad():
            logits = model(
                input_ids=ids,
                mm_token_type_ids=(ids == encoder.image).int(),
                pixel_values=flat(pixels[first : first + count]) if count else None,
                image_grid_thw=torch.tensor([[1, 6, 6]] * count) if count else None,
            ).logits[0]
        first += count
        expected = functional.cross_entropy(
            logits[-answer - 1 : -1], ids[0, -answer:], reduction="sum"
        )
        assert together[number].item() == pytest.approx(expected.item(), abs=1e-3)


def flat(pixels: torch.Tensor) -> torch.Tensor:
    """Return pictures as Qwen's image processor gives them: patches, each in two frames."""
    patches = mini_vlm_model._patches((pixels - 0.5) / 0.25).view(-1, 3, 1, 256)
    return patches.expand(-1, -1, 2, -1).reshape(len(patches), -1)


def test_an_album_gives_pictures_of_the_label() -> None:
    labels = np.arange(1000) % 500
    album = mini_vlm.Album(torch.arange(1000.0).view(-1, 1, 1), labels)
    picked = album.pick([7] * 20 + [499], np.random.default_rng(0)).flatten().tolist()
    assert set(picked[:-1]) == {7.0, 507.0}
    assert picked[-1] in (499.0, 999.0)


def weights(model: Qwen2_5_VLForConditionalGeneration) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def test_training_is_repeatable_and_goes_on_where_it_stopped(
    data: drawings.Drawings,
    clip: CLIPModel,
    tokenizer: Qwen2Tokenizer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(side_by_side, "CHECKPOINT_EVERY", 1)
    told: list[int] = []

    def train(name: str, stop: int = 0) -> mini_vlm.Trained:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)

        def on_step(step: int, loss: float) -> None:
            told.append(step)
            if len(told) == stop:
                raise KeyboardInterrupt

        told.clear()
        return mini_vlm.train(data, clip, "", tokenizer, SETTINGS, folder, lambda: on_step)

    whole = train("a")
    assert told == [1, 2] * 3
    with pytest.raises(KeyboardInterrupt):
        train("b", stop=4)  # in the second stage
    resumed = train("b")
    assert told == [2, 1, 2]
    train("b")
    assert told == []
    assert list(whole.minutes) == ["sight", "naming", "context"]
    assert torch.equal(weights(whole.base), weights(resumed.base))
    assert torch.equal(weights(whole.model), weights(resumed.model))
    towers = [weights(m.model.visual) for m in (whole.base, whole.model)]
    assert torch.equal(*towers)
    assert not torch.equal(weights(whole.base), weights(whole.model))
    fresh = mini_vlm_model.build_vlm(tokenizer, clip, 0, 64, 2)
    assert not torch.equal(weights(fresh.model.visual), towers[0])


def test_a_stage_is_done_anew_when_an_earlier_one_changes(
    data: drawings.Drawings, clip: CLIPModel, tokenizer: Qwen2Tokenizer, tmp_path: Path
) -> None:
    mini_vlm.train(data, clip, "", tokenizer, SETTINGS, tmp_path)
    steps: list[int] = []
    longer = replace(SETTINGS, naming=mini_vlm.Stage(((1, 1.0),), 2))
    mini_vlm.train(
        data, clip, "", tokenizer, longer, tmp_path, lambda: lambda step, _: steps.append(step)
    )
    assert steps == [1, 1, 2]


def test_it_learns_from_pictures(
    clip: CLIPModel, tokenizer: Qwen2Tokenizer, encoder: mini_vlm_data.Encoder
) -> None:
    """Two prompts that differ in their pictures alone get different answers."""
    model = mini_vlm_model.build_vlm(tokenizer, clip, 0, width=64, layers=2)
    features = torch.randn(2, 9, 64, generator=torch.Generator().manual_seed(0))
    chat, _, _ = mini_vlm_data.task_chat(
        TASKS["color_i"], prompt_list("test", 2, 5)[0], mini_vlm.WORDINGS[0]
    )
    drawn = [encoder.sample(chat, [n, n], text) for n, text in ((0, "A red car."), (1, "lion"))]
    batch = mini_vlm_data.collate(encoder, drawn)
    shown = features[list(batch.labels)]
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(60):
        loss = mini_vlm.answer_losses(model, batch, shown, encoder.image).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.1
    with torch.no_grad():
        swapped = mini_vlm.answer_losses(model, batch, shown.flip(0), encoder.image)
    assert swapped.min() > 2


def test_seed_zero_is_never_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def stop(seeds: range, *_: Any, **__: Any) -> None:
        asked.extend(seeds)
        raise KeyboardInterrupt

    monkeypatch.setattr(mini_vlm, "draw_all", stop)
    with pytest.raises(KeyboardInterrupt):
        mini_vlm.main(
            tmp_path, tmp_path, tmp_path, drawing_seeds=3, threads=torch.get_num_threads()
        )
    assert asked == [1, 2, 3]


def test_the_command_writes_both_folders(
    data: drawings.Drawings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    captions = dict.fromkeys(mini_vlm_card.DISTURBANCES, 0.125)
    monkeypatch.setattr(mini_vlm, "measure_captions", lambda _: captions)
    monkeypatch.setattr(
        mini_vlm, "measure_tasks", lambda _, shots, limit: dict.fromkeys(TASKS, shots / 10)
    )
    monkeypatch.setattr(mini_vlm, "draw_all", lambda *_, **__: data)
    monkeypatch.setattr(mini_vlm, "Settings", lambda **given: replace(SETTINGS, **given))
    mini_vlm.main(
        tmp_path, scratch=tmp_path / "scratch", drawing_seeds=2, threads=torch.get_num_threads()
    )
    for name in ("mini_vlm_base", "mini_vlm"):
        folder = tmp_path / name
        model = AutoModelForImageTextToText.from_pretrained(folder)
        processor = AutoProcessor.from_pretrained(folder)
        assert isinstance(model, Qwen2_5_VLForConditionalGeneration)
        assert model.dtype == torch.float16
        assert processor.tokenizer.eos_token_id == model.generation_config.eos_token_id
        assert model.generation_config.do_sample is False
        card = (folder / "README.md").read_text("utf-8")
        assert f"# {name.replace('_', '-')}\n" in card
        assert card.count("| 12.5% |") == len(captions)
        assert card.count("| 20.0% | 40.0% |") == len(TASKS)
        assert "| mean | **20.0%** | **40.0%** |" in card
        assert "1,000 drawings" in card
        assert oct((folder / "model.safetensors").stat().st_mode)[-3:] == "644"


def test_scores_are_shares_of_right_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that always says the same is right as often as this is asked for."""

    first = examples("color_i-2shot")[0]["reference"]

    class Same:
        instructions_for: dict[str, str] = {"description": "qwen_vl"}  # noqa: RUF012

        def predict(self, rows: list[Any]) -> list[Any]:
            assert "huge loss" in rows[0]["messages"][-1]["content"][-1]["text"]
            text = f"A {first['attribute']} {first['object']}."
            return [type("Output", (), {"text": text})] * len(rows)

    monkeypatch.setattr(mini_vlm_card, "TransformersVLM", lambda *_, **__: Same())
    scores = mini_vlm_card.measure_tasks(tmp_path, 2, limit=120)
    asked = [row["reference"] for row in examples("color_i-2shot")[:120]]
    assert scores["color_i"] == sum(reference == first for reference in asked) / 120 > 0
    assert scores["background_i"] == scores["texture_ii"] == 0

    monkeypatch.setattr(mini_vlm_card, "DISTURBANCES", {"none": lambda picture: picture})
    for name in ("AutoModelForImageTextToText", "AutoProcessor"):
        monkeypatch.setattr(getattr(mini_vlm_card, name), "from_pretrained", lambda *_, **__: None)
    monkeypatch.setattr(mini_vlm_card, "generate", lambda _, __, asked: ["red car"] * len(asked))
    assert mini_vlm_card.measure_captions(tmp_path) == {"none": 1 / 500}
