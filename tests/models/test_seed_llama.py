"""SEED-LLaMA under test, tiny: batches, seeds, rounds, what is no picture, records, LoRA."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat import Example
from cobsat.models.seed_llama.adapter import SeedLLaMA
from cobsat.models.seed_llama.prompts import format_prompt, user_turns
from cobsat.models.seed_llama.system import SeedLlama, Unclip
from cobsat.models.seeds import example_seed
from cobsat.models.vlm_generation import Decoding
from ports import drawn, extras, rows

pytestmark = pytest.mark.usefixtures("one_thread")

FAST = {"tiny": True, "steps": 2}
FAST_ARGUMENTS = ["--tiny", "--model-option", "steps=2"]


@pytest.fixture(scope="module")
def model() -> SeedLLaMA:
    """One tiny model; tests leave it as it is."""
    return SeedLLaMA(**FAST)


@pytest.fixture
def asked(model: SeedLLaMA, monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """The ids of each prompt that the language model is asked, as they come."""
    given: list[list[int]] = []
    own = model._speaker.free

    def free(prompts: Any) -> Any:
        given.extend(prompt.ids for prompt in prompts)
        return own(prompts)

    monkeypatch.setattr(model._speaker, "free", free)
    return given


@pytest.fixture
def calls(model: SeedLLaMA, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the decoder is called with."""
    given: list[dict[str, Any]] = []
    own = model._system.decoder

    class Spy:
        def __call__(self, **arguments: Any) -> Any:
            given.append(arguments)
            return own(**arguments)

        def __getattr__(self, name: str) -> Any:
            return getattr(own, name)

    monkeypatch.setattr(model, "_system", replace(model._system, decoder=Spy()))
    return given


def codes_of(model: SeedLLaMA, row: Example) -> list[tuple[int, ...]]:
    parts = row["messages"][-1]["content"]
    opened = [model._opened.open(p["image"]) for p in parts if p["image"] is not None]
    return [model._system.codes(picture) for picture in opened]


def test_a_picture_is_the_same_in_any_batch(model: SeedLLaMA, picture_folder: Path) -> None:
    batch = [
        *rows(picture_folder)[:2],
        rows(picture_folder, "texture_ii-4shot")[0],
        rows(picture_folder, prompt_type="caption")[5],
    ]
    outputs = model.predict(batch)
    together = drawn(outputs)
    assert len(set(together)) == len(batch)
    alone = [model.predict([row])[0] for row in reversed(batch)]
    assert drawn(alone) == together[::-1]
    assert [replace(o, image=None) for o in alone[::-1]] == [
        replace(o, image=None) for o in outputs
    ]
    again = SeedLLaMA(**FAST)
    assert drawn(again.predict(batch[1:3])) == together[1:3]
    assert [extra["seed"] for extra in extras(outputs)] == [
        example_seed(0, row["id"]) for row in batch
    ]


def test_the_prompt_holds_the_codes_of_its_pictures(
    model: SeedLLaMA, asked: list[list[int]], picture_folder: Path
) -> None:
    row = rows(picture_folder)[3]
    output = model.predict([row])[0]
    words = model._system.vocabulary
    prompt = format_prompt(user_turns(row["messages"], None), [], words, model._tokens)
    codes = codes_of(model, row)
    assert asked == [prompt.filled(codes, words)]
    assert codes[0] != codes[1]
    assert (output.usage or {})["input_tokens"] == len(asked[0])
    assert (output.usage or {})["output_tokens"] == 5 + 34


def test_a_reply_is_drawn_by_seed_and_id_or_is_greedy(picture_folder: Path) -> None:
    row = rows(picture_folder)[0]
    others: list[Any] = [{**row, "id": f"{row['id']}-{number}"} for number in range(4)]
    free = extras(SeedLLaMA(**FAST, top_p=1.0).predict(others))
    assert len({tuple(extra["codes"]) for extra in free}) == 4
    seeded = extras(SeedLLaMA(**FAST, top_p=1.0, seed=1).predict(others[:1]))
    assert seeded[0]["codes"] != free[0]["codes"]
    greedy = SeedLLaMA(**FAST, do_sample=False)
    assert len({tuple(extra["codes"]) for extra in extras(greedy.predict(others))}) == 1
    assert "seed" not in extras(greedy.predict(others[:1]))[0]
    assert greedy.capabilities.repeats == SeedLLaMA.repeats_with({"do_sample": False}) != ""
    assert SeedLLaMA.repeats_with({}) == ""


