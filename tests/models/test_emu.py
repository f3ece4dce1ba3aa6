"""Emu under test, tiny: batches, seeds, rounds, pictures, texts, failures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat.models.emu.adapter import EmuModel
from cobsat.models.emu.system import Emu
from cobsat.models.seeds import example_seed
from cobsat.models.spliced import Prompt
from cobsat.models.stable_diffusion import Diffusion
from emu_asked import described, plain_regression, seen, spy
from ports import drawn, rows

pytestmark = pytest.mark.usefixtures("one_thread")

FAST: dict[str, Any] = {"tiny": True, "steps": 1}


@pytest.fixture(scope="module")
def model() -> EmuModel:
    """One tiny model; tests leave it as it is."""
    return EmuModel(**FAST)


@pytest.fixture
def asked(model: EmuModel, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the language model is asked, as it comes."""
    return spy(model, monkeypatch)


def test_a_picture_is_the_same_in_any_batch(model: EmuModel, picture_folder: Path) -> None:
    batch = [
        rows(picture_folder)[0],
        rows(picture_folder, "texture_ii-4shot")[0],
        rows(picture_folder, prompt_type="caption")[5],
    ]
    outputs = model.predict(batch)
    together = drawn(outputs)
    assert len(set(together)) == len(batch)
    alone = [model.predict([row])[0] for row in reversed(batch)]
    assert drawn(alone) == together[::-1]
    assert drawn(EmuModel(**FAST).predict(batch[1:2])) == together[1:2]
    assert [output.extra for output in outputs] == [
        {"seed": example_seed(0, row["id"]), "forced": True} for row in batch
    ]


def test_a_picture_is_the_stock_pipelines(
    model: EmuModel, asked: list[Any], picture_folder: Path
) -> None:
    row = rows(picture_folder)[3]
    (output,) = model.predict([row])
    (one,), emu, words = asked, model._system, model._system.vocabulary
    assert one.prompt.ids[-1] == words.picture_begin
    pictures = seen(model, row)
    assert [torch.equal(a, b) for a, b in zip(one.pictures, pictures, strict=True)] == [True, True]
    assert not torch.allclose(pictures[0], pictures[1])
    nothing = Prompt((words.begin, words.picture_begin), ())
    condition = plain_regression(emu, one.prompt, pictures)
    torch.testing.assert_close(emu.regressed(one.prompt, pictures), condition, rtol=0, atol=1e-4)
    torch.testing.assert_close(emu.nothing(), plain_regression(emu, nothing, []), rtol=0, atol=1e-4)
    expected = emu.decoder(
        prompt_embeds=emu.regressed(one.prompt, pictures),
        negative_prompt_embeds=emu.nothing(),
        num_inference_steps=1,
        guidance_scale=10.0,
        generator=torch.Generator().manual_seed(example_seed(0, row["id"])),
    ).images[0]
    assert drawn([output]) == [expected.tobytes()]
    assert output.image.size == (32, 32)  # type: ignore[union-attr]
    assert output.usage == {"input_tokens": len(one.prompt.ids), "output_tokens": 6}


def test_settings_of_drawing_matter(model: EmuModel) -> None:
    emu = model._system
    nothing, condition = emu.nothing(), torch.randn(1, 6, 128)
    changes: list[dict[str, Any]] = [{}, {"steps": 2}, {"guidance": 2}, {"guidance": 1}]
    settings = [replace(Diffusion(1, 10), **change) for change in changes]
    pictures = [emu.draw(condition, nothing, 0, one) for one in settings]
    pictures += [emu.draw(condition, nothing, 1, settings[0])]
    pictures += [emu.draw(condition, nothing * 0.5, 0, settings[0])]
    assert len({one.image.tobytes() for one in pictures if one and one.image}) == 6
    usual = EmuModel(tiny=True)
    assert usual._drawing == Diffusion(50, 10)
    assert usual.record()["decoding"] == {
        "max_new_tokens": 512, "do_sample": False, "beams": 5, "length_penalty": 0.0,
    }  # fmt: skip


