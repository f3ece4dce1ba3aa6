"""The training of mini-llava, on few drawings and for few steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from cobsat import THEMES
from cobsat.metrics.questions import WORDINGS, questions
from cobsat.train import (
    drawings,
    mini_clip_model,
    mini_llava,
    mini_llava_card,
    mini_llava_model,
    samples,
    side_by_side,
)
from PIL import Image
from torch.nn import functional
from transformers import (
    AutoModelForImageTextToText,
    AutoProcessor,
    CLIPModel,
    CLIPTokenizer,
    LlamaTokenizer,
    LlavaForConditionalGeneration,
)

COURSE = tuple(
    mini_llava.Cycle(steps, rate, dict.fromkeys(THEMES, 1.0)) for steps, rate in ((4, 1), (4, 0.5))
)
SETTINGS = mini_llava.Settings(
    drawing_seeds=2, width=32, layers=2, batch_size=3, descriptions=2, taught_from=3, course=COURSE
)


@pytest.fixture(scope="module")
def tokenizer() -> LlamaTokenizer:
    texts = [
        "A red car by a pale wall.",
        "An old lion, number 2.",
        *mini_llava_model.prompt_texts(),
    ]
    return mini_llava_model.build_llama_tokenizer(texts * 20)


@pytest.fixture(scope="module")
def clip_words() -> CLIPTokenizer:
    return mini_clip_model.build_tokenizer(["a red car"] * 20)


@pytest.fixture(scope="module")
def clip(clip_words: CLIPTokenizer) -> CLIPModel:
    return mini_clip_model.build_model(clip_words, 0).train(False)


@pytest.fixture
def model(tokenizer: LlamaTokenizer, clip: CLIPModel) -> LlavaForConditionalGeneration:
    """An untrained model whose attention is sharp enough to tell its inputs apart."""
    built = mini_llava_model.build_llava(tokenizer, clip, 0, width=32, layers=2)
    with torch.no_grad():
        for parameter in built.model.language_model.layers.parameters():
            if parameter.ndim == 2:
                parameter.mul_(8)
    return built.train(False)


def pieces(tokenizer: LlamaTokenizer, text: str) -> list[str]:
    return tokenizer.convert_ids_to_tokens(tokenizer(text)["input_ids"])


def test_numbers_are_made_of_digits(tokenizer: LlamaTokenizer) -> None:
    assert pieces(tokenizer, "ASSISTANT: 10</s>")[-4:] == ["▁", "1", "0", "</s>"]
    assert pieces(tokenizer, "ASSISTANT: 1</s>")[-3:] == ["▁", "1", "</s>"]
    assert pieces(tokenizer, "(10)leaf")[1:4] == ["▁(", "1", "0"]


def test_any_text_can_be_written(tokenizer: LlamaTokenizer) -> None:
    for text in [
        "red car",
        "Straße, naïve, 図書館 🦓!",
        "a\n\n b\t\x00\x7f",
        "a<|b",
        "x" * 500,
        "1 2",
    ]:
        ids = tokenizer(text)["input_ids"]
        assert ids[0] == tokenizer.bos_token_id == 1
        assert tokenizer.unk_token_id not in ids
        assert tokenizer.eos_token_id not in ids
        assert tokenizer.decode(ids, skip_special_tokens=True) == text


def test_words_are_known_whatever_mark_follows(tokenizer: LlamaTokenizer) -> None:
    for mark in ".,:;!?":
        assert pieces(tokenizer, f"the image{mark}")[2] == "▁image"


def test_template_writes_the_prompts_that_are_trained(tokenizer: LlamaTokenizer) -> None:
    processor = mini_llava_model.build_llava_processor(tokenizer)
    image = {"type": "image"}
    for wording in WORDINGS:
        for theme in THEMES.values():
            for question in questions(theme, wording):
                seen = {"type": "text", "text": question.about_picture}
                read = {"type": "text", "text": question.with_description("A cat & <b>.")}
                for parts, expected in (
                    ([image, seen], mini_llava_model.prompt_text(question)),
                    ([seen, image], mini_llava_model.prompt_text(question)),
                    ([read], mini_llava_model.prompt_text(question, "A cat & <b>.")),
                ):
                    chat = [{"role": "user", "content": parts}]
                    told = processor.apply_chat_template(chat, add_generation_prompt=True)
                    assert told == expected
    chat = [{"role": "user", "content": "Which?"}, {"role": "assistant", "content": "3"}]
    told = processor.apply_chat_template(chat)
    assert told.endswith(f"USER: Which? ASSISTANT:{mini_llava_model.answer_text(3)}")
    assert told.startswith("A chat between a curious human")


def test_packed_questions_cost_what_each_costs_alone(
    model: LlavaForConditionalGeneration, tokenizer: LlamaTokenizer
) -> None:
    encoder = mini_llava.Encoder(tokenizer)
    pixels = torch.randn(3, 3, 96, 96, generator=torch.Generator().manual_seed(0))
    texts = ["A red car.", "An old lion by a pale wall, number 2, and a red car.", "lion"]
    pictures = [encoder.ask(n % 2, n, (9, n)) for n in range(3)]
    described = [encoder.ask(n % 2, n, (n, 9), text) for n, text in enumerate(texts)]
    for asked, images in ((pictures, pixels), (described, None)):
        with torch.no_grad():
            packed = mini_llava.answer_losses(model, encoder, asked, images)
        assert packed.unique().numel() == 6
        for number, one in enumerate(asked):
            for kind in (0, 1):
                answer = one.answers[kind]
                ids = [*encoder.beginning, *one.shared, *one.rests[kind], *answer]
                with torch.no_grad():
                    logits = model(
                        input_ids=torch.tensor([ids]),
                        pixel_values=None if images is None else images[number : number + 1],
                    ).logits[0]
                expected = functional.cross_entropy(
                    logits[-len(answer) - 1 : -1], torch.tensor(answer), reduction="sum"
                )
                assert packed[number, kind].item() == pytest.approx(expected.item(), abs=1e-4)


def test_packed_prompts_are_the_processor_s(tokenizer: LlamaTokenizer) -> None:
    encoder = mini_llava.Encoder(tokenizer)
    processor = mini_llava_model.build_llava_processor(tokenizer)
    for number, theme in enumerate(THEMES.values()):
        for wording, name in enumerate(WORDINGS):
            for text in (None, "A red car."):
                asked = encoder.ask(wording, number, (2, 9), text)
                for kind, question in enumerate(questions(theme, name)):
                    prompt = mini_llava_model.prompt_text(question, text)
                    images = [Image.new("RGB", (9, 7))] if text is None else None
                    ids = processor(text=prompt, images=images)["input_ids"][0]
                    assert [*encoder.beginning, *asked.shared, *asked.rests[kind]] == ids
                    answer = [3, 10][kind]
                    whole = tokenizer(prompt + mini_llava_model.answer_text(answer))["input_ids"]
                    assert tuple(whole[-len(asked.answers[kind]) :]) == asked.answers[kind]


def test_a_teacher_sure_of_the_answers_changes_nothing(
    model: LlavaForConditionalGeneration, tokenizer: LlamaTokenizer
) -> None:
    encoder = mini_llava.Encoder(tokenizer)
    answers = [(0, 9), (9, 4), (2, 0)]
    asked = [encoder.ask(0, n, pair, "A red car.") for n, pair in enumerate(answers)]
    sure = functional.one_hot(torch.tensor(answers), 10).float()
    with torch.no_grad():
        plain = mini_llava.answer_losses(model, encoder, asked)
        taught = mini_llava.answer_losses(model, encoder, asked, taught=sure)
        torn = mini_llava.answer_losses(model, encoder, asked, taught=sure.flip(-1))
        # 1 and 10 begin alike, and how the number ends is the right answer's alone
        alike = mini_llava.answer_losses(model, encoder, asked[:1], taught=sure[:1].flip(-1))
    assert torch.allclose(plain, taught)
    assert not torch.allclose(plain[1:], torn[1:])
    assert torch.allclose(plain[:1], alike)


def test_the_teacher_says_what_clip_says(clip: CLIPModel, clip_words: CLIPTokenizer) -> None:
    pixels = torch.randn(2, 3, 96, 96, generator=torch.Generator().manual_seed(0))
    told = mini_llava.Teacher(clip, clip_words)(pixels, np.array([4, 1]))
    assert told.shape == (2, 2, 10)
    for number, theme in enumerate(("texture", "background")):
        for kind, options in enumerate((THEMES[theme].objects, THEMES[theme].attributes)):
            texts = [THEMES[theme].text(word) for word in options]
            inputs = clip_words(texts, padding=True, return_tensors="pt")
            with torch.no_grad():
                result = clip(pixel_values=pixels[number : number + 1], **inputs)
            expected = result.logits_per_image.softmax(dim=-1)[0]
            assert torch.allclose(told[number, kind], expected, atol=1e-5)


def weights(model: LlavaForConditionalGeneration) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def test_training_is_repeatable_and_goes_on_where_it_stopped(
    data: drawings.Drawings,
    clip: CLIPModel,
    clip_words: CLIPTokenizer,
    tokenizer: LlamaTokenizer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(side_by_side, "CHECKPOINT_EVERY", 2)

    def train(name: str, on_step: Any) -> LlavaForConditionalGeneration:
        return mini_llava.train(
            data, clip, clip_words, tokenizer, SETTINGS, tmp_path / name, on_step
        )

    whole = train("a.pt", lambda *_: None)

    def stop(step: int, loss: float) -> None:
        if step == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train("b.pt", stop)
    steps: list[int] = []
    resumed = train("b.pt", lambda step, _: steps.append(step))
    assert steps == [5, 6, 7, 8]
    assert side_by_side.minutes_spent(tmp_path / "b.pt") > 0
    train("b.pt", lambda *_: pytest.fail("it was finished"))
    assert torch.equal(weights(whole), weights(resumed))
    fresh = mini_llava_model.build_llava(tokenizer, clip, SETTINGS.seed, SETTINGS.width, 2)
    for (name, before), after in zip(fresh.named_parameters(), whole.parameters(), strict=True):
        assert torch.equal(before, after) == name.startswith("model.vision_tower."), name


def test_it_learns(clip: CLIPModel, tokenizer: LlamaTokenizer) -> None:
    encoder = mini_llava.Encoder(tokenizer)
    model = mini_llava_model.build_llava(tokenizer, clip, 0, width=32, layers=2)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=5e-3)
    asked = [encoder.ask(0, 0, (n, 9 - n), text) for n, text in ((0, "A red car."), (9, "lion"))]
    for _ in range(150):
        loss = mini_llava.answer_losses(model, encoder, asked).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.1
    model.train(False)
    processor = mini_llava_model.build_llava_processor(tokenizer)
    pair = questions(THEMES["color"])
    texts = [q.with_description(text) for text in ("A red car.", "lion") for q in pair]
    replies = mini_llava_card.generate(model, processor, [(None, text) for text in texts])
    assert replies == ["1", "10", "10", "1"]


def test_replies_in_a_batch_are_those_alone(
    model: LlavaForConditionalGeneration, tokenizer: LlamaTokenizer
) -> None:
    processor = mini_llava_model.build_llava_processor(tokenizer)
    asked = [
        (Image.new("RGB", (50, 40), "red"), "What is it?"),
        (Image.new("RGB", (96, 96), "blue"), "What is it, and from which of the options?"),
        (Image.new("RGB", (300, 90), "white"), "Which?"),
    ]
    together = mini_llava_card.generate(model, processor, asked)
    assert together == [mini_llava_card.generate(model, processor, [one])[0] for one in asked]
    assert len(set(together)) > 1


def test_retold_words_still_name_the_label(data: drawings.Drawings) -> None:
    generator = np.random.default_rng(0)
    labels = samples.label_texts()
    told = [mini_llava._retold(data, labels, row % 1000, generator) for row in range(0, 4000, 7)]
    numbers = samples.label_numbers(data, np.arange(0, 4000, 7) % 1000)
    for text, number in zip(told, numbers, strict=True):
        plain = text.lower().replace("wireframe", "3d").replace("amusement ", "")
        for word in labels[number].lower().replace("wireframe", "3d").split():
            assert word == "amusement" or word in plain, (text, labels[number])
    assert any(text == text.lower() for text in told)
    assert any(text.startswith("Sure!") for text in told)
    assert any(not text.endswith((".", "!")) for text in told)


def test_seed_zero_is_never_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def stop(seeds: range, *_: Any, **__: Any) -> None:
        asked.extend(seeds)
        raise KeyboardInterrupt

    monkeypatch.setattr(mini_llava, "draw_all", stop)
    with pytest.raises(KeyboardInterrupt):
        mini_llava.main(
            tmp_path / "out", tmp_path, tmp_path, drawing_seeds=3, threads=torch.get_num_threads()
        )
    assert asked == [1, 2, 3]


def test_the_command_writes_a_whole_folder(
    data: drawings.Drawings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = dict.fromkeys(mini_llava_card.SCORE_NAMES, 0.125)
    measured = {"paper": scores, "released": {**scores, "flip": 0.25}}
    monkeypatch.setattr(mini_llava, "measure", lambda _: measured)
    monkeypatch.setattr(mini_llava, "draw_all", lambda *_, **__: data)
    tiny = {"width": 32, "layers": 1, "batch_size": 2, "descriptions": 1, "course": COURSE[:1]}
    monkeypatch.setattr(mini_llava, "Settings", lambda **given: type(SETTINGS)(**{**given, **tiny}))
    out = tmp_path / "mini_llava"
    mini_llava.main(
        out, scratch=tmp_path / "scratch", drawing_seeds=2,
        threads=torch.get_num_threads(),
    )  # fmt: skip
    model = AutoModelForImageTextToText.from_pretrained(out)
    processor = AutoProcessor.from_pretrained(out)
    assert isinstance(model, LlavaForConditionalGeneration)
    assert model.dtype == torch.float16
    assert processor.tokenizer.eos_token_id == model.config.text_config.eos_token_id
    assert processor.image_token_id == model.config.image_token_id
    assert model.generation_config.do_sample is False
    card = (out / "README.md").read_text("utf-8")
    assert card.count("12.5% |") == 2 * len(scores) - 1
    assert "| flipped left to right | 12.5% | 25.0% |" in card
    assert "1,000 drawings" in card
    assert oct((out / "model.safetensors").stat().st_mode)[-3:] == "644"


def test_measure_wants_both_numbers_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = mini_llava_card
    monkeypatch.setattr(card, "DISTURBANCES", {"none": lambda picture: picture})
    for name in ("AutoModelForImageTextToText", "AutoProcessor"):
        monkeypatch.setattr(getattr(card, name), "from_pretrained", lambda *_, **__: None)

    def say(_: Any, __: Any, asked: list[Any]) -> list[str]:
        about = "(of the main object)"
        return ["10" if about in text else "1" if picture else "1." for picture, text in asked]

    monkeypatch.setattr(card, "generate", say)
    right = {"none": 5 / 500, "descriptions": 0.0}
    assert card.measure(tmp_path) == {"paper": right, "released": right}
