"""Qwen-VL-Chat under test, tiny: batches, seeds, rounds, records, conversion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat import Example
from cobsat.cli import main
from cobsat.models.conversion import converted_digest, read_state
from cobsat.models.qwen_vl_chat.adapter import QwenVLChatModel
from cobsat.models.qwen_vl_chat.convert import language_model_from
from cobsat.models.qwen_vl_chat.language_model import ntk_alpha
from cobsat.models.qwen_vl_chat.prompts import COBSAT_SYSTEM, format_prompt
from cobsat.models.qwen_vl_chat.system import QwenVLChat
from cobsat.models.rounds import user_turns
from cobsat.models.seeds import example_seed
from cobsat.models.vlm_generation import Decoding
from PIL import Image
from qwen_vl_checkpoints import SMALL, save_published
from talker_asked import assert_thoughts_go_on_from_the_reply, rows, spy, texts
from transformers import Qwen2Config, Qwen2ForCausalLM

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def model() -> QwenVLChatModel:
    """One tiny model; tests leave it as it is."""
    return QwenVLChatModel(tiny=True)


@pytest.fixture
def asked(model: QwenVLChatModel, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the language model is asked, as it comes: prompts and their pictures."""
    return spy(model, monkeypatch)


def ids_of(model: QwenVLChatModel, row: Example, *replies: str, system: str = "") -> list[int]:
    turns = user_turns(row["messages"], row["followup"] if replies else None)
    words = model._system.vocabulary
    prompt = format_prompt(system or COBSAT_SYSTEM, turns, replies, words, model._tokens)
    return list(prompt.ids)


def test_a_description_is_the_same_in_any_batch(
    model: QwenVLChatModel, picture_folder: Path
) -> None:
    batch = [
        *rows(picture_folder)[:2],
        rows(picture_folder, "texture_ii-4shot")[0],
        rows(picture_folder, prompt_type="caption")[5],
    ]
    outputs = model.predict(batch)
    together = texts(outputs)
    assert len(set(together)) > 2
    assert all(text.isalpha() and len(text) == 5 for text in together)
    assert model.predict([batch[2], batch[0]]) == [outputs[2], outputs[0]]
    assert [model.predict([row])[0] for row in reversed(batch)] == outputs[::-1]
    assert QwenVLChatModel(tiny=True, reuse_gb=0).predict(batch[1:3]) == outputs[1:3]
    assert [output.extra for output in outputs] == [
        {"seed": example_seed(0, row["id"])} for row in batch
    ]
    assert {output.finish_reason for output in outputs} == {"stop"}


def test_the_prompt_is_asked_as_it_is_formatted(
    model: QwenVLChatModel, asked: list[Any], picture_folder: Path
) -> None:
    row = rows(picture_folder)[3]
    output = model.predict([row])[0]
    ids = list(asked[0].prompt.ids)
    assert ids == ids_of(model, row)
    assert output.usage == {"input_tokens": len(ids), "output_tokens": 5}
    assert len(ids) > model._system.language_model.config.seq_length  # NTK and log-n act
    system = {"type": "text", "text": "Be brief.", "image": None}
    own: Any = {**row, "messages": [{"role": "system", "content": [system]}, *row["messages"]]}
    model.predict([own])
    assert list(asked[1].prompt.ids) == ids_of(model, row, system="Be brief.")


def test_pictures_take_their_places(
    model: QwenVLChatModel, asked: list[Any], picture_folder: Path
) -> None:
    row = rows(picture_folder)[0]
    shown = [part["image"] for part in row["messages"][-1]["content"] if part["image"]]
    longer = rows(picture_folder, "color_i-4shot")[0]
    model.predict([row, longer])
    pictures = [model._system.see(Image.open(image)) for image in shown]
    assert not torch.equal(*pictures)
    inputs = model._speaker.inputs(asked)
    start = len(asked[1].prompt.ids) - len(asked[0].prompt.ids)
    assert inputs["attention_mask"].sum(dim=1).tolist() == [len(one.prompt.ids) for one in asked]
    assert inputs["attention_mask"][0, start - 1 : start + 1].tolist() == [0, 1]
    ids, embeddings = inputs["input_ids"][0, start:], inputs["inputs_embeds"][0, start:]
    count = model._system.vocabulary.count
    for slot, picture in zip(asked[0].prompt.slots, pictures, strict=True):
        assert torch.equal(embeddings[slot : slot + count], picture)
    words = ids != model._system.vocabulary.picture
    assert int((~words).sum()) == 2 * count
    table = model._system.language_model.get_input_embeddings().weight
    assert torch.equal(embeddings[words], table[ids[words]])