def test_the_decoder_is_asked_as_published(
    model: SeedLLaMA, calls: list[dict[str, Any]], picture_folder: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(model, "_drawing", Unclip())
    batch = rows(picture_folder)[:2]
    extra = extras(model.predict(batch))
    system = model._system
    for call, each, row in zip(calls, extra, batch, strict=True):
        embedding = system.image_tokenizer.embed(torch.tensor([each["codes"]]))
        assert torch.equal(call.pop("image_embeds"), embedding)
        noise = call.pop("generator")
        assert noise.initial_seed() == example_seed(0, row["id"])
        assert call.pop("latents").shape == (1, 4, 4, 4)
        assert call == {
            "prompt": "", "num_inference_steps": 20, "guidance_scale": 10.0, "noise_level": 0,
            "output_type": "pt",
        }  # fmt: skip
    assert len(calls) == 2


def test_every_picture_begins_with_the_same_noise(model: SeedLLaMA) -> None:
    latents = [model._system._latents(seed) for seed in (0, 0, 1)]
    assert torch.equal(latents[0], latents[1])
    assert not torch.equal(latents[0], latents[2])
    torch.manual_seed(0)
    assert torch.equal(latents[0], torch.randn(1, 4, 4, 4))


def test_a_picture_is_the_stock_pipelines(model: SeedLLaMA, picture_folder: Path) -> None:
    output = model.predict(rows(picture_folder)[:1])[0]
    system, extra = model._system, output.extra or {}
    torch.manual_seed(0)
    expected = system.decoder(
        image_embeds=system.image_tokenizer.embed(torch.tensor([extra["codes"]])),
        num_inference_steps=2,
        latents=torch.randn(1, 4, 4, 4),
        generator=torch.Generator().manual_seed(extra["seed"]),
    ).images[0]
    assert drawn([output]) == [expected.tobytes()]
    assert output.image.size == (32, 32)  # type: ignore[union-attr]


def test_settings_of_drawing_matter(model: SeedLLaMA) -> None:
    changes: list[dict[str, Any]] = [
        {}, {"steps": 3}, {"guidance": 2}, {"guidance": 1}, {"noise_level": 500},
        {"latents_seed": 1},
    ]  # fmt: skip
    settings = [replace(Unclip(steps=2), **change) for change in changes]
    pictures = [model._system.draw(range(32), 0, one) for one in settings]
    assert len({one.image.tobytes() for one in pictures if one and one.image}) == len(changes)
    options = {name: value for change in changes for name, value in change.items()}
    assert SeedLLaMA(tiny=True, **options)._drawing == Unclip(**options)


def test_descriptions_are_the_text_around_pictures(model: SeedLLaMA, picture_folder: Path) -> None:
    batch = rows(picture_folder, output="description", instructions_for="seed_llama")[:3]
    outputs = model.predict(batch)
    assert [output.status for output in outputs] == ["ok"] * 3
    assert all(
        output.text and output.text.isalpha() and len(output.text) == 5 for output in outputs
    )
    assert all(output.image is None for output in outputs)
    assert extras(outputs) == [{"seed": example_seed(0, row["id"]), "pictures": 1} for row in batch]
    answered = [{**row, "output": "answer"} for row in batch]
    assert [o.text for o in model.predict(answered)] == [o.text for o in outputs]
    assert model.instructions_for == {"image": "seed_llama", "description": "seed_llama"}


def test_a_chain_of_thought_goes_on_from_the_reply_itself(
    model: SeedLLaMA, asked: list[list[int]], picture_folder: Path
) -> None:
    batch = rows(picture_folder, prompt_type="cot")[:2]
    outputs = model.predict(batch)
    together = drawn(outputs)
    assert len(asked) == 4
    words = model._system.vocabulary
    for row, first, second, output in zip(batch, asked[:2], asked[2:], outputs, strict=True):
        assert second[: len(first)] == first
        reply = second[len(first) : second.index(words.end)]
        assert [token == words.picture_begin for token in reply] == [False] * 5 + [True] + [
            False
        ] * 33
        turns = user_turns(row["messages"], row["followup"])
        prompt = format_prompt(turns, [reply], words, model._tokens)
        assert second == prompt.filled(codes_of(model, row), words)
        extra = output.extra or {}
        said = model._system.words.decode(reply[:5])
        assert extra["first_round"] == {"text": said, "pictures": 1, "finish_reason": "stop"}
        assert extra["seed"] == example_seed(0, row["id"], 1)
        usage = {"input_tokens": len(first) + len(second), "output_tokens": 39 + 39}
        assert output.usage == usage
    assert drawn(model.predict(batch[1:])) == together[1:]


def test_a_reply_without_a_picture_is_an_error(picture_folder: Path) -> None:
    batch = rows(picture_folder)[:2]
    short = SeedLLaMA(**FAST, max_new_tokens=3)
    for output in short.predict(batch):
        assert output.status == "error"
        assert output.image is None
        assert output.text
        assert output.reason == (f"no_image: no picture came (3 tokens, length): {output.text!r}")
        assert output.finish_reason == "length"
        assert (output.extra or {})["pictures"] == 0
    cut = SeedLLaMA(**FAST, max_new_tokens=20).predict(batch[:1])[0]
    assert (cut.reason or "").startswith(
        "no_image: no picture came, 1 that are not whole (20 tokens, length)"
    )
    assert (cut.extra or {})["broken_pictures"] == 1
    described = [{**row, "output": "description"} for row in batch]
    assert [o.status for o in short.predict(described)] == ["ok", "ok"]  # type: ignore[arg-type]


def test_a_forced_picture_is_marked(picture_folder: Path) -> None:
    batch = rows(picture_folder)[:2]
    model = SeedLLaMA(**FAST, max_new_tokens=3, force_image=True)
    outputs = model.predict(batch)
    together = drawn(outputs)
    assert [extra["forced"] for extra in extras(outputs)] == [True, True]
    assert [output.text for output in outputs] == [None, None]
    assert {len(extra["codes"]) for extra in extras(outputs)} == {32}
    assert drawn(model.predict(batch[1:])) == together[1:]
    assert model.record()["force_image"] is True
    described = model.predict([{**batch[0], "output": "description"}])[0]
    assert "forced" not in (described.extra or {})
    assert described.text
    thought = model.predict(rows(picture_folder, prompt_type="cot")[:1])
    assert drawn(thought)
    assert extras(thought)[0]["first_round"]["pictures"] == 0
    assert not any("forced" in extra for extra in extras(SeedLLaMA(**FAST).predict(batch)))


def test_forced_codes_are_those_that_the_model_finds_likeliest(
    model: SeedLLaMA, picture_folder: Path
) -> None:
    """Greedy, against one forward pass over the whole row."""
    row = rows(picture_folder)[0]
    forced = SeedLLaMA(**FAST, do_sample=False, force_image=True)
    codes = extras(forced.predict([row]))[0]["codes"]
    words = model._system.vocabulary
    prompt = format_prompt(user_turns(row["messages"], None), [], words, model._tokens)
    ids = [*prompt.filled(codes_of(model, row), words), words.picture_begin]
    row_ids = torch.tensor([ids + [words.first_code + code for code in codes]])
    with torch.inference_mode():
        logits = model._system.language_model(row_ids).logits[0, len(ids) - 1 : -1]
    of_codes = logits[:, words.first_code : words.first_code + words.codes]
    assert of_codes.argmax(dim=-1).tolist() == codes


def test_a_prompt_that_leaves_no_room_for_a_forced_picture(picture_folder: Path) -> None:
    row = rows(picture_folder)[0]
    length = (SeedLLaMA(**FAST).predict([row])[0].usage or {})["input_tokens"]
    tight = SeedLLaMA(**FAST, force_image=True, context=int(length) + 32)
    assert (tight.predict([row])[0].reason or "").startswith(
        f"too_long: the prompt has {int(length)} tokens with its pictures and the reply needs 33"
    )
    assert drawn(SeedLLaMA(**FAST, force_image=True, context=int(length) + 33).predict([row]))


def test_a_first_round_that_says_nothing_is_an_error(
    model: SeedLLaMA, picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cobsat.models.seed_llama.replies import Said

    monkeypatch.setattr(model._speaker, "free", lambda asked: [Said() for _ in asked])
    outputs = model.predict(rows(picture_folder, prompt_type="cot")[:1])
    assert outputs[0].reason == "empty: first round: nothing came"
    described = model.predict(rows(picture_folder, output="description")[:1])
    assert (described[0].reason or "").startswith("empty: 0 pictures came and no text")


@pytest.mark.parametrize("options", [{}, {"do_sample": False}, {"force_image": True}], ids=str)
@pytest.mark.parametrize("output", ["image", "description"])
def test_scores_that_are_no_numbers_are_no_reply(
    output: str, options: dict[str, Any], picture_folder: Path
) -> None:
    batch = rows(picture_folder, output=output)[:2]
    batch[0]["messages"][0]["content"][0]["text"] += "~"
    model = SeedLLaMA(**FAST, **options)
    expected = model.predict(batch)
    assert [each.status for each in expected] == ["ok", "ok"]
    mark = model._tokens("~")[-1]
    with torch.no_grad():
        model._system.language_model.get_input_embeddings().weight[mark] = torch.nan
    broken, sound = model.predict(batch)
    assert (broken.status, broken.image, broken.text) == ("error", None, None)
    assert broken.reason == "not_finite: the model's scores are not all numbers: try dtype=bfloat16"
    assert replace(sound, image=None) == replace(expected[1], image=None)
    if output == "image":
        assert drawn([sound]) == drawn(expected[1:])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tiny": True, "force_image": "yes"}, "force_image must be true or false, got 'yes'"),
        ({"tiny": True, "noise_level": -1}, "noise_level must be an integer of 0 or more"),
        ({"tiny": True, "resampling": "nearest"}, "resampling must be one of bilinear, bicubic"),
    ],
)
def test_options_that_cannot_be_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SeedLLaMA(**options)