def test_a_picture_needs_what_the_prompt_shows(model: EmuModel, picture_folder: Path) -> None:
    """The same text and the same noise, other pictures: another picture."""
    one, *others = rows(picture_folder)
    texts = [part["text"] for part in one["messages"][0]["content"]]
    other = next(
        row
        for row in others
        if [part["text"] for part in row["messages"][0]["content"]] == texts
        and row["target_image"] != one["target_image"]
    )
    pictures = drawn(model.predict([one, {**other, "id": one["id"]}]))
    assert pictures[0] != pictures[1]


def best_of_beams(emu: Emu, one: Any, beams: int) -> str:
    """The search written out: the likeliest ends and beginnings, and no length in their score."""
    rows, ended = [((), 0.0)], []
    end = emu.vocabulary.end
    while rows and (len(ended) < beams or min(ended)[0] < rows[0][1]):
        grown = []
        for ids, score in rows:
            whole = Prompt((*one.prompt.ids, *ids), one.prompt.slots)
            given = emu.embeddings(whole, one.pictures)[None]
            with torch.inference_mode():
                logs = emu.language_model(inputs_embeds=given).logits[0, -1].log_softmax(-1)
            grown += [((*ids, int(n)), score + float(logs[n])) for n in logs.topk(2 * beams)[1]]
        best = sorted(grown, key=lambda each: -each[1])[: 2 * beams]
        ended += [(score, ids[:-1]) for ids, score in best[:beams] if ids[-1] == end]
        ended = sorted(ended)[-beams:]
        rows = [each for each in best if each[0][-1] != end][:beams]
    text: str = emu.words.decode(max(ended)[1])
    return text


def test_descriptions_are_the_best_of_beams(
    model: EmuModel, asked: list[Any], picture_folder: Path
) -> None:
    batch = [described(picture_folder)[0], described(picture_folder, "texture_ii-4shot")[0]]
    outputs = model.predict(batch)
    assert [(o.status, o.image, o.extra, o.finish_reason) for o in outputs] == [
        ("ok", None, {}, "stop")
    ] * 2
    texts = [output.text for output in outputs]
    assert texts == [best_of_beams(model._system, one, 5) for one in asked]
    assert len(set(texts)) > 1
    assert all((output.usage or {})["output_tokens"] == 5 for output in outputs)
    assert [model.predict([row])[0].text for row in batch] == texts
    answers: Any = [{**row, "output": "answer"} for row in batch]
    assert [output.text for output in model.predict(answers)] == texts


def test_drawn_texts_differ_by_their_seeds(picture_folder: Path) -> None:
    model = EmuModel(**FAST, do_sample=True, temperature=9.0)
    row = described(picture_folder)[0]
    batch: list[Any] = [{**row, "id": f"{row['id']}-{number}"} for number in range(3)]
    outputs = model.predict(batch)
    texts = [output.text for output in outputs]
    assert len(set(texts)) > 1
    assert [model.predict([one])[0].text for one in batch] == texts
    assert [(o.extra or {})["seed"] for o in outputs] == [example_seed(0, r["id"]) for r in batch]
    assert model.capabilities.repeats == ""
    assert model.record()["decoding"]["temperature"] == 9.0
    assert "beams" not in model.record()["decoding"]


