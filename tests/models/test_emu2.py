"""Emu2 under test, tiny: what it has of its own beside Emu's way of asking and drawing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from cobsat.models.diffusers_checkpoint import quiet
from cobsat.models.emu2 import tiny
from cobsat.models.emu2.adapter import CHAT_SYSTEM, Emu2Model
from cobsat.models.emu2.bridge import BridgeSizes
from cobsat.models.emu2.system import Emu2
from cobsat.models.emu2.words import CONTROL, TOKENS
from cobsat.models.seeds import example_seed
from cobsat.models.spliced import Prompt
from cobsat.models.stable_diffusion import Diffusion
from emu2_checkpoints import safety_check
from emu_asked import described, plain_regression, seen, spy
from PIL import Image
from ports import drawn, rows

pytestmark = pytest.mark.usefixtures("one_thread")

FAST: dict[str, Any] = {"tiny": True, "steps": 1}


@pytest.fixture(scope="module")
def model() -> Emu2Model:
    """One tiny model; tests leave it as it is."""
    return Emu2Model(**FAST)


@pytest.fixture
def asked(model: Emu2Model, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the language model is asked, as it comes."""
    return spy(model, monkeypatch)


def test_a_picture_is_the_stock_pipelines(
    model: Emu2Model, asked: list[Any], picture_folder: Path
) -> None:
    row = rows(picture_folder)[3]
    (output,) = model.predict([row])
    (one,), emu, words = asked, model._system, model._system.vocabulary
    assert one.prompt.ids[-1] == words.picture_begin
    pictures = seen(model, row)
    assert not torch.allclose(pictures[0], pictures[1])
    condition, nothing = emu.regressed(one.prompt, pictures), emu.nothing()
    empty = Prompt((words.begin, words.picture_begin), ())
    for got, prompt, given in ((condition, one.prompt, pictures), (nothing, empty, [])):
        plain = plain_regression(emu, prompt, given)
        torch.testing.assert_close(got, plain, rtol=0, atol=1e-4)
        assert got.shape == (1, 4, 32)  # of the tower's width, not the language model's
    with quiet():
        expected = emu.decoder(
            prompt_embeds=condition,
            pooled_prompt_embeds=condition.mean(dim=1),
            negative_prompt_embeds=nothing,
            negative_pooled_prompt_embeds=nothing.mean(dim=1),
            num_inference_steps=1,
            guidance_scale=3.0,
            generator=torch.Generator().manual_seed(example_seed(0, row["id"])),
        ).images[0]
    assert drawn([output]) == [expected.tobytes()]
    assert output.usage == {"input_tokens": len(one.prompt.ids), "output_tokens": 4}
    assert output.extra == {"seed": example_seed(0, row["id"]), "forced": True}


def test_a_picture_is_the_same_in_any_batch(model: Emu2Model, picture_folder: Path) -> None:
    batch = [rows(picture_folder)[0], rows(picture_folder, "texture_ii-4shot")[0]]
    together = drawn(model.predict(batch))
    assert len(set(together)) == 2
    assert drawn([model.predict([row])[0] for row in batch]) == together


def test_settings_are_the_published_ones() -> None:
    model = Emu2Model(tiny=True)
    assert model._drawing == Diffusion(50, 3)
    record = model.record()
    assert record["decoding"] == {
        "max_new_tokens": 512, "do_sample": False, "beams": 5, "length_penalty": -1.0,
    }  # fmt: skip
    assert (record["system"], record["instructed"]) == (CHAT_SYSTEM, True)
    assert record["drawing"]["pipeline"] == "StableDiffusionXLPipeline"
    assert record["drawing"]["scheduler"] == "EulerDiscreteScheduler"


def test_a_chat_without_a_systems_text_has_the_published_one(
    model: Emu2Model, asked: list[Any], picture_folder: Path
) -> None:
    words = model._system.words

    def begins(prompt: Prompt, text: str) -> bool:
        ids = words.encode(text, add_special_tokens=False)
        return list(prompt.ids[1 : len(ids) + 2]) == [*ids, model._system.vocabulary.user]

    bare, worded = described(picture_folder, instructions_for="neutral"), described(picture_folder)
    model.predict([bare[0], worded[0]])
    without, own = (one.prompt for one in asked)
    assert begins(without, CHAT_SYSTEM)
    text = worded[0]["messages"][0]["content"][0]["text"] or ""
    assert begins(own, text.strip())
    asked.clear()
    model.predict(rows(picture_folder, prompt_type="cot")[:1])  # ends in a picture: is no chat
    assert len(asked) == 2
    assert not any(model._system.vocabulary.user in one.prompt.ids for one in asked)
    Emu2Model(**FAST, system="")
    with pytest.raises(ValueError, match=r"system must be a text without control tokens, got '\[I"):
        Emu2Model(**FAST, system="[IMG]")


