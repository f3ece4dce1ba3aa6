"""MiniGPT-4 under test, tiny: batches, seeds, rounds, ends of replies, records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat import Example
from cobsat.models.minigpt4.adapter import MiniGPT4Model
from cobsat.models.minigpt4.prompts import SYSTEM, format_prompt
from cobsat.models.minigpt4.system import MiniGPT4
from cobsat.models.picture_values import picture_values
from cobsat.models.rounds import user_turns
from cobsat.models.seeds import example_seed
from PIL import Image
from talker_asked import assert_thoughts_go_on_from_the_reply, rows, shown, spy, texts

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def model() -> MiniGPT4Model:
    """One tiny model; tests leave it as it is."""
    return MiniGPT4Model(tiny=True)


@pytest.fixture
def asked(model: MiniGPT4Model, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the language model is asked, as it comes: prompts and their pictures."""
    return spy(model, monkeypatch)


def tokens(model: MiniGPT4Model, text: str) -> list[int]:
    ids: list[int] = model._system.words.encode(text, add_special_tokens=False)
    return ids


def ids_of(model: MiniGPT4Model, row: Example, *replies: str, system: str = SYSTEM) -> list[int]:
    turns = user_turns(row["messages"], row["followup"] if replies else None)
    vocabulary = model._system.vocabulary
    prompt = format_prompt(system, turns, replies, vocabulary, lambda text: tokens(model, text))
    return list(prompt.ids)


def test_a_description_is_the_same_in_any_batch(model: MiniGPT4Model, picture_folder: Path) -> None:
    batch = [
        *rows(picture_folder)[:6],
        rows(picture_folder, "texture_ii-4shot")[0],
        rows(picture_folder, prompt_type="caption")[5],
    ]
    outputs = model.predict(batch)
    together = texts(outputs)
    assert len(set(together)) > 2
    assert all(text.isalpha() and len(text) == 5 for text in together)
    assert model.predict([batch[7], batch[0]]) == [outputs[7], outputs[0]]
    assert [model.predict([row])[0] for row in reversed(batch)] == outputs[::-1]
    assert MiniGPT4Model(tiny=True, reuse_gb=0).predict(batch[1:7]) == outputs[1:7]
    assert [output.extra for output in outputs] == [
        {"seed": example_seed(0, row["id"])} for row in batch
    ]
    assert {output.finish_reason for output in outputs} == {"stop"}


def test_the_prompt_is_asked_as_it_is_formatted(
    model: MiniGPT4Model, asked: list[Any], picture_folder: Path
) -> None:
    row = rows(picture_folder)[3]
    output = model.predict([row])[0]
    ids = list(asked[0].prompt.ids)
    assert ids == ids_of(model, row)
    assert output.usage == {"input_tokens": len(ids), "output_tokens": 5}
    system = {"type": "text", "text": "Be brief.", "image": None}
    own: Any = {**row, "messages": [{"role": "system", "content": [system]}, *row["messages"]]}
    model.predict([own])
    assert list(asked[1].prompt.ids) == ids_of(model, row, system="Be brief.")


def test_scores_are_those_of_the_librarys_own_blip2(
    model: MiniGPT4Model, asked: list[Any], picture_folder: Path
) -> None:
    """What our prompt gives, padded, against `Blip2ForConditionalGeneration`, which puts pictures
    where the ids say that one goes."""
    batch = [rows(picture_folder)[0], rows(picture_folder, "color_i-4shot")[0]]
    model.predict(batch)
    whole = model._system.model
    inputs = model._speaker.inputs(asked)
    place = (inputs["attention_mask"].cumsum(dim=1) - 1).clamp(min=0)
    with torch.inference_mode():
        got = whole.language_model(**{**inputs, "input_ids": None}, position_ids=place).logits
    library = MiniGPT4.tiny().model
    library.config.image_token_id = model._system.vocabulary.picture
    for row, one, logits in zip(batch, asked, got, strict=True):
        values = [picture_values(Image.open(image), 32) for image in shown(row)]
        with torch.inference_mode():
            expected = library(
                pixel_values=torch.stack(values), input_ids=torch.tensor([one.prompt.ids])
            ).logits[0]
        torch.testing.assert_close(logits[-len(expected) :], expected, atol=1e-3, rtol=1e-4)
    assert asked[0].pictures[0].shape == (6, 128)
    assert not torch.equal(*asked[0].pictures)


