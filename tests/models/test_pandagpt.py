"""PandaGPT under test, tiny: batches, seeds, rounds, what stands for pictures, records.

What every port has in common is in `test_ports.py`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat import Example
from cobsat.models.pandagpt.adapter import PandaGPTModel
from cobsat.models.pandagpt.prompts import format_prompt
from cobsat.models.rounds import user_turns
from cobsat.models.seeds import example_seed
from cobsat.models.spliced import spliced
from cobsat.models.vlm_pictures import collage
from PIL import Image
from talker_asked import assert_thoughts_go_on_from_the_reply, rows, shown, spy, texts

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def model() -> PandaGPTModel:
    """One tiny model; tests leave it as it is."""
    return PandaGPTModel(tiny=True)


@pytest.fixture
def asked(model: PandaGPTModel, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the language model is asked, as it comes: prompts and what they show."""
    return spy(model, monkeypatch)


def with_pictures(row: Example, pictures: list[Any]) -> Any:
    left = iter(pictures)
    content = [
        {**part, "image": next(left)} if part["image"] is not None else part
        for part in row["messages"][-1]["content"]
    ]
    return {**row, "messages": [{"role": "user", "content": content}]}


def ids_of(model: PandaGPTModel, row: Example, *replies: str) -> list[int]:
    turns = user_turns(row["messages"], row["followup"] if replies else None)
    return list(format_prompt(turns, replies, model._system.vocabulary, model._tokens).ids)


def test_a_description_is_the_same_in_any_batch(model: PandaGPTModel, picture_folder: Path) -> None:
    batch = [
        *rows(picture_folder)[:2],
        rows(picture_folder, "texture_ii-4shot")[0],
        rows(picture_folder, prompt_type="caption")[5],
    ]
    outputs = model.predict(batch)
    together = texts(outputs)
    assert len(set(together)) > 2
    # Five letters, then a new line and ###, which are no part of it.
    assert all(text.isalpha() and len(text) == 5 for text in together)
    assert {(output.usage or {})["output_tokens"] for output in outputs} == {6}
    assert model.predict([batch[2], batch[0]]) == [outputs[2], outputs[0]]
    assert [model.predict([row])[0] for row in reversed(batch)] == outputs[::-1]
    assert PandaGPTModel(tiny=True, reuse_gb=0).predict(batch[1:3]) == outputs[1:3]
    assert [output.extra for output in outputs] == [
        {"seed": example_seed(0, row["id"])} for row in batch
    ]
    assert {output.finish_reason for output in outputs} == {"stop"}


def test_the_prompt_is_asked_as_it_is_formatted(
    model: PandaGPTModel, asked: list[Any], picture_folder: Path
) -> None:
    row = rows(picture_folder)[3]
    output = model.predict([row])[0]
    assert list(asked[0].prompt.ids) == ids_of(model, row)
    assert (output.usage or {})["input_tokens"] == len(asked[0].prompt.ids)


def test_several_pictures_are_shown_as_their_sum(
    model: PandaGPTModel, asked: list[Any], picture_folder: Path
) -> None:
    row = rows(picture_folder)[0]
    longer = rows(picture_folder, "color_i-4shot")[0]
    words_alone = rows(picture_folder, prompt_type="caption")[0]
    model.predict([row, longer, words_alone])
    for one, example in zip(asked, (row, longer), strict=False):
        each = [model._system.see(Image.open(image)) for image in shown(example)]
        assert [tensor.tolist() for tensor in one.pictures] == [sum(each[1:], each[0]).tolist()]
    assert asked[2].pictures == []
    inputs = model._speaker.inputs(asked)
    lengths = [len(one.prompt.ids) for one in asked]
    assert inputs["attention_mask"].sum(dim=1).tolist() == lengths
    start = max(lengths) - lengths[0]
    place = start + asked[0].prompt.slots[0]
    assert torch.equal(inputs["inputs_embeds"][0, place], asked[0].pictures[0][0])
    table = model._system.language_model.get_input_embeddings().weight
    ids = inputs["input_ids"][0, start:]
    rest = [n for n in range(lengths[0]) if n != asked[0].prompt.slots[0]]
    assert torch.equal(inputs["inputs_embeds"][0, start:][rest], table[ids[rest]])


def test_what_is_shown_changes_what_is_said(model: PandaGPTModel, picture_folder: Path) -> None:
    row = rows(picture_folder)[0]
    given = [Image.new("RGB", (9, 9), color) for color in ("red", "blue", "white", "black")]
    said = [model.predict([with_pictures(row, [one, one])])[0] for one in given]
    assert len(set(texts(said))) > 1


