"""Scoring options in one pass: the tree, the mask, and brute force on every family of models."""

from __future__ import annotations

import math
from typing import Any

import pytest
import tiny_models
import torch
from cobsat import THEMES
from cobsat.metrics.llava_judge import LlavaJudge
from cobsat.metrics.option_scores import (
    build_tree,
    option_probabilities,
    pack,
    shared_length,
)
from cobsat.metrics.prompt_ids import Prompt
from PIL import Image

REFERENCE = {"task": "color_i", "object": "car", "attribute": "red"}
NUMBERS = [[[1]], [[2]], [[1, 0]]]  # "1", "2", "10"


def test_the_tree_of_options() -> None:
    tree = build_tree([[[1], [7, 1]], [[2], [7, 2]], [[1, 0], [7, 1, 0]]])
    paths = [[[tree.tokens[n] for n in tree.path(end)] for end in ends] for ends in tree.ends]
    assert paths == [[[1], [7, 1]], [[2], [7, 2]], [[1, 0], [7, 1, 0]]]
    assert len(tree.tokens) == 7
    assert all(parent < node for node, parent in enumerate(tree.parents))
    assert tree.longest == 3
    assert build_tree([[[1], [1]], [[2]]]).ends == ((0,), (1,))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([[[1]], []], "option 2 must have a spelling, got none"),
        ([[[1]], [[]]], "option 2 must have a spelling, got none"),
        ([[[1]], [[2], [1]]], "options must differ in their tokens"),
    ],
)
def test_options_that_cannot_be_told_apart_are_refused(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build_tree(options)


def test_options_that_share_their_first_token_compete_by_their_ends() -> None:
    """Worked out by hand: tokens 0, 1, 2 and the end, 3."""
    tree = build_tree(NUMBERS)
    chances = {
        "question": (0.05, 0.6, 0.3, 0.05), 1: (0.7, 0.1, 0.1, 0.1), 2: (0.0, 0.0, 0.5, 0.5),
        10: (0.1, 0.1, 0.0, 0.8),
    }  # fmt: skip
    logits = torch.tensor([chances[key] for key in ("question", 1, 2, 10)]).clamp(1e-30).log()
    found = option_probabilities(logits, tree, [3])
    assert found.tolist() == pytest.approx([0.6 * 0.1, 0.3 * 0.5, 0.6 * 0.7 * 0.8], abs=1e-6)
    two_ends = option_probabilities(logits, tree, [2, 3])
    assert two_ends.tolist() == pytest.approx([0.6 * 0.2, 0.3 * 1.0, 0.6 * 0.7 * 0.8], abs=1e-6)
    shifted = option_probabilities(logits + 5, tree, [3])
    assert torch.allclose(shifted, found)


def test_spellings_are_added() -> None:
    tree = build_tree([[[1], [0, 1]], [[2]]])
    logits = torch.zeros(1 + len(tree.tokens), 4)
    one, two = option_probabilities(logits, tree, [3]).tolist()
    assert one == pytest.approx(1 / 16 + 1 / 64)
    assert two == pytest.approx(1 / 16)


def test_what_is_no_number_stays_none() -> None:
    tree = build_tree(NUMBERS)
    logits = torch.zeros(4, 4)
    logits[0, 0] = math.nan
    assert option_probabilities(logits, tree, [3]).isnan().all()


def test_every_token_sees_its_own_reading_and_nothing_else() -> None:
    one, other = [5, 6, 7, 8], [5, 6, 9]
    tree = build_tree(NUMBERS)
    packed = pack(one, other, (tree, tree))
    assert packed.ids == [5, 6, 7, 8, 1, 2, 0, 9, 1, 2, 0]
    assert packed.places == [0, 1, 2, 3, 4, 4, 5, 2, 3, 3, 4]
    assert packed.reads == ([3, 4, 5, 6], [7, 8, 9, 10])
    seen = [[i for i, sees in enumerate(row) if sees] for row in packed.sees.tolist()]
    assert seen == [
        [0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4], [0, 1, 2, 3, 5],
        [0, 1, 2, 3, 4, 6], [0, 1, 7], [0, 1, 7, 8], [0, 1, 7, 9], [0, 1, 7, 8, 10],
    ]  # fmt: skip
    for token in range(len(packed.ids)):  # what it sees stands at the places 0, 1, 2, …
        assert [packed.places[i] for i in seen[token]] == list(range(packed.places[token] + 1))


def test_a_question_always_keeps_a_token_of_its_own() -> None:
    assert shared_length([1, 2, 3], [1, 2, 3]) == 2
    assert shared_length([1, 2], [1, 2, 3]) == 1
    assert shared_length([1], [2]) == 0
    tree = build_tree(NUMBERS)
    packed = pack([1, 2, 3], [1, 2, 3], (tree, tree))
    assert packed.reads[0][0] != packed.reads[1][0]


# --- the real classes, random weights ------------------------------------------------------------


@pytest.fixture(scope="module", params=tiny_models.FAMILIES)
def judge(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LlavaJudge:
    folder = tiny_models.build(request.param, tmp_path_factory.mktemp("models"))
    return LlavaJudge(str(folder), "options", device="cpu", least_mass=0.0)


def pictures() -> list[Image.Image]:
    sizes = [(40, 40), (60, 30), (30, 70), (48, 40)]
    grey = [Image.radial_gradient("L"), Image.linear_gradient("L")] * 2
    return [g.resize(size).convert("RGB") for g, size in zip(grey, sizes, strict=True)]


def prompts(judge: LlavaJudge) -> list[Prompt]:
    asked = judge._questions["color"], judge._questions["texture"]
    return [
        judge._prompter.about_picture(picture, asked[number % 2])
        for number, picture in enumerate(pictures())
    ]


def brute_force(judge: LlavaJudge, prompt: Prompt, which: int) -> list[float]:
    """One plain forward pass of the whole sequence for each spelling of each option."""
    model, tokenizer = judge.model.model, judge.model.processor.tokenizer
    ends = model.generation_config.eos_token_id
    chances = []
    for number in range(1, 11):
        chance = 0.0
        for spelling in judge._prompter.tree.ends[number - 1]:
            path = [judge._prompter.tree.tokens[n] for n in judge._prompter.tree.path(spelling)]
            assert tokenizer.decode(path).strip() == str(number)
            ids = [*prompt.ids[which], *path]
            types = {}
            if prompt.types:
                marked = [*prompt.types[which], *[0] * len(path)]
                types = {"mm_token_type_ids": torch.tensor([marked])}
            with torch.inference_mode():
                logits = model(
                    input_ids=torch.tensor([ids]), attention_mask=torch.ones(1, len(ids)).long(),
                    **prompt.pixels, **types,
                ).logits[0].double()  # fmt: skip
            after = torch.log_softmax(logits[len(prompt.ids[which]) - 1 :], dim=-1)
            steps = [float(after[place, token]) for place, token in enumerate(path)]
            chance += math.exp(sum(steps)) * float(after[len(path), ends].exp().sum())
        chances.append(chance)
    return chances


def relative(found: torch.Tensor, wanted: list[float]) -> float:
    target = torch.tensor(wanted, dtype=torch.float64)
    return float(((found - target).abs() / target).max())


def test_one_pass_is_brute_force(judge: LlavaJudge) -> None:
    assert judge.record()["shared_prefix"] is True
    tree = judge._prompter.tree
    every = prompts(judge)
    described = judge._prompter.about_description("A red car.", judge._questions["color"])
    assert described
    for prompt in (every[1], described):
        for which, found in enumerate(judge.model.options([prompt], tree)[0]):
            assert relative(found, brute_force(judge, prompt, which)) < 2e-3


def test_batches_and_plain_sequences_give_the_same(judge: LlavaJudge) -> None:
    tree = judge._prompter.tree
    every = prompts(judge)
    single = [judge.model.options([prompt], tree)[0] for prompt in every]
    together = judge.model.options(every, tree)
    backwards = judge.model.options(every[::-1], tree)[::-1]
    try:
        judge.model.shares_prefix = False
        plain = judge.model.options(every[:2], tree)
    finally:
        judge.model.shares_prefix = True
    for others in (together, backwards, plain):
        for one, other in zip(single, others, strict=False):
            for a, b in zip(one, other, strict=True):
                assert relative(a, b.tolist()) < 2e-3
    distinct = {round(float(one[0].argmax()) + float(one[0].max()) * 1e6, 3) for one in single}
    assert len(distinct) > 1  # the pictures are looked at


def test_a_model_that_does_not_honour_the_mask_is_found_out(
    judge: LlavaJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, tree = judge.model, judge._prompter.tree
    prompt = prompts(judge)[0]
    right = model.options([prompt], tree)[0]
    forward = model.model.forward

    def deaf(**inputs: Any) -> Any:
        if inputs["attention_mask"].dim() == 4:
            inputs["attention_mask"] = None
        return forward(**inputs)

    def refusing(**inputs: Any) -> Any:
        if inputs["attention_mask"].dim() == 4:
            raise ValueError("no such mask")
        return forward(**inputs)

    for other in (deaf, refusing):
        monkeypatch.setattr(model.model, "forward", other)
        assert model.check_sharing(prompt, tree) is False
        plain = model.options([prompt], tree)[0]
        for a, b in zip(right, plain, strict=True):
            assert relative(a, b.tolist()) < 2e-3
        monkeypatch.setattr(model.model, "forward", forward)
        assert model.check_sharing(prompt, tree) is True


def test_a_sliding_window_is_not_read_across(
    judge: LlavaJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt = prompts(judge)[0]
    length = max(map(len, prompt.ids)) + judge._prompter.tree.longest
    for window, packs in ((length - 1, False), (length + 1, True)):
        monkeypatch.setattr(judge.model, "_window", window)
        assert (judge.model._pack(prompt, judge._prompter.tree) is not None) is packs


def test_a_picture_after_the_question_is_not_shared(judge: LlavaJudge) -> None:
    image = judge.model.image_token_id
    late = Prompt(([1, 2, 3, image], [1, 2, 4, image]))
    assert judge.model._pack(late, judge._prompter.tree) is None


def test_a_description_s_options_too(judge: LlavaJudge) -> None:
    said = ["A red car.", "A blue hat on a table, " * 9, "x"]
    together = judge.judge(said, [REFERENCE] * 3, "description")
    alone = [judge.judge([text], [REFERENCE], "description")[0] for text in said]
    for one, other in zip(together, alone, strict=True):
        assert (one.object, one.attribute) == (other.object, other.attribute)
    assert set(THEMES["color"].objects) >= {v.object for v in together}