def test_the_record_says_how_it_is_asked(model: SeedLLaMA) -> None:
    record = SeedLLaMA(tiny=True).record()
    assert record.pop("versions")["device"] == "cpu"
    assert record == {
        "checkpoint": None,
        "tiny": True,
        "dtype": "float32",
        "resampling": "bilinear",
        "force_image": False,
        "context": 4096,
        "decoding": {
            "max_new_tokens": 512, "do_sample": True, "temperature": 1.0, "top_p": 0.5, "seed": 0,
        },
        "drawing": {
            "steps": 20, "guidance": 10.0, "noise_level": 0, "latents_seed": 0,
            "pipeline": "StableUnCLIPImg2ImgPipeline", "scheduler": "DDIMScheduler",
            "dtype": "float32",
        },
    }  # fmt: skip
    assert json.loads(json.dumps(record)) == record
    assert model._decoding == Decoding(512, True, 1.0, 0.5, 0)


@pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.*:FutureWarning")
def test_lora_weights_are_merged(picture_folder: Path, tmp_path: Path) -> None:
    import peft

    batch = rows(picture_folder)[:1]
    base = SeedLLaMA(**FAST, do_sample=False)
    before = extras(base.predict(batch))
    torch.manual_seed(0)
    config = peft.LoraConfig(
        r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False, lora_alpha=8
    )
    peft.get_peft_model(SeedLlama.tiny().language_model, config).save_pretrained(tmp_path)
    tuned = SeedLLaMA(**FAST, do_sample=False, adapter=str(tmp_path))
    assert extras(tuned.predict(batch)) != before
    assert tuned.record()["adapter"]["weights_sha256"]
