"""A text that a pipeline's encoders would cut is an error, never a picture of half a prompt.

A token of these pipelines is a letter. Whether the end of a text was read is seen in the ids that
the encoder which reads most is given.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cobsat import Options, examples
from diffusers.pipelines.flux2.system_messages import SYSTEM_MESSAGE
from drawn_rows import drawn, load, say, spy, words

pytestmark = pytest.mark.usefixtures("one_thread")

CHAT = len("user\n") + len("\nassistant\n") + 3  # two <|im_start|> and an <|im_end|>
INSTRUCTIONS = len(SYSTEM_MESSAGE) + 4  # [INST] and [/INST] around it and around the text
ENDS = 2  # CLIP's start and end; T5's first blank and end
READS_MOST = {
    "stable_diffusion": ("text_encoder", "tokenizer", 77, ENDS),
    "stable_diffusion_3": ("text_encoder_3", "tokenizer_3", 256, ENDS),
    "flux": ("text_encoder_2", "tokenizer_2", 512, ENDS),
    "flux2_klein": ("text_encoder", "tokenizer", 512, CHAT),
    "flux2": ("text_encoder", "tokenizer", 512, INSTRUCTIONS),
}
"""Family → its encoder that reads most, how many tokens it reads, how many are not the text's."""


def sentence(length: int) -> str:
    return "a" * (length - 1) + "z"


@pytest.mark.parametrize("family", READS_MOST)
def test_the_longest_text_that_is_read_whole_is_drawn_and_one_letter_more_is_not(
    family: str, pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    encoder, words_of, limit, others = READS_MOST[family]
    model = load(pipeline_folder(family))
    pipeline = model._pipeline
    tokenizer = getattr(pipeline, words_of)
    given = spy(getattr(pipeline, encoder), "forward")
    steps = spy(getattr(pipeline, "unet", None) or pipeline.transformer, "forward")
    row = words(picture_folder)[0]

    [output] = model.predict([say(row, sentence(limit - others))])
    assert output.status == "ok", output.reason
    args, kwargs = given[0]
    ids = kwargs["input_ids"] if "input_ids" in kwargs else args[0]
    assert "aaz" in tokenizer.decode(ids[0]).replace(" ", "")
    assert len(steps) >= 2

    steps.clear()
    [output] = model.predict([say(row, sentence(limit - others + 1))])
    assert (output.status, output.image) == ("error", None)
    reason = f"too_long: the text has {limit + 1} tokens, the pipeline reads {limit}"
    more = " (--model-option max_sequence_length=… where the pipeline can read more)"
    assert output.reason == reason + ("" if family == "stable_diffusion" else more)
    assert steps == []  # nothing was drawn


def test_an_option_lets_an_encoder_read_more(
    pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    row = say(words(picture_folder)[0], sentence(300))
    folder = pipeline_folder("stable_diffusion_3")
    assert load(folder).predict([row])[0].status == "error"
    assert load(folder, max_sequence_length=512).predict([row])[0].status == "ok"


def test_where_the_long_reading_encoder_was_left_out_the_others_decide(
    pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    model = load(pipeline_folder("stable_diffusion_3"))
    model._pipeline.text_encoder_3 = None
    row = words(picture_folder)[0]
    outputs = model.predict([say(row, sentence(n)) for n in (75, 76)])
    assert [output.status for output in outputs] == ["ok", "error"]
    assert (outputs[1].reason or "").startswith("too_long: the text has 78 tokens, the pipeline re")


def test_qwen_image_reads_its_1024_tokens_where_the_pipeline_would_keep_512(
    pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    model = load(pipeline_folder("qwen_image"))
    given = spy(model._pipeline.transformer, "forward")
    template = len(model._pipeline.tokenizer(model._pipeline.prompt_template_encode)["input_ids"])
    longest = 1024 + 34 - (template - len("{}"))
    row = words(picture_folder)[0]
    outputs = model.predict([say(row, sentence(n)) for n in (longest, longest + 1)])
    assert outputs[0].status == "ok", outputs[0].reason
    assert outputs[1].reason == "too_long: the text has 1,059 tokens, the pipeline reads 1,058"
    assert max(kwargs["encoder_hidden_states"].shape[1] for _, kwargs in given) == 1024


@pytest.mark.parametrize("shots", [2, 4, 8])
def test_captions_of_demonstrations_are_too_long_for_clip(
    shots: int, pipeline_folder: Callable[[str], Path]
) -> None:
    batch = examples(f"texture_ii-{shots}shot", "test", Options(prompt_type="caption"))[:2]
    outputs = load(pipeline_folder("stable_diffusion")).predict(batch)
    assert [output.status for output in outputs] == ["error", "error"]
    assert all((output.reason or "").startswith("too_long: ") for output in outputs)


def test_a_batch_is_drawn_but_for_what_is_too_long(
    pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    batch = words(picture_folder)[:3]
    model = load(pipeline_folder("stable_diffusion"), at_once=3)
    outputs = model.predict([batch[0], say(batch[1], sentence(76)), batch[2]])
    assert [output.status for output in outputs] == ["ok", "error", "ok"]
    alone = load(pipeline_folder("stable_diffusion"))
    assert drawn([outputs[0], outputs[2]]) == drawn(alone.predict([batch[0], batch[2]]))


def test_a_pipeline_that_cuts_nothing_is_not_held_up(
    pipeline_folder: Callable[[str], Path], picture_folder: Path
) -> None:
    model = load(pipeline_folder("omnigen"))
    steps: Any = spy(model._pipeline.transformer, "forward")
    [output] = model.predict([say(words(picture_folder)[0], sentence(1500))])
    assert output.status == "ok"
    assert steps[0][1]["input_ids"].shape[1] > 1500