def test_a_reply_is_that_of_a_forward_pass_over_the_whole_row(
    model: QwenVLChatModel, asked: list[Any], picture_folder: Path
) -> None:
    """Greedy generation with a cache, padded, against one pass without either."""
    greedy = QwenVLChatModel(tiny=True, do_sample=False)
    batch = [rows(picture_folder)[0], rows(picture_folder, "color_i-4shot")[0]]
    replies = texts(greedy.predict(batch))
    model.predict(batch)
    for one, reply in zip(asked, replies, strict=True):
        system, vocabulary = greedy._system, greedy._system.vocabulary
        said = [*greedy._tokens(reply), vocabulary.turn_end]
        table = system.language_model.get_input_embeddings()
        with torch.inference_mode():
            before = system.embedded(one.prompt, one.pictures)
            whole = torch.cat([before, table(torch.tensor(said))])[None]
            logits = system.language_model(inputs_embeds=whole).logits[0, len(before) - 1 : -1]
        # Of one base: a longer prompt's would be another.
        assert ntk_alpha(len(before), 256) == ntk_alpha(whole.shape[1], 256) > 1
        assert logits.argmax(dim=-1).tolist() == said


def test_a_reply_is_drawn_by_seed_and_id_or_is_greedy(picture_folder: Path) -> None:
    row = rows(picture_folder)[0]
    others: list[Any] = [{**row, "id": f"{row['id']}-{number}"} for number in range(6)]
    free = texts(QwenVLChatModel(tiny=True, top_p=1.0).predict(others))
    assert len(set(free)) > 3
    assert texts(QwenVLChatModel(tiny=True, top_p=1.0, seed=1).predict(others)) != free
    greedy = QwenVLChatModel(tiny=True, do_sample=False)
    outputs = greedy.predict(others)
    assert len(set(texts(outputs))) == 1
    assert {json.dumps(output.extra) for output in outputs} == {"{}"}
    assert greedy.capabilities.repeats == QwenVLChatModel.repeats_with({"do_sample": False}) != ""
    assert QwenVLChatModel.repeats_with({}) == ""


def test_a_chain_of_thought_follows_the_reply(
    model: QwenVLChatModel, asked: list[Any], picture_folder: Path
) -> None:
    assert_thoughts_go_on_from_the_reply(model, asked, picture_folder, ids_of, 5)


def test_a_reply_that_is_cut_says_so(picture_folder: Path) -> None:
    output = QwenVLChatModel(tiny=True, max_new_tokens=3).predict(rows(picture_folder)[:1])[0]
    assert (output.status, len(output.text or ""), output.finish_reason) == ("ok", 3, "length")


@pytest.mark.parametrize("end", ["<|im_end|>", "<|im_start|>", "<|endoftext|>"])
def test_each_end_ends_a_reply_and_nothing_is_no_answer(end: str, picture_folder: Path) -> None:
    model = QwenVLChatModel(tiny=True)
    number = model._tokens(end)[0]
    with torch.no_grad():  # whatever is said, this follows
        model._system.language_model.lm_head.weight[:] = 0
        model._system.language_model.model.norm.weight[:] = 0
        model._system.language_model.lm_head.bias = torch.nn.Parameter(
            torch.zeros(len(model._system.words)).index_fill(0, torch.tensor([number]), 100.0)
        )
    output = model.predict(rows(picture_folder)[:1])[0]
    assert (output.status, output.finish_reason) == ("error", "stop")
    assert output.reason == "empty: the model answered nothing (0 tokens)"
    thought = model.predict(rows(picture_folder, prompt_type="cot")[:1])[0]
    assert thought.reason == "empty: first round: the model answered nothing (0 tokens)"


def test_boxes_are_part_of_a_reply(model: QwenVLChatModel) -> None:
    text = " <ref>the dog</ref><box>(10,20),(30,40)</box>"
    said = model._speaker._said(model._tokens(text), True, 7)
    assert said.text == text.strip()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"checkpoint": "a/b"},
            "checkpoint must be a folder that cobsat convert qwen_vl_chat made, got 'a/b'",
        ),
        ({"tiny": True, "system": 3}, "system must be a text without control tokens, got 3"),
        ({"tiny": True, "system": "<|im_end|>"}, "system must be a text without control tokens"),
        ({"tiny": True, "reuse_gb": -1}, "reuse_gb must be a number of 0 or more, got -1"),
    ],
)
def test_options_that_cannot_be_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        QwenVLChatModel(**options)


