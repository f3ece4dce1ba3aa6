"""Rows go into `transformers.pipeline("image-text-to-text")` as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import cobsat
import pytest
import tiny_vlms
import torch
from datasets import load_dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    CLIPImageProcessorPil,
    CLIPVisionConfig,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
    pipeline,
)
from transformers.pipelines.pt_utils import KeyDataset

IN_READING_ORDER = (
    "{% for message in messages %}{{ message['role'] }} {% for part in message['content'] %}"
    "{% if part['type'] == 'image' %} <image> {% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endfor %} assistant"
)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny models are quicker so, most of all where others are at work."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def describe() -> Any:
    """The pipeline over a tiny LLaVA: the real classes, random weights."""
    words = ["<pad>", "<unk>", "<s>", "</s>", "<image>", "user", "assistant"]
    words += [f"{color}:" for color in cobsat.THEMES["color"].attributes]
    vocabulary = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
    vocabulary.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=vocabulary,
        pad_token="<pad>",
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        padding_side="left",
        extra_special_tokens={"image_token": "<image>"},
    )
    processor = LlavaProcessor(
        CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}),
        tokenizer,
        patch_size=16,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        image_token="<image>",
        chat_template=IN_READING_ORDER,
    )
    small = {
        "hidden_size": 32,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    }
    vision = CLIPVisionConfig(**small, image_size=32, patch_size=16, projection_dim=16)
    text = LlamaConfig(
        **small,
        vocab_size=len(tokenizer),
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=None,
    )
    torch.manual_seed(0)
    config = LlavaConfig(
        vision_config=vision.to_dict(),
        text_config=text.to_dict(),
        image_token_index=4,
        image_seq_length=4,
    )
    model = LlavaForConditionalGeneration(config).eval()
    return pipeline("image-text-to-text", model=model, processor=processor)


def test_rows_are_taken_as_they_are_single_and_batched(
    describe: Any, pictures: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = load_dataset(
        "cobsat",
        "color_i-2shot",
        split="test[:6]",
        images=pictures,
        cache_dir=str(tmp_path_factory.mktemp("cache")),
    )
    options = {"max_new_tokens": 4, "return_full_text": False}
    single = list(describe(KeyDataset(rows, "messages"), **options))
    batched = list(describe(KeyDataset(rows, "messages"), batch_size=3, **options))
    assert len(single) == 6
    assert [r[0]["generated_text"] for r in single] == [r[0]["generated_text"] for r in batched]
    quick = list(describe(KeyDataset(cobsat.decode_once(rows), "messages"), **options))
    assert [r[0]["generated_text"] for r in quick] == [r[0]["generated_text"] for r in single]


def test_text_and_pictures_reach_the_model_in_reading_order(describe: Any, pictures: str) -> None:
    row = cobsat.examples("color_i-2shot", "test", cobsat.Options(images=pictures))[0]
    inputs = describe.processor.apply_chat_template(
        row["messages"], tokenize=True, return_dict=True, return_tensors="pt"
    )
    tokens = describe.tokenizer.convert_ids_to_tokens(inputs["input_ids"][0].tolist())
    image = ["<image>"] * 4
    assert tokens == ["user", "blue:", *image, "brown:", *image, "orange:", "assistant"]
    assert inputs["pixel_values"].shape == (2, 3, 32, 32)


def test_the_readmes_example_runs(pictures: str, tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    [code] = re.findall(r"```python\n([^`]*\bpipeline\([^`]*)```", readme)
    folder = tiny_vlms.save("qwen2_5_vl", tmp_path)
    smaller = {"Qwen/Qwen2.5-VL-7B-Instruct": str(folder), '"test"': '"test[:6]"', ": 64": ": 4"}
    for written, here in smaller.items():
        assert code.count(written) == 1
        code = code.replace(written, here)
    names: dict[str, Any] = {
        "load_dataset": partial(load_dataset, images=pictures, cache_dir=str(tmp_path / "cache")),
        "print": (printed := []).append,
    }
    exec(code, names)
    alone = {**names["options"], "batch_size": 1}
    single = [names["describe"](row["messages"], **alone) for row in names["rows"]]
    assert len(printed) == 6
    assert printed == [reply[0]["generated_text"] for reply in single]
    assert all(printed)
    assert len(set(printed)) > 1
