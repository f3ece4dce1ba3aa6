"""Vision-language checkpoints under test: the real classes of nine families, tiny."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiny_vlms
import torch
from cobsat import Example, Options
from cobsat.cli import main
from cobsat.models.settings import check_capabilities, run_settings
from cobsat.models.transformers_vlm import TransformersVLM
from PIL import Image
from vlm_rows import load, ragged, replies, rows, spy

FAMILIES = list(tiny_vlms.FAMILIES)
TAKES_SEVERAL = [family for family in FAMILIES if family != "instructblip"]
LAYOUT = {
    "llava": "llava_v1",
    "llava_next": "inline",
    "instructblip": "plain",
    "qwen2_vl": "template",
    "qwen2_5_vl": "template",
    "qwen3_vl": "template",
    "internvl": "template",
    "gemma3": "template",
    "idefics3": "template",
}
PICTURE = {
    "llava": "(<image>){4}",
    "llava_next": "(<image>){10,}",
    "qwen2_vl": r"<\|vision_start\|>(<\|image_pad\|>)+<\|vision_end\|>",
    "qwen2_5_vl": r"<\|vision_start\|>(<\|image_pad\|>)+<\|vision_end\|>",
    "qwen3_vl": r"<\|vision_start\|>(<\|image_pad\|>)+<\|vision_end\|>",
    "internvl": "<img>(<IMG_CONTEXT>)+</img>\n",
    "gemma3": "\n\n<start_of_image>(<image_soft_token>){4}<end_of_image>\n\n",
    "idefics3": r"(<fake_token_around_image>(<row_\d_col_\d>|<global-img>)<image>|\n)+"
    "<fake_token_around_image>",
}


def swapped(example: Example) -> Example:
    """Return an example whose two pictures have changed places."""
    [message] = example["messages"]
    content = [dict(part) for part in message["content"]]
    content[1]["image"], content[3]["image"] = content[3]["image"], content[1]["image"]
    changed: Any = {**example, "messages": [{"role": "user", "content": content}]}
    return changed


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_reads_in_order_and_answers_alike_in_any_batch(
    family: str, checkpoint: Callable[[str], Path], picture_folder: Path
) -> None:
    model = load(checkpoint(family))
    record = model.record()
    assert record["layout"]["name"] == LAYOUT[family]
    assert record["pictures_reused"] == "yes" or family == "instructblip"
    tokenizer, given = model._processor.tokenizer, spy(model)

    batch = ragged(picture_folder)
    together = replies(model, batch)
    [inputs] = given
    text = tokenizer.decode(inputs["input_ids"][0], skip_special_tokens=False)
    if family == "instructblip":
        assert re.search(r"^(<image>){4}.*<s>blue: brown: orange: \nBased", text, re.S)
    else:
        one = PICTURE[family]
        assert re.search(rf"blue: ?{one}brown: ?{one}orange: ?\nBased", text), text

    assert [replies(model, [example])[0] for example in batch] == together
    afresh = load(checkpoint(family), reuse_gb=0)
    assert afresh.record()["pictures_reused"] == "no: turned off"
    assert replies(afresh, batch) == together
    if family != "instructblip":  # a collage of the two would be another picture
        scores = [first_scores(afresh, example) for example in (batch[0], swapped(batch[0]))]
        assert not torch.allclose(*scores, atol=1e-3), "the places of pictures make no difference"
        kept = [first_scores(model, example) for example in (batch[0], swapped(batch[0]))]
        torch.testing.assert_close(kept, scores, atol=1e-4, rtol=1e-4)


def first_scores(model: TransformersVLM, example: Example) -> torch.Tensor:
    """Return the scores of an answer's first token."""
    prompt = model.prompt(example["messages"])
    assert not isinstance(prompt, str)
    with torch.inference_mode():
        encoded = model._encoder.encode([prompt])
        output = model._model.generate(
            **encoded.inputs, max_new_tokens=1, output_logits=True, return_dict_in_generate=True
        )
    return output.logits[0][0]


