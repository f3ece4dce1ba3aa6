"""Checkpoints that draw under test: what is no picture, and what does not fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiny_drawers
import torch
from drawer_rows import load, pictures, ragged, rows, spy

pytestmark = pytest.mark.usefixtures("one_thread")

FAMILIES = list(tiny_drawers.FAMILIES)


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_prompt_that_leaves_no_room_for_a_picture_is_not_drawn(
    family: str, checkpoint: Callable[[str], Path], picture_folder: Path
) -> None:
    batch = ragged(picture_folder)
    free = load(checkpoint(family)).predict(batch)
    lengths = [int((output.usage or {})["input_tokens"]) for output in free]
    count = {"emu3": 3 * 5 + 3, "janus": 16}[family]
    assert {(output.usage or {})["output_tokens"] for output in free} == {count}
    context = max(lengths[0], lengths[2]) + count
    tight = load(checkpoint(family), context=context)
    given, _ = spy(tight)
    outputs = tight.predict(batch)
    assert [output.status for output in outputs] == ["ok", "error", "ok", "error"]
    assert pictures([outputs[0], outputs[2]]) == pictures([free[0], free[2]])
    assert [len(inputs["input_ids"]) for inputs in given] == [2]
    assert (outputs[1].reason or "").startswith(
        f"too_long: the prompt has {lengths[1]} tokens with its pictures and the drawn picture "
        f"{count}, the context {context}"
    )
    assert ("image_area=65536" in (outputs[1].reason or "")) is (family == "emu3")
    none = load(checkpoint(family), context=context - 1)
    assert "error" in {output.status for output in none.predict([batch[0], batch[2]])}


def test_pictures_and_texts_of_a_prompt_that_cannot_be_read(
    family: str, checkpoint: Callable[[str], Path], picture_folder: Path, tmp_path: Path
) -> None:
    model = load(checkpoint(family))
    good, lost, steering = rows(picture_folder)[:3]
    alone = pictures(model.predict([good]))
    lost["messages"][0]["content"][1]["image"] = str(tmp_path / "none.png")
    token = {"emu3": "<|visual token 000003|>", "janus": "<image_placeholder>"}[family]
    steering["messages"][0]["content"][0]["text"] = f"red {token}: "
    outputs = model.predict([lost, steering, good])
    assert [output.status for output in outputs] == ["error", "error", "ok"]
    assert (outputs[0].reason or "").startswith("picture: ")
    assert outputs[1].reason == f"control_token: a text of the prompt holds {token!r}"
    assert pictures(outputs[2:]) == alone


def test_a_first_round_that_fails_is_the_example_s_error(
    checkpoint: Callable[[str], Path], picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load(checkpoint("janus"))
    silent, plain = rows(picture_folder, prompt_type="cot")[0], rows(picture_folder)[0]
    alone = pictures(model.predict([plain]))
    monkeypatch.setattr("cobsat.models.transformers_vlm.generate", lambda *given: [([], True)])
    outputs = model.predict([silent, plain])
    assert outputs[0].status == "error"
    assert outputs[0].image is None
    assert outputs[0].reason == "empty: first round: the model answered nothing (0 tokens)"
    assert pictures(outputs[1:]) == alone


def test_what_was_said_before_a_picture_that_fails_is_kept(
    checkpoint: Callable[[str], Path], picture_folder: Path
) -> None:
    model = load(checkpoint("janus"), fresh=True)
    model._family.count = 10**6
    row: Any = rows(picture_folder, prompt_type="cot")[0]
    [said] = model._writer.predict([{**row, "followup": None}])
    [output] = model.predict([row])
    assert (output.reason or "").startswith("too_long: the prompt has ")
    assert output.usage == said.usage
    assert output.extra == {"first_round": {"text": said.text, "finish_reason": "length"}}


def test_scores_and_pixels_that_are_no_numbers_are_no_picture(
    family: str, checkpoint: Callable[[str], Path], picture_folder: Path
) -> None:
    batch = rows(picture_folder)[:2]
    model = load(checkpoint(family), fresh=True)
    own, _ = model._writer.parts
    with torch.no_grad():
        own.model.vqmodel.decoder.conv_out.bias.fill_(float("nan"))
    for output in model.predict(batch):
        assert output.status == "error"
        assert output.image is None
        assert (output.reason or "").startswith("not_finite: the picture's pixels are not all num")
    language_model = own.model.text_model if family == "emu3" else own.model.language_model
    with torch.no_grad():
        language_model.norm.weight.fill_(float("inf"))
    for output in model.predict(batch):
        assert output.status == "error"
        assert (output.reason or "").startswith("not_finite: the model's scores are not all number")


def test_a_batch_that_does_not_fit_is_halved(
    family: str, checkpoint: Callable[[str], Path], picture_folder: Path
) -> None:
    batch = rows(picture_folder)[:5]
    whole = pictures(load(checkpoint(family)).predict(batch))
    model = load(checkpoint(family), fresh=True)
    own, sizes = model._family.draw, []

    def draw(inputs: dict[str, Any], *rest: Any) -> torch.Tensor:
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 2:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return own(inputs, *rest)

    model._family.draw = draw  # type: ignore[method-assign]
    assert pictures(model.predict(batch)) == whole
    assert sizes == [5, 2, 2, 1]

    def never(*given: Any) -> torch.Tensor:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    model._family.draw = never  # type: ignore[method-assign]
    [output] = model.predict(batch[:1])
    assert output.reason == "out_of_memory: the example alone does not fit"