def test_its_tokens_follow_llamas_words() -> None:
    words = tiny.tiny_words()
    known, first = words.get_vocab(), len(words) - 274
    published = {
        "[PAD]": 0, "[IMG]": 1, "[/IMG]": 2, "<image>": 3, "[gIMG]": 4, "[/gIMG]": 5, "[EOC]": 6,
        "[VIDEO]": 7, "<grounding>": 8, "<REC>": 14, "<patch_index_0000>": 15,
        "<patch_index_0256>": 271, "[USER]": 272, "[ASSISTANT]": 273,
    }  # fmt: skip
    assert {name: known[name] - first for name in published} == published
    assert len(TOKENS) == 272  # 32,272 rows on the Hub, 32,274 of Emu2-Chat
    for name in (*TOKENS, "[USER]", "[ASSISTANT]", "<s>", "</s>", "<unk>"):
        assert CONTROL.fullmatch(name)
        assert words.encode(name, add_special_tokens=False) == [known[name]]
    assert CONTROL.search("[IMG ] <image and </delimiter/>") is None


@pytest.mark.parametrize("tokens", [0, 3, 9, 25])
def test_patches_that_cannot_be_averaged_so_are_refused(tokens: int) -> None:
    message = f"whose root divides 8, the patches of a side, got {tokens}"
    with pytest.raises(ValueError, match=message):
        replace(tiny.SIZES, tokens=tokens)
    with pytest.raises(ValueError, match=r"config of Emu2's bridge must hold .*, got odd \['more'"):
        BridgeSizes.from_config({**tiny.SIZES.config(), "more": 1})


def test_patches_are_averaged_in_squares(model: Emu2Model) -> None:
    bridge = model._system.bridge
    pixels = torch.randn(1, 3, 32, 32)
    patches = bridge.tower.encoder(inputs_embeds=bridge.tower.embeddings(pixels)).last_hidden_state[
        0, 1:
    ]
    by_hand = [
        torch.stack(
            [patches[8 * (4 * row + i) + 4 * column + j] for i in range(4) for j in range(4)]
        )
        for row in range(2)
        for column in range(2)
    ]
    expected = torch.stack([square.mean(dim=0) for square in by_hand])
    torch.testing.assert_close(bridge.see(pixels)[0], expected, rtol=0, atol=1e-5)


def test_a_withheld_picture_is_blocked(
    model: Emu2Model, picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = rows(picture_folder)[0]
    shown = drawn(model.predict([row]))
    assert model.record()["drawing"]["safety_checker"] is False
    for threshold, status in ((2.0, "ok"), (-2.0, "blocked")):
        checked = replace(model._system, safety=safety_check(threshold))
        monkeypatch.setattr(model, "_system", checked)
        (output,) = model.predict([row])
        assert output.status == status
        assert model.record()["drawing"]["safety_checker"] is True
        if status == "ok":
            assert drawn([output]) == shown
        else:
            assert output.image is None
            assert output.reason == "safety_checker: it withheld the picture"


def test_a_check_leaves_the_picture_as_it_is() -> None:
    picture = Image.fromarray(np.full((32, 32, 3), 90, dtype=np.uint8))
    before = picture.tobytes()
    assert safety_check(-2.0).withholds(picture)
    assert picture.tobytes() == before


def test_states_that_are_no_numbers_are_no_picture(picture_folder: Path) -> None:
    model = Emu2Model(**FAST)
    with torch.no_grad():
        model._system.bridge.project_down.weight[3] = torch.inf
    (output,) = model.predict(rows(picture_folder)[:1])
    assert (output.reason or "").startswith("not_finite: the model's states are not all numbers")


def test_the_tiny_one_has_the_real_classes() -> None:
    emu = Emu2.tiny()
    parts = (emu.language_model, emu.bridge.tower, emu.decoder)
    assert [type(part).__name__ for part in parts] == [
        "LlamaForCausalLM", "Blip2VisionModel", "StableDiffusionXLPipeline",
    ]  # fmt: skip
    assert emu.decoder.watermark is None