def test_a_chain_of_thought_goes_on_from_the_reply_itself(
    model: EmuModel, asked: list[Any], picture_folder: Path
) -> None:
    batch = rows(picture_folder, prompt_type="cot")[:2]
    outputs = model.predict(batch)
    together = drawn(outputs)
    assert len(asked) == 4
    words = model._system.vocabulary
    for row, first, second, output in zip(batch, asked[:2], asked[2:], outputs, strict=True):
        extra = output.extra or {}
        said = extra["first_round"]["text"]
        reply = second.prompt.ids[len(first.prompt.ids) :][:5]
        assert model._system.words.decode(reply) == said
        assert second.prompt.ids[: len(first.prompt.ids)] == first.prompt.ids
        assert words.user not in first.prompt.ids
        assert (first.prompt.ids[-1], second.prompt.ids[-1]) != (words.picture_begin,) * 2
        assert extra["seed"] == example_seed(0, row["id"], 1)
        tokens = len(first.prompt.ids) + len(second.prompt.ids)
        assert output.usage == {"input_tokens": tokens, "output_tokens": 5 + 6}
    assert drawn(model.predict(batch[1:])) == together[1:]
    talked: Any = rows(picture_folder, prompt_type="cot", output="description")[:1]
    (text,) = model.predict(talked)
    assert (text.status, text.image) == ("ok", None)
    assert asked[-1].prompt.ids.count(words.user) == 2


def test_the_context_ends_a_reply(model: EmuModel, asked: list[Any], picture_folder: Path) -> None:
    row = described(picture_folder)[0]
    model.predict([row])
    length = len(asked[0].prompt.ids)
    for room, finish in ((0, None), (1, "length"), (5, "length"), (6, "stop")):
        (output,) = EmuModel(**FAST, context=length + room).predict([row])
        assert output.finish_reason == finish
        if finish is None:
            assert (output.reason or "").startswith(f"too_long: the prompt has {length} tokens")
        else:
            assert (output.usage or {})["output_tokens"] == min(room, 5)
    longer = described(picture_folder, "color_i-4shot")[0]
    short = EmuModel(**FAST, context=length + 3)
    both = short.predict([longer, row])
    assert [output.status for output in both] == ["error", "ok"]


def test_a_reply_without_text_is_an_error(
    model: EmuModel, picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    speaker, emu = model._speaker, model._system
    for ids, ended, reason in (
        ([], True, "empty: no text came (0 tokens, stop)"),
        ([emu.vocabulary.picture_begin], False, "empty: no text came (1 tokens, length)"),
    ):
        monkeypatch.setattr(
            speaker,
            "text",
            lambda asked, i=ids, e=ended: [speaker._said(one, i, e) for one in asked],
        )
        assert model.predict(described(picture_folder)[:1])[0].reason == reason
    thought = model.predict(rows(picture_folder, prompt_type="cot")[:1])
    assert thought[0].status == "ok"  # the first round said something, if no text
    monkeypatch.setattr(speaker, "text", lambda asked: [speaker._said(a, [], True) for a in asked])
    thought = model.predict(rows(picture_folder, prompt_type="cot")[:1])
    assert thought[0].reason == "empty: first round: nothing came"


def test_what_is_no_number_is_no_answer(picture_folder: Path) -> None:
    picture, text = rows(picture_folder)[:1], described(picture_folder)[:1]
    model = EmuModel(**FAST)
    with torch.no_grad():
        model._system.decoder.vae.decoder.conv_out.bias.fill_(torch.nan)
    pixels = model.predict(picture)[0]
    assert pixels.reason == "not_finite: the picture's pixels are not all numbers"
    with torch.no_grad():
        model._system.bridge.regression.weight[3] = torch.inf
    states = model.predict(picture)[0]
    assert (states.reason or "").startswith("not_finite: the model's states are not all numbers")
    for options in ({}, {"do_sample": True}):
        model = EmuModel(**FAST, **options)  # type: ignore[arg-type]
        with torch.no_grad():
            model._system.language_model.lm_head.weight[50] = torch.nan
        (output,) = model.predict(text)
        assert (output.reason or "").startswith("not_finite: the model's scores are not all")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tiny": True, "beams": 0}, "beams must be an integer of 1 or more, got 0"),
        ({"tiny": True, "length_penalty": True}, "length_penalty must be a number, got True"),
        ({"tiny": True, "top_p": 0.5}, "temperature and top_p must go with do_sample=true"),
        ({"tiny": True, "reuse_gb": -1}, "reuse_gb must be a number of 0 or more, got -1"),
    ],
)
def test_options_that_cannot_be_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        EmuModel(**options)