def test_the_record_says_how_it_is_asked(model: QwenVLChatModel) -> None:
    record = model.record()
    assert record.pop("versions")["device"] == "cpu"
    assert record == {
        "checkpoint": None,
        "tiny": True,
        "dtype": "float32",
        "system": "You are a professional assistant and always answer my question directly and "
        "perfectly without any excuses. If I ask you to predict, you should always give me the "
        "prediction with the highest probability or even random guess.",
        "picture_size": 28,
        "seq_length": 256,
        "context": 4096,
        "decoding": {
            "max_new_tokens": 512, "do_sample": True, "temperature": 1.0, "top_p": 0.3, "seed": 0,
        },
    }  # fmt: skip
    assert model._decoding == Decoding(512, True, 1.0, 0.3, 0)
    assert model.capabilities.outputs == {"description"}
    assert model.capabilities.max_images is None


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_published(tmp_path_factory.mktemp("published") / "Qwen-VL-Chat", *SMALL)


@pytest.fixture(scope="module")
def converted(published: Path) -> Path:
    out = published.with_name("converted")
    assert main(["convert", "qwen_vl_chat", str(published), "--out", str(out)]) == 0
    return out


def test_a_converted_checkpoint_is_the_published_one(published: Path, converted: Path) -> None:
    state = read_state(published)
    system = QwenVLChat.from_pretrained(str(converted), device="cpu")
    model, vision = system.language_model, system.vision
    assert torch.equal(model.lm_head.weight, state["lm_head.weight"])
    values = model.model.layers[1].self_attn.v_proj.weight
    assert torch.equal(values, state["transformer.h.1.attn.c_attn.weight"][256:])
    up = model.model.layers[0].mlp.up_proj.weight
    assert torch.equal(up, state["transformer.h.0.mlp.w1.weight"])
    assert torch.equal(vision.projection.weight.T, state["transformer.visual.proj"])
    assert vision.sizes == SMALL[1]
    config = model.config
    assert (config.seq_length, config.max_position_embeddings) == (64, 2048)
    assert config.rope_parameters["rope_theta"] == 10000
    ids = torch.arange(100)[None]  # longer than in training: NTK and log-n act
    made_here = language_model_from(config, model.state_dict())
    plain = Qwen2ForCausalLM(Qwen2Config(**config.to_dict())).eval()
    plain.load_state_dict(model.state_dict())
    with torch.inference_mode():
        expected, got, other = (each(ids).logits for each in (made_here, model, plain))
    assert torch.equal(got, expected)
    assert (got - other)[:, 64:].abs().amax(dim=(0, 2)).min() > 1e-3
    record = json.loads((converted / "conversion.json").read_text("utf-8"))
    assert record["system"] == "qwen_vl_chat"
    assert "Qwen-VL-Chat/qwen.tiktoken" in {entry["name"] for entry in record["sources"]}
    names = {entry["name"] for entry in record["files"]}
    assert {"vision/model.safetensors", "language_model/tokenizer.json"} <= names


def test_a_converted_checkpoint_describes(converted: Path, picture_folder: Path) -> None:
    options: dict[str, Any] = {"device": "cpu", "max_new_tokens": 8}
    model = QwenVLChatModel(str(converted), **options)
    batch = [
        *rows(picture_folder, instructions_for="qwen_vl")[:1],
        *rows(picture_folder)[:2],
    ]
    outputs = model.predict(batch)
    assert all((output.usage or {})["output_tokens"] for output in outputs)
    assert model.predict(batch[2:]) == outputs[2:]
    assert model.record()["context"] == 2048
    assert model.record()["weights_sha256"] == converted_digest(converted)
    assert model.name == str(converted)
    half = QwenVLChat.from_pretrained(str(converted), dtype="bfloat16", device="cpu")
    assert half.language_model.dtype == half.vision.places.dtype == torch.bfloat16
    assert half.see(Image.new("RGB", (9, 9))).dtype == torch.bfloat16


def test_a_checkpoint_without_a_part_is_refused(converted: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="cobsat convert qwen_vl_chat Qwen-VL-Chat --out"):
        QwenVLChat.from_pretrained(str(converted / "vision"))
    with pytest.raises(ValueError, match="device must be auto with a device_map, got 'cpu'"):
        QwenVLChat.from_pretrained(str(converted), device="cpu", device_map="auto")


@pytest.mark.parametrize("lacks", ["config.json", "qwen.tiktoken", "pytorch_model-00002"])
def test_a_published_folder_that_lacks_something_is_refused(
    lacks: str, published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "Qwen-VL-Chat"
    folder.mkdir()
    for file in published.iterdir():
        if not file.name.startswith(lacks):
            (folder / file.name).symlink_to(file)
    assert main(["convert", "qwen_vl_chat", str(folder), "--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    if lacks.startswith("pytorch"):
        assert "must have 'transformer.wte.weight' in its tensors or its config" in told
    else:
        assert "must be one folder with config.json, qwen.tiktoken and the weights" in told
    assert not (tmp_path / "out").exists()