@pytest.mark.parametrize("policy", ["collage", "last"])
def test_pictures_may_be_joined_instead_or_the_last_be_shown(
    policy: str, picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = rows(picture_folder)[0]
    model = PandaGPTModel(tiny=True, many_images=policy)
    given = spy(model, monkeypatch)
    texts(model.predict([row]))
    pictures = [Image.open(image).convert("RGB") for image in shown(row)]
    single = collage(pictures) if policy == "collage" else pictures[-1]
    assert [each.tolist() for each in given[0].pictures] == [model._system.see(single).tolist()]
    assert model.record()["many_images"] == policy


def test_a_reply_is_that_of_a_forward_pass_over_the_whole_row(
    model: PandaGPTModel, asked: list[Any], picture_folder: Path
) -> None:
    """Generation with a cache, padded, against one pass without either: top-p leaves one token."""
    batch = [rows(picture_folder)[0], rows(picture_folder, "color_i-4shot")[0]]
    replies = texts(model.predict(batch))
    system = model._system
    end = system.words.convert_tokens_to_ids(["<0x0A>", "##", "#"])
    for one, reply in zip(asked, replies, strict=True):
        said = [*system.words.convert_tokens_to_ids([*reply]), *end]
        table = system.language_model.get_input_embeddings()
        with torch.inference_mode():
            before = spliced(table, one.prompt, one.pictures)
            whole = torch.cat([before, table(torch.tensor(said))])[None]
            logits = system.language_model(inputs_embeds=whole).logits[0, len(before) - 1 : -1]
        assert logits.argmax(dim=-1).tolist() == said


def test_a_reply_is_drawn_by_seed_and_id_or_is_all_but_greedy(picture_folder: Path) -> None:
    row = rows(picture_folder)[0]
    others: list[Any] = [{**row, "id": f"{row['id']}-{number}"} for number in range(6)]
    hot: dict[str, Any] = {"tiny": True, "top_p": 1.0, "temperature": 2.0}
    free = texts(PandaGPTModel(**hot).predict(others))
    assert len(set(free)) > 3
    assert texts(PandaGPTModel(**hot, seed=1).predict(others)) != free
    greedy = PandaGPTModel(tiny=True, do_sample=False)
    outputs = greedy.predict(others)
    assert texts(outputs) == texts(PandaGPTModel(tiny=True).predict(others))
    assert len(set(texts(outputs))) == 1
    assert {json.dumps(output.extra) for output in outputs} == {"{}"}
    for options, word in (
        ({}, "all but greedy at top_p=0.01: --model-option top_p=0.9"),
        ({"do_sample": False}, "greedy: --model-option do_sample=true"),
        ({"top_p": 0.9}, ""),
    ):
        repeats = PandaGPTModel.repeats_with(options)
        assert PandaGPTModel(tiny=True, **options).capabilities.repeats == repeats
        assert word in repeats
        assert bool(word) == bool(repeats)


def test_a_chain_of_thought_follows_the_reply(
    model: PandaGPTModel, asked: list[Any], picture_folder: Path
) -> None:
    assert_thoughts_go_on_from_the_reply(model, asked, picture_folder, ids_of, 6)


def test_a_reply_that_is_cut_says_so(picture_folder: Path) -> None:
    output = PandaGPTModel(tiny=True, max_new_tokens=3).predict(rows(picture_folder)[:1])[0]
    assert (output.status, len(output.text or ""), output.finish_reason) == ("ok", 3, "length")


@pytest.mark.parametrize("end", ["</s>", "##"])
def test_nothing_is_no_answer(end: str, picture_folder: Path) -> None:
    model = PandaGPTModel(tiny=True, max_new_tokens=4)
    number = model._system.words.convert_tokens_to_ids(end)
    with torch.no_grad():  # whatever is said, this follows
        model._system.language_model.lm_head.weight[:] = 0
        model._system.language_model.lm_head.bias = torch.nn.Parameter(
            torch.zeros(len(model._system.words)).index_fill(0, torch.tensor([number]), 100.0)
        )
    output = model.predict(rows(picture_folder)[:1])[0]
    assert (output.status, output.finish_reason) == ("error", "stop")
    assert output.reason == "empty: the model answered nothing (0 tokens)"
    thought = model.predict(rows(picture_folder, prompt_type="cot")[:1])[0]
    assert thought.reason == "empty: first round: the model answered nothing (0 tokens)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"checkpoint": "a/b"}, "a folder that cobsat convert pandagpt made, got 'a/b'"),
        ({"tiny": True, "many_images": "error"}, "many_images must be one of sum, collage, last"),
        ({"tiny": True, "reuse_gb": -1}, "reuse_gb must be a number of 0 or more, got -1"),
    ],
)
def test_options_that_cannot_be_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        PandaGPTModel(**options)


def test_the_record_says_how_it_is_asked(model: PandaGPTModel) -> None:
    record = model.record()
    assert record.pop("versions")["device"] == "cpu"
    assert record == {
        "checkpoint": None,
        "tiny": True,
        "dtype": "float32",
        "picture_size": 32,
        "many_images": "sum",
        "pictures_stand": "as one embedding before the text",
        "context": 2048,
        "decoding": {
            "max_new_tokens": 256, "do_sample": True, "temperature": 1.0, "top_p": 0.01, "seed": 0,
        },
        "stop": "###",
    }  # fmt: skip
    assert model.capabilities.outputs == {"description"}
    assert model.capabilities.max_images is None


def test_what_neighbours_make_of_a_row_after_its_end_is_nothing(picture_folder: Path) -> None:
    """A batch goes on until its longest row ends, and gives the others a pad: here, no number."""
    model = PandaGPTModel(tiny=True, temperature=8.0, top_p=1.0, max_new_tokens=40)
    row = rows(picture_folder)[0]
    batch: list[Any] = [{**row, "id": f"{row['id']}-{number}"} for number in range(6)]
    expected = model.predict(batch)
    assert len({(output.usage or {})["output_tokens"] for output in expected}) > 1
    with torch.no_grad():
        pad = model._system.language_model.generation_config.pad_token_id
        model._system.language_model.get_input_embeddings().weight[pad] = torch.nan
    assert model.predict(batch) == expected
