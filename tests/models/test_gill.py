"""GILL under test, tiny: batches, seeds, rounds, pictures, records."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat.models.gill.adapter import GILL
from cobsat.models.gill.prompts import Prompt
from cobsat.models.gill.replies import DrawingRule
from cobsat.models.seeds import example_seed
from cobsat.models.stable_diffusion import Diffusion
from gill_asked import FAST, prompt_of, seen
from ports import drawn, extras, rows

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def model() -> GILL:
    """One tiny model; tests leave it as it is."""
    return GILL(**FAST)


@pytest.fixture
def asked(model: GILL, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The prompts that the language model is asked, as they come."""
    given: list[Any] = []
    for name in ("free", "drawing"):
        own = getattr(model._speaker, name)

        def answers(prompts: Any, own: Any = own) -> Any:
            given.extend(prompts)
            return own(prompts)

        monkeypatch.setattr(model._speaker, name, answers)
    return given


@pytest.fixture
def calls(model: GILL, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the decoder is called with."""
    given: list[dict[str, Any]] = []
    own = model._system.decoder

    class Spy:
        def __call__(self, **arguments: Any) -> Any:
            given.append(arguments)
            return own(**{**arguments, "num_inference_steps": 1})

        def __getattr__(self, name: str) -> Any:
            return getattr(own, name)

    monkeypatch.setattr(model, "_system", replace(model._system, decoder=Spy()))
    return given


def test_a_picture_is_the_same_in_any_batch(model: GILL, picture_folder: Path) -> None:
    batch = [
        rows(picture_folder)[0],
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
    again = GILL(**FAST)
    assert drawn(again.predict(batch[1:2])) == together[1:2]
    assert [extra["seed"] for extra in extras(outputs)] == [
        example_seed(0, row["id"]) for row in batch
    ]


def test_the_prompt_holds_its_pictures_embeddings(
    model: GILL, asked: list[Any], picture_folder: Path
) -> None:
    row = rows(picture_folder)[3]
    output = model.predict([row])[0]
    (one,) = asked
    assert one.prompt == prompt_of(model, row)
    pictures = seen(model, row)
    assert [torch.equal(a, b) for a, b in zip(one.pictures, pictures, strict=True)] == [True] * 2
    assert not torch.allclose(pictures[0], pictures[1])
    given = model._system.embeddings(one.prompt, one.pictures)
    for slot, picture in zip(one.prompt.slots, pictures, strict=True):
        assert torch.equal(given[slot : slot + 4], picture)
    table = model._system.language_model.get_input_embeddings().weight
    assert torch.equal(given[0], table[2])
    assert (output.usage or {})["input_tokens"] == len(one.prompt.ids)
    with pytest.raises(ValueError, match="zip"):
        model._system.embeddings(one.prompt, pictures[:1])


def test_replies_in_a_batch_are_those_of_a_plain_greedy_loop(
    model: GILL, picture_folder: Path
) -> None:
    """Against one forward pass over the whole row for each token, without a cache."""
    batch = rows(picture_folder, output="description", instructions_for="gill")[:3]
    batch.append(rows(picture_folder, "texture_ii-4shot", output="description")[0])
    got = [output.text for output in model.predict(batch)]
    system = model._system
    for row, text in zip(batch, got, strict=True):
        prompt, ids = prompt_of(model, row), []
        while len(ids) < 32:
            given = system.embeddings(Prompt((*prompt.ids, *ids), prompt.slots), seen(model, row))
            with torch.inference_mode():
                scores = system.language_model(inputs_embeds=given[None]).logits[0, -1]
            allowed = [n for n in range(len(scores)) if n not in system.vocabulary.drawn[1:]]
            ids.append(allowed[int(scores[allowed].argmax())])
            if ids[-1] == system.vocabulary.end:
                break
        assert text == system.words.decode(ids, skip_special_tokens=True)
    assert len(set(got)) > 1


def test_the_decoder_is_asked_as_published(
    model: GILL, calls: list[dict[str, Any]], picture_folder: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(model, "_drawing", GILL(tiny=True)._drawing)
    batch = rows(picture_folder)[:1]
    drawn(model.predict(batch))
    system = model._system
    for call, row in zip(calls, batch, strict=True):
        condition = system.condition(prompt_of(model, row), seen(model, row), range(261, 269))
        torch.testing.assert_close(call.pop("prompt_embeds"), condition)
        assert condition.shape == (1, 16, 16)
        assert call.pop("generator").initial_seed() == example_seed(0, row["id"])
        assert call == {"num_inference_steps": 50, "guidance_scale": 7.5, "output_type": "pt"}


def test_a_picture_is_the_stock_pipelines(model: GILL, picture_folder: Path) -> None:
    row = rows(picture_folder)[0]
    output = model.predict([row])[0]
    system = model._system
    expected = system.decoder(
        prompt_embeds=system.condition(prompt_of(model, row), seen(model, row), range(261, 269)),
        num_inference_steps=1,
        generator=torch.Generator().manual_seed(example_seed(0, row["id"])),
    ).images[0]
    assert drawn([output]) == [expected.tobytes()]
    assert output.image.size == (32, 32)  # type: ignore[union-attr]


def test_settings_of_drawing_matter(model: GILL, picture_folder: Path) -> None:
    row = rows(picture_folder)[0]
    condition = model._system.condition(prompt_of(model, row), seen(model, row), range(261, 269))
    changes: list[dict[str, Any]] = [{}, {"steps": 2}, {"guidance": 2}, {"guidance": 1}]
    settings = [replace(Diffusion(1, 7.5), **change) for change in changes]
    pictures = [model._system.draw(condition, 0, one) for one in settings]
    pictures += [model._system.draw(condition, 1, settings[0])]
    pictures += [model._system.draw(condition * 0.5, 0, settings[0])]
    assert len({one.image.tobytes() for one in pictures if one and one.image}) == 6
    assert GILL(tiny=True, steps=3, guidance=2)._drawing == Diffusion(3, 2)


def test_a_picture_needs_what_the_prompt_shows(model: GILL, picture_folder: Path) -> None:
    """The same text and the same noise, other pictures: another picture."""
    one, *others = rows(picture_folder)
    texts = [part["text"] for part in one["messages"][0]["content"]]
    other = next(
        row
        for row in others
        if [part["text"] for part in row["messages"][0]["content"]] == texts
        and row["target_image"] != one["target_image"]
    )
    pictures = drawn(model.predict([one, {**other, "id": one["id"]}]))
    assert pictures[0] != pictures[1]


def test_descriptions_are_a_first_sentence(
    model: GILL, picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = rows(picture_folder, output="description", instructions_for="gill")[:3]
    outputs = model.predict(batch)
    assert [(o.status, o.image, o.extra) for o in outputs] == [("ok", None, {"pictures": 0})] * 3
    assert all(output.text and output.text.isalpha() for output in outputs)
    answered: Any = [{**row, "output": "answer"} for row in batch]
    assert [o.text for o in model.predict(answered)] == [o.text for o in outputs]
    words, drawing = model._system.words, model._system.vocabulary.drawn
    before, after = (words.encode(text) for text in ("\na red", "car. A box."))
    said = [*before, *drawing, *after]
    speaker = model._speaker
    monkeypatch.setattr(
        speaker, "free", lambda asked: [speaker._said(one, said, False) for one in asked]
    )
    (cut,) = model.predict(batch[:1])
    assert (cut.status, cut.text, cut.finish_reason) == ("ok", "a red car.", "length")
    assert cut.extra == {"pictures": 1, "whole": "a red car. A box."}
    monkeypatch.setattr(
        speaker, "free", lambda asked: [speaker._said(one, drawing, True) for one in asked]
    )
    (none,) = model.predict(batch[:1])
    assert none.status == "error"
    assert none.reason == "empty: 1 pictures came and no text (8 tokens, stop)"


def test_a_chain_of_thought_goes_on_from_the_reply_itself(
    model: GILL, asked: list[Any], picture_folder: Path
) -> None:
    batch = rows(picture_folder, prompt_type="cot")[:2]
    outputs = model.predict(batch)
    together = drawn(outputs)
    assert len(asked) == 4
    for row, first, second, output in zip(batch, asked[:2], asked[2:], outputs, strict=True):
        extra, words = output.extra or {}, model._system.words
        assert first.prompt == prompt_of(model, {**row, "followup": None})  # type: ignore[arg-type]
        reply = words.encode(extra["first_round"]["text"])
        assert second.prompt == prompt_of(model, row, reply)
        assert len(second.pictures) == 2
        assert extra["first_round"]["pictures"] == 0
        assert extra["seed"] == example_seed(0, row["id"], 1)
        tokens = len(first.prompt.ids) + len(second.prompt.ids)
        assert output.usage == {"input_tokens": tokens, "output_tokens": len(reply) + 8}
    assert drawn(model.predict(batch[1:])) == together[1:]


def test_a_forced_picture_is_marked(model: GILL, picture_folder: Path) -> None:
    batch = rows(picture_folder)[:2]
    forced = GILL(**FAST, image_scale=1, force_image=True)
    outputs = forced.predict(batch)
    together = drawn(outputs)
    assert [extra["forced"] for extra in extras(outputs)] == [True, True]
    assert [output.text for output in outputs] == [None, None]
    assert drawn(forced.predict(batch[1:])) == together[1:]
    led = model.predict(batch)
    assert drawn(led) == together  # both draw at once, after the prompt itself
    assert not any("forced" in extra for extra in extras(led))
    assert forced.record()["force_image"] is True
    described = forced.predict([{**batch[0], "output": "description"}])[0]
    assert "forced" not in (described.extra or {})
    assert described.text
    thought = forced.predict(rows(picture_folder, prompt_type="cot")[:1])
    assert extras(thought)[0]["first_round"]["text"]


def test_text_may_come_before_a_picture(
    model: GILL, picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = rows(picture_folder)[0]
    rule = DrawingRule.__call__
    start = len(prompt_of(model, row).ids)
    a, b = model._system.words.encode("ab")

    def late(self: DrawingRule, ids: Any, scores: Any) -> Any:
        """As the rule, but the first two tokens are letters."""
        scores = rule(self, ids, scores)
        if ids.shape[1] < start + 2:
            scores = torch.full_like(scores, -torch.inf)
            scores[:, (a, b)[ids.shape[1] - start]] = 0
        return scores

    monkeypatch.setattr(DrawingRule, "__call__", late)
    (output,) = model.predict([row])
    assert output.text == "ab"
    assert (output.usage or {})["output_tokens"] == 2 + 8
    system = model._system
    condition = system.condition(prompt_of(model, row), seen(model, row), [a, b, *range(261, 269)])
    expected = system.draw(condition, example_seed(0, row["id"]), Diffusion(1, 7.5))
    assert expected is not None
    assert expected.image is not None
    assert drawn([output]) == [expected.image.tobytes()]
    short = GILL(**FAST, max_new_tokens=3)  # the picture begins with the last token, and is whole
    assert short.predict([row])[0].usage == output.usage
    none = GILL(**FAST, max_new_tokens=2).predict([row])[0]
    assert none.reason == "no_image: no picture came (2 tokens, length): 'ab'"


def test_the_rule_of_drawing_tokens(model: GILL) -> None:
    words = model._system.vocabulary
    before = torch.tensor([[5], [words.drawing], [words.drawing + 6], [words.drawing + 7]])
    scores = torch.arange(4.0 * 269).reshape(4, 269) / 100
    scores[0, words.drawing] = -2.0
    free = DrawingRule(words)(before, scores.clone())
    assert free[0].argmax() == 260  # none of [IMG1] to [IMG7], though they are likelier
    assert free[0, words.drawing] == -2.0
    assert torch.equal(free[3, :262], scores[3, :262])
    led = DrawingRule(words, scale=100.0, then_end=True)(before, scores.clone())
    assert led[0, words.drawing] == 200.0
    assert led.argmax(dim=-1).tolist() == [words.drawing, words.drawing + 1, words.drawing + 7, 2]
    assert (led[1:] > -torch.inf).sum() == 3


def test_without_a_decoder_it_only_describes(picture_folder: Path) -> None:
    model = GILL(tiny=True, decoder=None)
    assert model.capabilities.outputs == {"description"}
    assert model.capabilities.hint == "leave out decoder=null"
    assert model.record()["drawing"] is None
    assert model.predict(rows(picture_folder, output="description")[:1])[0].text


def test_the_record_says_how_it_is_asked() -> None:
    record = GILL(tiny=True).record()
    assert record.pop("versions")["device"] == "cpu"
    assert record == {
        "checkpoint": None,
        "tiny": True,
        "dtype": "float32",
        "image_scale": 100.0,
        "force_image": False,
        "context": 2048,
        "decoding": {"max_new_tokens": 32, "do_sample": False},
        "drawing": {
            "steps": 50, "guidance": 7.5, "seed": 0, "pipeline": "StableDiffusionPipeline",
            "scheduler": "PNDMScheduler", "safety_checker": False, "dtype": "float32",
        },
    }  # fmt: skip
    assert json.loads(json.dumps(record)) == record