def test_a_reply_is_that_of_a_forward_pass_over_the_whole_row(
    model: MiniGPT4Model, asked: list[Any], picture_folder: Path
) -> None:
    """Greedy generation with a cache, padded, against one pass without either."""
    greedy = MiniGPT4Model(tiny=True, do_sample=False)
    batch = [rows(picture_folder)[0], rows(picture_folder, "color_i-4shot")[0]]
    replies = texts(greedy.predict(batch))
    model.predict(batch)
    language = greedy._system.model.language_model
    table = language.get_input_embeddings()
    end = greedy._system.words.get_vocab()["###"]
    for one, reply in zip(asked, replies, strict=True):
        said = [*tokens(greedy, reply)[1:], end]
        before = model._speaker.inputs([one])["inputs_embeds"][0]
        with torch.inference_mode():
            whole = torch.cat([before, table(torch.tensor(said))])[None]
            logits = language(inputs_embeds=whole).logits[0, len(before) - 1 : -1]
        assert logits.argmax(dim=-1).tolist() == said


def test_what_is_said_depends_on_the_pictures(model: MiniGPT4Model, picture_folder: Path) -> None:
    batch = rows(picture_folder)[:8]
    others = [shown(row) for row in rows(picture_folder, "texture_i-2shot")[:8]]
    changed = []
    for row, pictures in zip(batch, others, strict=True):
        text = json.dumps(row["messages"])
        for before, after in zip(shown(row), pictures, strict=True):
            text = text.replace(json.dumps(before), json.dumps(after))
        changed.append({**row, "messages": json.loads(text)})
    assert [ids_of(model, row) for row in changed] == [ids_of(model, row) for row in batch]
    assert texts(model.predict(batch)) != texts(model.predict(changed))


@pytest.mark.parametrize("policy", ["collage", "last"])
def test_of_several_pictures_one_is_made_where_it_is_wanted(
    policy: str, asked: list[Any], model: MiniGPT4Model, monkeypatch: pytest.MonkeyPatch,
    picture_folder: Path, tmp_path: Path,
) -> None:  # fmt: skip
    row = rows(picture_folder)[0]
    lacks: Any = json.loads(json.dumps({**row, "id": "lacks"}))
    lacks["messages"][-1]["content"][1]["image"] = str(tmp_path / "none.png")
    monkeypatch.setattr(model, "_many_images", policy)
    outputs = model.predict([row, lacks])
    [one] = asked
    parts = row["messages"][-1]["content"]
    assert [part["type"] for part in parts] == ["text", "image", "text", "image", "text"]
    pictures = [Image.open(image).convert("RGB") for image in shown(row)]
    wide = Image.new("RGB", (pictures[0].width * 2, pictures[0].height))
    wide.paste(pictures[0])
    wide.paste(pictures[1], (pictures[0].width, 0))
    [embeddings] = one.pictures
    wanted = wide if policy == "collage" else pictures[1]
    torch.testing.assert_close(embeddings, model._system.see(wanted))
    told: Any = {**row, "messages": [{"role": "user", "content": [parts[0], *parts[2:]]}]}
    assert list(one.prompt.ids) == ids_of(model, told)
    assert outputs[0].status == "ok"
    assert (outputs[1].status, (outputs[1].reason or "")[:9]) == ("error", "picture: ")


def test_a_reply_is_drawn_by_seed_and_id_or_is_greedy(picture_folder: Path) -> None:
    row = rows(picture_folder)[0]
    others: list[Any] = [{**row, "id": f"{row['id']}-{number}"} for number in range(8)]
    free = texts(MiniGPT4Model(tiny=True, top_p=1.0, temperature=3.0).predict(others))
    assert len(set(free)) > 3
    assert texts(MiniGPT4Model(tiny=True, top_p=1.0, temperature=3.0, seed=1).predict(others)) != (
        free
    )
    greedy = MiniGPT4Model(tiny=True, do_sample=False)
    outputs = greedy.predict(others)
    assert len(set(texts(outputs))) == 1
    assert {json.dumps(output.extra) for output in outputs} == {"{}"}
    assert greedy.capabilities.repeats == MiniGPT4Model.repeats_with({"do_sample": False}) != ""
    assert MiniGPT4Model.repeats_with({}) == ""