def test_a_picture_is_encoded_once_and_memory_is_bounded(
    qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    model = qwen()
    shown: list[int] = []
    own = model._model.model.get_image_features

    def encode(pixel_values: Any, image_grid_thw: Any = None, **options: Any) -> Any:
        shown.append(len(image_grid_thw))
        return own(pixel_values, image_grid_thw, **options)

    model._model.model.get_image_features = encode
    batch = rows(picture_folder)[:12]
    pictures = {p["image"] for e in batch for m in e["messages"] for p in m["content"]} - {None}
    whole = replies(model, batch)
    assert shown == [1] * len(pictures)
    assert len(pictures) < 24
    assert replies(model, batch) == whole
    assert len(shown) == len(pictures)

    size = next(iter(model._encoder._known.values())).size
    small = qwen(reuse_gb=3 * size / 1e9)
    assert replies(small, batch) == whole
    assert len(small._encoder._known) == 3
    assert small._encoder._kept_bytes == 3 * size


def test_what_cannot_be_reused_says_why(
    qwen: Callable[..., TransformersVLM], picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import Qwen2_5_VLProcessor

    whole = replies(qwen(), rows(picture_folder)[:2])
    own = Qwen2_5_VLProcessor.replace_image_token
    monkeypatch.setattr(
        "cobsat.models.vlm_inputs.Encoder._options",
        lambda self, **given: {"text_kwargs": {}, "images_kwargs": {}}["nothing"],
    )
    model = qwen()
    assert model.record()["pictures_reused"] == "no: KeyError: 'nothing'"
    assert replies(model, rows(picture_folder)[:2]) == whole
    monkeypatch.undo()
    calls: list[int] = []

    def longer_at_first(self: Any, *given: Any, **options: Any) -> str:
        calls.append(1)
        return str(own(self, *given, **options)) + ("x" if len(calls) == 1 else "")

    monkeypatch.setattr(Qwen2_5_VLProcessor, "replace_image_token", longer_at_first)
    assert qwen().record()["pictures_reused"].startswith("no: the processor lays pictures out")


def test_prompts_with_and_without_pictures_go_together(
    qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    model = qwen()
    batch = [rows(picture_folder)[0], rows(picture_folder, prompt_type="caption")[0]]
    batch += [Image_row(rows(picture_folder)[1])]
    assert replies(model, batch) == [replies(model, [example])[0] for example in batch]


def Image_row(example: Example) -> Example:  # noqa: N802
    """Return an example whose pictures are opened, as `datasets` gives them."""
    for message in example["messages"]:
        for part in message["content"]:
            if isinstance(part["image"], str):
                with Image.open(part["image"]) as picture:
                    part["image"] = picture.convert("RGB")
    return example


def test_a_model_for_one_picture(checkpoint: Callable[[str], Path], picture_folder: Path) -> None:
    folder = checkpoint("instructblip")
    strict = load(folder, many_images="error")
    assert strict.capabilities.max_images == 1
    options = Options(output="description", images=str(picture_folder))
    settings = run_settings("it", strict, {}, ("color_i-2shot",), "test", options)
    with pytest.raises(ValueError, match="pictures in a prompt of model it must be at most 1"):
        check_capabilities("it", strict.capabilities, settings)
    [output] = strict.predict(rows(picture_folder)[:1])
    assert output.reason == "picture_count: the model has one place for a picture, got 2"
    [output] = strict.predict(rows(picture_folder, prompt_type="caption")[:1])
    assert (output.reason or "").startswith("no_picture: ")

    for policy in ("collage", "last"):
        model = load(folder, many_images=policy)
        assert model.capabilities.max_images is None
        assert model.record()["many_images"] == policy
        replies(model, rows(picture_folder)[:1])
    model._model.config.qformer_config.max_position_embeddings = 20
    [output] = model.predict(rows(picture_folder)[:1])
    assert re.match(
        r"too_long: the text has \d+ tokens, the Q-Former reads 20", output.reason or ""
    )


def test_several_pictures_become_one_for_any_model_that_is_asked_so(
    qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    model = qwen(many_images="last")
    given = spy(model)
    replies(model, rows(picture_folder)[:1])
    text = model._processor.tokenizer.decode(given[0]["input_ids"][0])
    assert re.search(r"blue: brown: <\|vision_start\|>(<\|image_pad\|>)+<\|vision_end\|>or", text)
    assert len(given[0]["image_grid_thw"]) == 1


def test_a_chain_of_thought_is_two_rounds(
    qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    model = qwen()
    given = spy(model)
    batch = rows(picture_folder, prompt_type="cot")[:2]
    outputs = model.predict(batch)
    assert len(given) == 2
    decode = model._processor.tokenizer.decode
    for row, output in enumerate(outputs):
        before = (output.extra or {})["first_round"]["text"]
        text = decode(given[1]["input_ids"][row])
        assert before
        assert f"<|im_start|>assistant\n{before}<|im_end|>\n<|im_start|>user\n" in text
        assert "Based on the analysis, please describe" in text
        assert (output.usage or {})["output_tokens"] == 10
        assert (output.extra or {})["first_round"]["finish_reason"] == "length"
    assert given[1]["image_grid_thw"].shape[0] == 4


def test_a_first_round_that_fails_is_the_example_s_error(
    qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    model = qwen()
    with torch.no_grad():
        model._model.lm_head.weight.zero_()
    [output] = model.predict(rows(picture_folder, prompt_type="cot")[:1])
    assert output.reason == "empty: first round: the model answered nothing (5 tokens)"


def test_drawn_answers_depend_on_the_example_and_the_seed_alone(
    qwen: Callable[..., TransformersVLM], picture_folder: Path
) -> None:
    batch = rows(picture_folder)[:5]
    model = qwen(do_sample=True, temperature=1.5, top_p=0.9, seed=1)
    drawn = replies(model, batch)
    assert [replies(model, [example])[0] for example in reversed(batch)] == drawn[::-1]
    assert replies(qwen(do_sample=True, temperature=1.5, top_p=0.9, seed=2), batch) != drawn
    assert replies(qwen(), batch) != drawn
    assert model.record()["decoding"] == {
        "max_new_tokens": 5, "do_sample": True, "temperature": 1.5, "top_p": 0.9, "seed": 1,
    }  # fmt: skip
    assert qwen().record()["decoding"] == {"max_new_tokens": 5, "do_sample": False}


def test_the_record_says_what_was_asked_and_how(
    checkpoint: Callable[[str], Path], tmp_path: Path
) -> None:
    model = load(checkpoint("llava"))
    record = json.loads(json.dumps(model.record()))
    assert record["checkpoint"] == model.name == str(checkpoint("llava"))
    assert record["architecture"] == "LlavaForConditionalGeneration"
    assert record["dtype"] == "float32"
    assert re.fullmatch("[0-9a-f]{64}", record["weights_sha256"])
    assert record["layout"]["why"] == (
        "the checkpoint's chat template moves pictures out of their places"
    )
    assert record["context"] == tiny_vlms.CONTEXT
    assert record["padded_to_squares"] is True
    assert record["versions"]["device"] == "cpu"
    other = tiny_vlms.save("llava", tmp_path)
    weights = bytearray((other / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (other / "model.safetensors").write_bytes(weights)
    assert load(other).record()["weights_sha256"] != record["weights_sha256"]
    half = load(checkpoint("llava"), dtype="bfloat16")
    assert half.record()["dtype"] == "bfloat16"


def test_the_papers_wording_for_a_family_is_known(
    checkpoint: Callable[[str], Path], qwen: Callable[..., TransformersVLM]
) -> None:
    assert load(checkpoint("llava")).instructions_for == {"description": "llava"}
    assert qwen().instructions_for == {"description": "qwen_vl"}
    assert load(checkpoint("idefics3")).instructions_for == {"description": "neutral"}


def test_a_checkpoints_own_sampling_is_put_aside(
    checkpoint: Callable[[str], Path], picture_folder: Path, tmp_path: Path
) -> None:
    whole = replies(load(checkpoint("qwen2_vl")), rows(picture_folder)[:2])
    folder = tiny_vlms.save("qwen2_vl", tmp_path)
    settings = json.loads((folder / "generation_config.json").read_text())
    settings |= {"do_sample": True, "temperature": 5.0, "repetition_penalty": 3.0, "top_k": 40}
    (folder / "generation_config.json").write_text(json.dumps(settings))
    assert replies(load(folder), rows(picture_folder)[:2]) == whole


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "templat"}, "layout must be one of auto, .*did you mean 'template'"),
        ({"many_images": "grid"}, "many_images must be one of error, collage, last"),
        ({"dtype": "int8"}, "dtype must be one of auto, float32"),
        ({"max_new_tokens": 0}, "max_new_tokens must be 1 or more, got 0"),
        ({"max_new_tokens": True}, "max_new_tokens must be an integer, got True"),
        ({"temperature": 0.5}, "temperature and top_p must go with do_sample=true"),
        ({"do_sample": True, "temperature": 0}, "temperature must be above 0, got 0"),
        ({"do_sample": True, "top_p": 1.5}, "top_p must be above 0 and at most 1, got 1.5"),
        ({"do_sample": 1}, "do_sample must be true or false, got 1"),
        ({"seed": 1.5}, "seed must be an integer, got 1.5"),
        ({"context": 1}, "context must be an integer above 1, got 1"),
        ({"reuse_gb": -1}, "reuse_gb must be 0 or more, got -1"),
        ({"device": "cpu", "device_map": "auto"}, "device must be auto with a device_map"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    options: dict[str, Any], message: str, qwen: Callable[..., TransformersVLM]
) -> None:
    with pytest.raises(ValueError, match=message):
        qwen(**options)


def test_only_image_text_to_text_checkpoints_in_safetensors(
    checkpoint: Callable[[str], Path], tmp_path: Path
) -> None:
    from transformers import LlamaConfig

    LlamaConfig(**tiny_vlms.text_config(10)).save_pretrained(tmp_path / "text")
    with pytest.raises(ValueError, match=r"image-text-to-text model, got .* of type 'llama'"):
        load(tmp_path / "text")
    folder = tiny_vlms.save("qwen2_vl", tmp_path)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(OSError, match="safetensors"):
        load(folder)


def test_llavas_text_is_tokenized_piece_by_piece(tmp_path: Path, picture_folder: Path) -> None:
    """As its training code does it: a word after a picture begins like any other word."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    model, processor = tiny_vlms.build("llava")
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'.,:"
    words = ["<pad>", "<s>", "</s>", "<image>", "<unk>", "▁", "▁brown", "▁orange", "brown"]
    vocabulary = {word: i for i, word in enumerate([*words, *letters])}
    core = Tokenizer(models.WordPiece(vocabulary, unk_token="<unk>", continuing_subword_prefix=""))
    core.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    core.add_special_tokens(words[:4])
    processor.tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="<pad>", bos_token="<s>", eos_token="</s>",
        unk_token="<unk>", extra_special_tokens={"image_token": "<image>"},
    )  # fmt: skip
    model.config.image_token_index = model.config.image_token_id = 3
    model.save_pretrained(tmp_path)
    processor.save_pretrained(tmp_path)
    for reuse in (2, 0):
        adapter = load(tmp_path, reuse_gb=reuse)
        assert adapter.record()["text_between_pictures"] == "piece by piece"
        given = spy(adapter)
        batch = [rows(picture_folder)[0], rows(picture_folder, "color_i-4shot")[0]]
        adapter.predict(batch)
        tokens = adapter._processor.tokenizer.convert_ids_to_tokens(given[0]["input_ids"][0])
        start = tokens.index("<image>")
        picture = ["<image>"] * 4
        between = [*picture, "▁brown", ":", "▁", *picture, "▁orange", ":"]
        assert tokens[start : start + len(between)] == between
        padding = tokens.index("<s>")
        assert set(tokens[:padding]) == {"<pad>"}
        assert given[0]["attention_mask"][0].tolist() == [
            *[0] * padding, *[1] * (len(tokens) - padding)
        ]  # fmt: skip
        # Pictures side by side, beside a row where they are not: as TouchStone's questions.
        row, other = batch
        content = row["messages"][0]["content"]
        shown = [part for part in content if part["type"] == "image"]
        beside = {**content[0], "text": "brown"}
        together: Any = {**row, "messages": [{"role": "user", "content": [*shown, *shown, beside]}]}
        both = adapter.predict([together, other])
        assert [output.status for output in both] == ["ok", "ok"]
        tokens = adapter._processor.tokenizer.convert_ids_to_tokens(given[-1]["input_ids"][0])
        start = tokens.index("<image>")
        assert tokens[start : start + 17] == [*["<image>"] * 16, "▁brown"]
        assert both == [adapter.predict([one])[0] for one in (together, other)]


def test_a_whole_run_goes_on_in_other_batches_to_the_same_end(
    checkpoint: Callable[[str], Path], picture_folder: Path, tmp_path: Path
) -> None:
    def run(out: str, limit: int, batch_size: int) -> list[dict[str, Any]]:
        options = [
            f"checkpoint={checkpoint('qwen3_vl')}", "max_new_tokens=4", "do_sample=true", "seed=3",
        ]  # fmt: skip
        code = main(
            [
                "run", "--model", "transformers", "--config", "color_i-2shot",
                "--output", "description", "--images", str(picture_folder),
                "--out", str(tmp_path / out), "--limit", str(limit),
                "--batch-size", str(batch_size),
                *(text for option in options for text in ("--model-option", option)),
            ]
        )  # fmt: skip
        assert code == 0
        lines = (tmp_path / out / "predictions.jsonl").read_text().splitlines()
        return [{**json.loads(line), "seconds": 0} for line in lines]

    first = run("whole", 6, 6)
    assert len(first) == 6
    run("parts", 2, 2)
    assert run("parts", 6, 3) == first
    settings = json.loads((tmp_path / "whole" / "run.json").read_text())
    assert settings["model_options"]["record"]["layout"]["name"] == "template"
    assert settings["instructions_for"] == "qwen_vl"
