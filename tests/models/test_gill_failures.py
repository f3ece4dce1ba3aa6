"""GILL under test, tiny: what goes wrong with an example is its error, and no answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat.models.gill.adapter import GILL
from cobsat.models.gill.replies import Said
from gill_asked import FAST, prompt_of
from ports import rows

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
        ({"tiny": True, "force_image": "yes"}, "force_image must be true or false, got 'yes'"),
        ({"tiny": True, "image_scale": 0}, r"image_scale must be a number of 1 \(none\) or more"),
        ({"tiny": True, "top_p": 0.5}, "temperature and top_p must go with do_sample=true"),
        ({"tiny": True, "reuse_gb": -1}, "reuse_gb must be a number of 0 or more, got -1"),
    ],
)
def test_options_that_cannot_be_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GILL(**options)