def test_a_chain_of_thought_follows_the_reply(
    model: MiniGPT4Model, asked: list[Any], picture_folder: Path
) -> None:
    assert_thoughts_go_on_from_the_reply(model, asked, picture_folder, ids_of, 5)


def says(model: MiniGPT4Model, *names: str) -> None:
    """Have a model say these tokens after any prompt, the last of them for ever."""
    language, words = model._system.model.language_model, model._system.words
    known = words.get_vocab()
    with torch.no_grad():
        language.model.embed_tokens.weight[:] = 0
        language.lm_head.weight[:] = 0
        for layer in language.model.layers:
            layer.self_attn.o_proj.weight[:] = 0
            layer.mlp.down_proj.weight[:] = 0
        language.model.embed_tokens.weight[:, 0] = 1  # what a prompt ends with
        language.lm_head.weight[known[names[0]], 0] = 1
        for place, name in enumerate(names, start=1):
            language.model.embed_tokens.weight[known[name]] = 0
            language.model.embed_tokens.weight[known[name], place] = 1
            language.lm_head.weight[known[names[min(place, len(names) - 1)]], place] = 1


@pytest.mark.parametrize(
    ("said", "text", "why"),
    [
        (("a", "b", "###"), "ab", "stop"),
        (("a", "</s>"), "a", "stop"),
        (("a", "#"), "a", "stop"),  # the third one makes it whole
        (("a", "#", "b"), "a#bbbbb", "length"),  # where neither comes, it is cut
    ],
)
def test_a_reply_ends_at_the_sign_or_at_the_end_of_a_text(
    said: tuple[str, ...], text: str, why: str, picture_folder: Path
) -> None:
    model = MiniGPT4Model(tiny=True, max_new_tokens=7, do_sample=False)
    says(model, *said)
    (output,) = model.predict(rows(picture_folder)[:1])
    assert (output.status, output.text, output.finish_reason) == ("ok", text, why)
    tokens = len(text) if why == "stop" else 7
    assert (output.usage or {})["output_tokens"] == tokens


@pytest.mark.parametrize("end", ["###", "</s>"])
def test_nothing_is_no_answer(end: str, picture_folder: Path) -> None:
    model = MiniGPT4Model(tiny=True)
    says(model, end)
    (output,) = model.predict(rows(picture_folder)[:1])
    assert (output.status, output.finish_reason) == ("error", "stop")
    assert output.reason == "empty: the model answered nothing (0 tokens)"
    (thought,) = model.predict(rows(picture_folder, prompt_type="cot")[:1])
    assert thought.reason == "empty: first round: the model answered nothing (0 tokens)"
    assert (thought.usage or {})["output_tokens"] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"checkpoint": "a/b"}, "checkpoint must be a folder that cobsat convert minigpt4 made"),
        ({"tiny": True, "system": 3}, "system must be a text without control tokens, got 3"),
        ({"tiny": True, "system": "</s>"}, "system must be a text without control tokens"),
        ({"tiny": True, "many_images": "both"}, "many_images must be one of error, collage, last"),
        ({"tiny": True, "reuse_gb": -1}, "reuse_gb must be a number of 0 or more, got -1"),
    ],
)
def test_options_that_cannot_be_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        MiniGPT4Model(**options)


def test_the_record_says_how_it_is_asked(model: MiniGPT4Model) -> None:
    record = model.record()
    assert record.pop("versions")["device"] == "cpu"
    assert record == {
        "checkpoint": None,
        "tiny": True,
        "dtype": "float32",
        "system": "Give the following image: <Img>ImageContent</Img>. You will be able to see the "
        "image once I provide it to you. Please answer my questions.",
        "many_images": "error",
        "picture_size": 32,
        "context": 2048,
        "decoding": {
            "max_new_tokens": 300, "do_sample": True, "temperature": 1.0, "top_p": 0.9, "seed": 0,
        },
    }  # fmt: skip
    assert model.capabilities.outputs == {"description"}
    assert model.capabilities.max_images is None
