"""Vision-language checkpoints under test: what is no answer, and what does not fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat.models.transformers_vlm import TransformersVLM
from vlm_rows import ragged, replies, rows, spy


def test_a_prompt_longer_than_the_context_is_not_generated(
    qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    batch = ragged(picture_folder)
    model = qwen()
    alone = replies(model, [batch[0], batch[2]])
    lengths = [int((output.usage or {})["input_tokens"]) for output in model.predict(batch)]
    tight = qwen(context=min(lengths[1], lengths[3]))
    given = spy(tight)
    outputs = tight.predict(batch)
    assert [output.status for output in outputs] == ["ok", "error", "ok", "error"]
    assert [outputs[0].text, outputs[2].text] == alone
    assert outputs[1].text is None
    assert outputs[1].reason == (
        f"too_long: the prompt has {lengths[1]} tokens with its pictures, the context "
        f"{tight.record()['context']}"
    )
    assert [len(inputs["input_ids"]) for inputs in given] == [2]
    given.clear()
    assert {output.status for output in tight.predict([batch[1], batch[3]])} == {"error"}
    assert given == []


def test_an_answer_ends_where_the_context_does(
    qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    batch = rows(picture_folder)[:3]
    free = qwen(max_new_tokens=8).predict(batch)
    assert {output.finish_reason for output in free} == {"length"}
    first = int((free[0].usage or {})["input_tokens"])
    tight = qwen(max_new_tokens=8, context=first + 4).predict(batch)
    for output in tight:
        usage = output.usage or {}
        assert usage["output_tokens"] == first + 4 - usage["input_tokens"]
        assert output.finish_reason == "length"
    alone = qwen(max_new_tokens=8, context=first + 4).predict(batch[:1])
    assert alone[0].text == tight[0].text


def test_an_answer_that_ends_by_itself_says_so(
    qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    batch = rows(picture_folder)[:1]
    model = qwen(max_new_tokens=4)
    given = spy(model)
    model.predict(batch)
    with torch.inference_mode():
        inputs = {k: v for k, v in given[0].items() if not k.startswith(("logits", "stopping"))}
        tokens = model._model.generate(**inputs)[0, inputs["input_ids"].shape[1] :].tolist()
    model._ends = frozenset({tokens[2]}) - set(tokens[:2])
    assert model._ends
    [output] = model.predict(batch)
    assert output.finish_reason == "stop"
    assert (output.usage or {})["output_tokens"] == 2


def test_an_empty_answer_is_an_error(
    qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    model = qwen()
    with torch.no_grad():
        model._model.lm_head.weight.zero_()  # nothing but the padding token, id 0
    [output] = model.predict(rows(picture_folder)[:1])
    assert (output.status, output.text) == ("error", None)
    assert output.reason == "empty: the model answered nothing (5 tokens)"


@pytest.mark.parametrize("sampled", [True, False])
@pytest.mark.parametrize("prompt_type", ["default", "cot"])
def test_scores_that_are_no_numbers_are_no_answer(
    prompt_type: str, sampled: bool, qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    batch = rows(picture_folder, prompt_type=prompt_type)[:2]
    batch[0]["messages"][0]["content"][0]["text"] += "~"
    model = qwen(do_sample=sampled)
    expected = model.predict(batch)
    assert [output.status for output in expected] == ["ok", "ok"]
    [mark] = model._processor.tokenizer.encode("~")
    with torch.no_grad():
        model._model.get_input_embeddings().weight[mark] = torch.nan
    outputs = model.predict(batch)
    where = "first round: " if prompt_type == "cot" else ""
    assert (outputs[0].status, outputs[0].text) == ("error", None)
    assert outputs[0].reason == (
        f"not_finite: {where}the model's scores are not all numbers: try dtype=bfloat16"
    )
    assert outputs[1] == expected[1]


def test_scores_that_are_no_numbers_are_no_answer_where_no_token_ends_one(
    qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    model = qwen(do_sample=True)
    model._ends = frozenset()
    with torch.no_grad():
        model._model.lm_head.weight[5] = torch.nan
    [output] = model.predict(rows(picture_folder)[:1])
    assert (output.reason or "").startswith("not_finite: the model's scores are not all numbers")


@pytest.mark.parametrize("token", ["<|image_pad|>", "<|im_end|>", "</s>"])
def test_text_that_would_steer_the_model_is_an_error(
    token: str, qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    good, bad = rows(picture_folder, prompt_type="caption")[:2]
    bad["messages"][0]["content"][0]["text"] += f"A car. {token}\n"
    outputs = qwen().predict([good, bad])
    assert [output.status for output in outputs] == ["ok", "error"]
    assert outputs[1].reason == f"control_token: a text of the prompt holds {token!r}"


def test_places_that_are_not_as_many_as_the_pictures_are_an_error(
    qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    model = qwen()
    own = model._layout.render
    model._layout = replace(
        model._layout, render=lambda messages: own(messages).replace("<|image_pad|>", "", 1)
    )
    [output] = model.predict(rows(picture_folder)[:1])
    assert output.reason == "picture_count: the prompt has 1 places for 2 pictures"


def test_a_picture_that_cannot_be_opened_is_an_error(
    qwen: Callable[..., TransformersVLM], picture_folder: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"\x89PNG\r\n\x1a\n")
    good, *bad = rows(picture_folder)[:3]
    bad[0]["messages"][0]["content"][1]["image"] = str(tmp_path / "none.png")
    bad[1]["messages"][0]["content"][1]["image"] = str(broken)
    outputs = qwen().predict([*bad, good])
    assert [output.status for output in outputs] == ["error", "error", "ok"]
    assert all((output.reason or "").startswith("picture: ") for output in outputs[:2])


@pytest.mark.parametrize("limit", [1, 3])
def test_a_batch_that_does_not_fit_is_halved(
    limit: int, qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    batch = rows(picture_folder)[:7]
    whole = replies(qwen(), batch)
    model = qwen()
    own, sizes = model._model.generate, []

    def generate(**inputs: Any) -> Any:
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > limit:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return own(**inputs)

    model._model.generate = generate
    assert replies(model, batch) == whole
    assert sizes == ([7, 3, 3, 1] if limit == 3 else [7, 3] + [1] * 7)
    sizes.clear()
    assert replies(model, batch) == whole
    assert max(sizes) == limit  # it does not try what was too much


def test_an_example_that_does_not_fit_alone_is_an_error_and_others_errors_are_raised(
    qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    model = qwen()

    def fails(error: Exception) -> Callable[..., Any]:
        def generate(**inputs: Any) -> Any:
            raise error

        return generate

    model._model.generate = fails(RuntimeError("DefaultCPUAllocator: not enough memory: you …"))
    outputs = model.predict(rows(picture_folder)[:2])
    assert [output.reason for output in outputs] == [
        "out_of_memory: the example alone does not fit"
    ] * 2
    model._model.generate = fails(RuntimeError("the device is gone"))
    with pytest.raises(RuntimeError, match="the device is gone"):
        model.predict(rows(picture_folder)[:2])
