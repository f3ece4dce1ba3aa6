"""What all ports of the papers' systems have in common, each at tiny size: one contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
import torch
import touchstone_questions as made
from cobsat.cli import main
from cobsat.models import MODELS
from cobsat.models.conversion import CONVERTERS
from cobsat.models.seeds import example_seed
from ports import PORTS, Port, drawn, kept, rows, said

pytestmark = pytest.mark.usefixtures("one_thread")

NAMES = sorted(PORTS)
DRAWING = [name for name in NAMES if PORTS[name].draws]
TALKING = [name for name in NAMES if not PORTS[name].draws]
EACH_OUTPUT = [(name, output) for name in NAMES for output in PORTS[name].outputs]


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    """A tiny model of each port; tests leave them as they are."""
    return {}


@pytest.fixture
def port(name: str) -> Port:
    return PORTS[name]


@pytest.fixture
def model(name: str, port: Port, models: dict[str, Any]) -> Any:
    if name not in models:
        models[name] = port.make(**port.fast)
    return models[name]


def test_every_port_is_here() -> None:
    assert set(PORTS) == set(CONVERTERS) - {"llava"}  # of which transformers has the model
    assert set(PORTS) <= set(MODELS)


@pytest.mark.parametrize(
    ("name", "token"), [(name, token) for name in NAMES for token in PORTS[name].control]
)
def test_a_text_that_steers_the_model_is_an_error(token: str, port: Port, model: Any) -> None:
    expected = f"control_token: a text of the prompt holds {token!r}"
    output = port.outputs[0]
    assert model.predict([said(f"red {token}: ", output=output)])[0].reason == expected
    later = said("red: ", followup=f"and {token}", output=output)
    assert model.predict([later])[0].reason == expected


@pytest.mark.parametrize(("name", "output"), EACH_OUTPUT)
def test_one_bad_example_does_not_cost_the_others(
    output: str, model: Any, picture_folder: Path, tmp_path: Path
) -> None:
    good = rows(picture_folder, output=output)[0]
    missing = said("red: ", output=output)
    missing["messages"][0]["content"].append(
        {"type": "image", "text": None, "image": str(tmp_path / "none.png")}
    )
    outputs = model.predict([missing, good, said("a b " * 3000, output=output)])
    assert [each.status for each in outputs] == ["error", "ok", "error"]
    assert outputs[0].reason.startswith("picture: ")
    assert outputs[2].reason.startswith("too_long: the prompt has ")
    assert (outputs[2].image, outputs[2].text) == (None, None)
    (alone,) = model.predict([good])
    assert outputs[1].text == alone.text
    if output == "image":
        assert drawn(outputs[1:2]) == drawn([alone])


@pytest.mark.parametrize("name", DRAWING)
def test_pixels_that_are_no_numbers_are_no_picture(port: Port, picture_folder: Path) -> None:
    model = port.make(**port.fast)
    with torch.no_grad():
        model._system.decoder.vae.decoder.conv_out.bias.fill_(torch.nan)
    (output,) = model.predict(rows(picture_folder)[:1])
    assert (output.status, output.image) == ("error", None)
    assert output.reason == "not_finite: the picture's pixels are not all numbers"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("samples", [False, True])
def test_scores_that_are_no_numbers_are_no_reply(
    samples: bool, port: Port, picture_folder: Path
) -> None:
    model = port.make(**{**port.fast, "do_sample": samples})
    with torch.no_grad():
        port.language_model(model).get_output_embeddings().weight[50] = torch.nan
    (output,) = model.predict(rows(picture_folder, output="description")[:1])
    assert (output.status, output.text) == ("error", None)
    assert output.reason.startswith("not_finite: the model's scores are not all numbers")


@pytest.mark.parametrize("name", [name for name in DRAWING if PORTS[name].checked])
def test_a_withheld_picture_is_blocked(
    model: Any, picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def black(images: Any, clip_input: Any) -> Any:
        return images * 0, [True]

    def features(pictures: Any, return_tensors: str) -> Any:
        from transformers import BatchFeature

        return BatchFeature({"pixel_values": torch.ones(1)})

    assert model.record()["drawing"]["safety_checker"] is False
    monkeypatch.setattr(model._system.decoder, "safety_checker", black)
    monkeypatch.setattr(model._system.decoder, "feature_extractor", features)
    (output,) = model.predict(rows(picture_folder)[:1])
    assert (output.status, output.image) == ("blocked", None)
    assert output.reason == "safety_checker: it withheld the picture"
    assert model.record()["drawing"]["safety_checker"] is True


_WRONG: list[tuple[dict[str, Any], str]] = [
    ({"tiny": False}, "checkpoint must be given, or tiny=true, and not both, got checkpoint=None"),
    ({"checkpoint": "a/b"}, "and not both, got checkpoint='a/b', tiny=True"),
    ({"tiny": "yes"}, "tiny must be true or false, got 'yes'"),
    ({"do_sample": True, "top_p": 0}, "top_p must be above 0"),
    ({"do_sample": "no"}, "do_sample must be true or false, got 'no'"),
    ({"max_new_tokens": 0}, "max_new_tokens must be 1 or more, got 0"),
    ({"dtype": "int8"}, "dtype must be one of auto"),
    ({"context": 1}, "context must be an integer of 2 or more, got 1"),
]
_WRONG_DRAWING: list[tuple[dict[str, Any], str]] = [
    ({"steps": 0}, "steps must be an integer of 1 or more, got 0"),
    ({"guidance": 0.5}, r"guidance must be a number of 1 \(none\) or more"),
]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (name, *each)
        for name in NAMES
        for each in [*_WRONG, *(_WRONG_DRAWING if PORTS[name].draws else [])]
    ],
)
def test_options_that_cannot_be_are_named(
    options: dict[str, Any], message: str, port: Port
) -> None:
    with pytest.raises(ValueError, match=message):
        port.make(**{"tiny": True, **options})


@pytest.mark.parametrize("name", DRAWING)
def test_without_a_decoder_it_only_describes(port: Port, picture_folder: Path) -> None:
    model = port.make(tiny=True, decoder=None)
    assert model.capabilities.outputs == {"description"}
    assert model.capabilities.hint == "leave out decoder=null"
    assert model.record()["drawing"] is None
    assert model.predict(rows(picture_folder, output="description")[:1])[0].text


@pytest.mark.parametrize("name", NAMES)
def test_the_record_is_plain(model: Any) -> None:
    record = model.record()
    assert json.loads(json.dumps(record)) == record
    assert (record["checkpoint"], record["tiny"]) == (None, True)
    assert {"torch", "transformers", "tokenizers", "device"} <= set(record["versions"])
    assert record["decoding"]["max_new_tokens"] > 0


@pytest.mark.parametrize("name", NAMES)
def test_tiny_systems_of_one_seed_are_the_same(port: Port) -> None:
    before = torch.get_rng_state()
    one, two, other = (port.tiny_system(seed) for seed in (0, 0, 1))
    assert torch.equal(torch.get_rng_state(), before)
    for part in port.parts:
        states = [attrgetter(part)(system).state_dict() for system in (one, two, other)]
        assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
        assert not all(torch.equal(states[0][name], states[2][name]) for name in states[0])


def arguments(name: str, output: str, pictures: Path) -> list[str]:
    return [
        "predict", "--model", name, "--tiny", "--images", str(pictures), "--config",
        "color_i-2shot", "--batch-size", "3", "--output", output,
        *(["--model-option", f"steps={PORTS[name].steps}"] if PORTS[name].draws else []),
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "output"), EACH_OUTPUT)
def test_a_run_goes_on_and_ends_the_same(
    name: str, output: str, port: Port, picture_folder: Path, tmp_path: Path
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    given = arguments(name, output, picture_folder)
    assert main([*given, "--limit", "3", "--out", str(whole)]) == 0
    assert main([*given, "--limit", "1", "--out", str(parts)]) == 0
    assert main([*given, "--limit", "3", "--out", str(parts)]) == 0
    assert kept(parts) == kept(whole)
    assert {line["status"] for line in kept(whole)} == {"ok"}
    pictures = sorted((whole / "images").glob("*"))
    assert len(pictures) == (3 if output == "image" else 0)
    for path in pictures:
        assert path.read_bytes() == (parts / "images" / path.name).read_bytes()
    run = json.loads((whole / "run.json").read_text("utf-8"))
    worded = getattr(type(port.make(**port.fast)), "instructions_for", {})
    assert run["instructions_for"] == worded.get(output, "neutral")
    assert run["model_options"]["options"] == port.fast


@pytest.mark.parametrize(("name", "output"), EACH_OUTPUT)
def test_samples_differ_or_are_refused(
    name: str,
    output: str,
    port: Port,
    picture_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    more = ["--limit", "1", "--samples", "2", "--out", str(tmp_path)]
    refused = output == "description" and port.greedy
    done = main([*arguments(name, output, picture_folder), *more])
    if refused:
        assert done == 2
        assert f"samples of model {name} must be 1, got 2: " in capsys.readouterr().err
        hot = ("do_sample=true", "temperature=9", "top_p=1")
        drawing = [word for option in hot for word in ("--model-option", option)]
        done = main([*arguments(name, output, picture_folder), *more, *drawing])
    assert done == 0
    lines = kept(tmp_path)
    assert len({line["extra"]["seed"] for line in lines}) == 2
    if output == "image":
        assert len({line["image_sha256"] for line in lines}) == 2
    elif refused:
        assert len({line["text"] for line in lines}) == 2


@pytest.mark.parametrize("name", TALKING)
@pytest.mark.parametrize("samples", [True, False])
def test_one_row_that_is_no_numbers_does_not_cost_the_others(
    samples: bool, port: Port, picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = rows(picture_folder, output="description")[:2]
    model = port.make(tiny=True, do_sample=samples)
    expected, own = model.predict(batch), model._speaker.say

    def say(asked: Any) -> Any:
        broken = replace(asked[0], pictures=[each * torch.nan for each in asked[0].pictures])
        return own([broken, *asked[1:]])

    monkeypatch.setattr(model._speaker, "say", say)
    outputs = model.predict(batch)
    assert outputs[0].status == "error"
    assert outputs[0].reason == (
        "not_finite: the model's scores are not all numbers: try dtype=bfloat16"
    )
    assert outputs[1] == expected[1]


@pytest.mark.parametrize("name", TALKING)
def test_a_reply_ends_where_the_context_does(port: Port, model: Any, picture_folder: Path) -> None:
    row = rows(picture_folder, output="description")[0]
    length = model.predict([row])[0].usage["input_tokens"]
    tight = port.make(tiny=True, context=length + 2).predict([row])[0]
    assert (tight.finish_reason, len(tight.text)) == ("length", 2)
    full = port.make(tiny=True, context=length).predict([row])[0]
    assert full.reason.startswith(f"too_long: the prompt has {length:,} tokens")


@pytest.mark.parametrize("name", TALKING)
def test_what_does_not_fit_into_memory_is_asked_in_smaller_batches(
    port: Port, picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = port.make(tiny=True)
    batch = rows(picture_folder, output="description")[:3]
    expected = model.predict(batch)
    own, sizes = model._speaker.say, []

    def say(some: Any) -> Any:
        sizes.append(len(some))
        if len(some) > 1 or some[0].seed == example_seed(0, batch[1]["id"]):
            raise torch.OutOfMemoryError
        return own(some)

    monkeypatch.setattr(model._speaker, "say", say)
    outputs = model.predict(batch)
    assert sizes == [3, 1, 1, 1]
    assert [outputs[0], outputs[2]] == [expected[0], expected[2]]
    assert outputs[1].reason == "out_of_memory: the example alone does not fit"


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with made.shipping(tmp_path_factory.mktemp("mini")) as shipped:
        yield shipped


@pytest.mark.parametrize("name", NAMES)
def test_questions_of_touchstone_in_a_run(
    name: str, port: Port, questions: Any, tmp_path: Path
) -> None:
    given = ["predict", "--model", name, "--tiny", "--config", "touchstone-mini"]
    assert main([*given, "--out", str(tmp_path / "run")]) == 0
    lines = kept(tmp_path / "run")
    assert len(lines) == 8
    assert {line["status"] for line in lines} == {"ok"}
    assert all(line["text"] for line in lines)
    run = json.loads((tmp_path / "run" / "run.json").read_text("utf-8"))
    asked_with = getattr(type(port.make(tiny=True)), "answer_options", {})
    record = run["model_options"]["record"]
    for option, value in asked_with.items():
        assert {**record, **record["decoding"]}[option] == value


@pytest.mark.parametrize("name", TALKING)
def test_pictures_are_refused_before_anything_is_asked(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["predict", "--model", name, "--tiny", "--config", "color_i-2shot"]
    assert main([*given, "--out", str(tmp_path / "run")]) == 2
    assert "must be one of description, got 'image': --output descr" in capsys.readouterr().err
