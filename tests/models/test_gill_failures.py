"""GILL under test, tiny: what goes wrong with an example is its error, and no answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat.models.gill.adapter import GILL
from cobsat.models.gill.replies import Said
from gill_asked import FAST, drawn, prompt_of, rows, said
from torch import Tensor

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def model() -> GILL:
    """One tiny model; tests leave it as it is."""
    return GILL(**FAST)


def test_a_reply_without_a_picture_is_an_error(picture_folder: Path) -> None:
    batch = rows(picture_folder)[:2]
    unled = GILL(**FAST, image_scale=1)
    for output in unled.predict(batch):
        assert (output.status, output.image) == ("error", None)
        tokens = (output.usage or {})["output_tokens"]
        assert output.reason == (
            f"no_image: no picture came ({tokens} tokens, {output.finish_reason}): {output.text!r}"
        )
        assert output.text
        assert (output.extra or {})["pictures"] == 0
    assert unled.record()["image_scale"] == 1.0


@pytest.mark.parametrize("token", ["<s>", "</s>", "<pad>", "[IMG0]", "[IMG12]", "<|image|>"])
def test_a_text_that_steers_the_model_is_an_error(model: GILL, token: str) -> None:
    expected = f"control_token: a text of the prompt holds {token!r}"
    assert model.predict([said(f"red {token}: ")])[0].reason == expected
    assert model.predict([said("red: ", followup=f"and {token}")])[0].reason == expected


def test_one_bad_example_does_not_cost_the_others(
    model: GILL, picture_folder: Path, tmp_path: Path
) -> None:
    good = rows(picture_folder)[0]
    missing = said("red: ")
    missing["messages"][0]["content"].append(
        {"type": "image", "text": None, "image": str(tmp_path / "none.png")}
    )
    outputs = model.predict([missing, good, said("a" * 2040), said("a" * 2039)])
    assert [output.status for output in outputs] == ["error", "ok", "error", "ok"]
    assert (outputs[0].reason or "").startswith("picture: ")
    assert outputs[2].reason == (
        "too_long: the prompt has 2,041 tokens with its pictures and the reply needs 8, the "
        "context has 2,048"
    )
    assert drawn(outputs[1:2]) == drawn(model.predict([good]))


def test_the_context_ends_a_reply(picture_folder: Path) -> None:
    row = rows(picture_folder, output="description")[0]
    length = len(prompt_of(GILL(**FAST), row).ids)
    outputs = [GILL(**FAST, context=length + room).predict([row])[0] for room in (0, 1, 5)]
    assert (outputs[0].reason or "").startswith(f"too_long: the prompt has {length} tokens")
    assert [output.status for output in outputs[1:]] == ["ok", "ok"]
    assert [output.finish_reason for output in outputs[1:]] == ["length", "length"]
    assert [(output.usage or {})["output_tokens"] for output in outputs[1:]] == [1, 5]


def test_a_first_round_that_says_nothing_is_an_error(
    model: GILL, picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model._speaker, "free", lambda asked: [Said() for _ in asked])
    outputs = model.predict(rows(picture_folder, prompt_type="cot")[:1])
    assert outputs[0].reason == "empty: first round: nothing came"


def test_a_withheld_picture_is_blocked(
    model: GILL, picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def black(images: Tensor, clip_input: Tensor) -> Any:
        return images * 0, [True]

    def features(pictures: Any, return_tensors: str) -> Any:
        from transformers import BatchFeature

        return BatchFeature({"pixel_values": torch.ones(1)})

    monkeypatch.setattr(model._system.decoder, "safety_checker", black)
    monkeypatch.setattr(model._system.decoder, "feature_extractor", features)
    output = model.predict(rows(picture_folder)[:1])[0]
    assert (output.status, output.image) == ("blocked", None)
    assert output.reason == "safety_checker: it withheld the picture"
    assert model.record()["drawing"]["safety_checker"] is True


def test_pixels_that_are_no_numbers_are_no_picture(picture_folder: Path) -> None:
    model = GILL(**FAST)
    with torch.no_grad():
        model._system.decoder.vae.decoder.conv_out.bias.fill_(torch.nan)
    output = model.predict(rows(picture_folder)[:1])[0]
    assert (output.status, output.image) == ("error", None)
    assert output.reason == "not_finite: the picture's pixels are not all numbers"


def test_scores_that_are_no_numbers_are_no_reply(picture_folder: Path) -> None:
    model = GILL(**FAST)
    with torch.no_grad():
        model._system.language_model.lm_head.weight[50] = torch.nan
    for output in model.predict(
        [*rows(picture_folder)[:1], *rows(picture_folder, output="description")[:1]]
    ):
        assert (output.reason or "").startswith("not_finite: the model's scores are not all")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "checkpoint must be given, or tiny=true, and not both, got checkpoint=None"),
        ({"tiny": True, "force_image": "yes"}, "force_image must be true or false, got 'yes'"),
        ({"tiny": True, "steps": 0}, "steps must be an integer of 1 or more, got 0"),
        ({"tiny": True, "guidance": 0.5}, r"guidance must be a number of 1 \(none\) or more"),
        ({"tiny": True, "image_scale": 0}, r"image_scale must be a number of 1 \(none\) or more"),
        ({"tiny": True, "top_p": 0.5}, "temperature and top_p must go with do_sample=true"),
        ({"tiny": True, "dtype": "int8"}, "dtype must be one of auto"),
        ({"tiny": True, "context": 1}, "context must be an integer of 2 or more, got 1"),
        ({"tiny": True, "reuse_gb": -1}, "reuse_gb must be a number of 0 or more, got -1"),
    ],
)
def test_options_that_cannot_be_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GILL(**options)
