"""What the report keeps of single examples: whole prompts, whole texts, raw replies."""

import json

import pytest
from cobsat import Prediction, Verdict
from cobsat.hub_cards.example_details import EXAMPLES_A_BLOCK, MOST_PAIRS, pairs
from cobsat.hub_cards.report import write_report
from report_pages import Page

pytestmark = pytest.mark.usefixtures("no_plots")


def prompts_of(page, place):
    """Return an example's prompts as one text each, a picture as the word for it in its place."""
    return [
        "".join(
            part if isinstance(part, str) else "<picture>"
            for _, content in prompt["messages"]
            for part in content
        )
        for prompt in page.details[place]["prompts"]
    ]


def test_a_prompt_is_there_word_for_word_in_reading_order(make_run):
    run = make_run(configs=["style_ii-2shot"], limit=1, prompt_type="misleading")
    page = Page(write_report([run]))
    # random.Random(123) shuffles 0..9 to x = 8, 7, 5, …, and again to theta = 7, 6, 3, …
    pieces = ["bag futuristic: ", "ball graffiti: ", "box origami: "]
    assert prompts_of(page, 0) == ["<picture>".join(pieces)]
    (prompt,) = page.details[0]["prompts"]
    assert prompt["runs"] == [0]
    assert prompt["followup"] is None
    shown = [part for _, content in prompt["messages"] for part in content if isinstance(part, int)]
    demonstrations = page.blocks[0]["prompts"][0][3]
    assert shown == [picture for picture, _ in demonstrations]


def test_instructions_and_second_rounds_are_part_of_a_prompt(make_run):
    run = make_run(configs=["color_i-2shot"], limit=1, prompt_type="cot")
    page = Page(write_report([run]))
    (said,) = prompts_of(page, 0)
    assert said.startswith("We provide a few examples, each of which is an input-output pair")
    assert "let's first think step by step" in said
    assert "Based on the analysis" in page.details[0]["prompts"][0]["followup"]


def test_of_several_prompts_each_is_there_once_with_its_runs(make_run):
    runs = [
        make_run("images", configs=["color_i-2shot"], limit=2),
        make_run("more", configs=["color_i-2shot"], limit=3, samples=2),
        make_run("texts", configs=["color_i-2shot"], limit=2, output="description"),
    ]
    page = Page(write_report(runs))
    assert [[prompt["runs"] for prompt in one["prompts"]] for one in page.details] == [
        [[0, 1], [2]], [[0, 1], [2]], [[1]],
    ]  # fmt: skip
    assert [len(one["outputs"]) for one in page.details] == [4, 4, 2]
    first, second = prompts_of(page, 0)
    assert second.startswith(first)
    assert "describe the next image" in second


def test_replies_and_facts_are_kept_word_for_word(make_run):
    def predict(folder, row, number):
        return Prediction(
            row["id"], "ok", text="A red car.", finish_reason="length", seconds=1.23456,
            usage={"output_tokens": 7}, extra={"first_reply": "Step\x07 by step."},
        )  # fmt: skip

    def judge(row, prediction, draw):
        raw = {"output": "5e8f", "object": {"reply": " 3) car<b>"}, "attribute": {"reply": "7"}}
        return Verdict(row["id"], "unscored", reason="no", raw=raw)

    run = make_run(
        configs=["color_i-2shot"], limit=1, output="description", predict=predict, judge=judge,
        judges=("a", "b"),
    )  # fmt: skip
    (output,) = Page(write_report([run])).details[0]["outputs"]
    assert output["text"] is None  # the gallery has it whole
    assert output["facts"] == [
        ["seconds", "1.23"], ["ended by", "length"], ["usage, output tokens", "7"],
        ["first reply", r"Step\x07 by step."],
    ]  # fmt: skip
    assert output["raw"] == [[["object, reply", " 3) car<b>"], ["attribute, reply", "7"]]] * 2


def test_long_texts_are_whole_where_the_gallery_has_their_beginning(make_run):
    text = "word " * 2_000
    run = make_run(
        configs=["color_i-2shot"], limit=1, output="description",
        predict=lambda folder, row, number: Prediction(row["id"], "ok", text=text),
    )  # fmt: skip
    page = Page(write_report([run]))
    assert page.details[0]["outputs"][0]["text"] == text
    assert len(page.blocks[0]["strings"][page.blocks[0]["outputs"][0][3]]) < 2_100


def test_examples_without_prediction_or_verdict_have_nothing_to_tell(make_run):
    run = make_run(
        configs=["color_i-2shot"], limit=3, judged=1,
        predict=lambda folder, row, number: Prediction(row["id"], "ok", image="x.png")
        if number < 2 else None,
    )  # fmt: skip
    outputs = [one["outputs"] for one in Page(write_report([run])).details]
    assert outputs[1:] == [[{"text": None, "facts": [], "raw": [[]]}]] * 2


def test_blocks_follow_the_gallery_s_order(make_run):
    limit = EXAMPLES_A_BLOCK // 2 + 7
    page = Page(write_report([make_run(limit=limit)]))
    assert page.blocks[0]["block"] == EXAMPLES_A_BLOCK
    assert page.source.count('id="packed-') == 2
    words = page.blocks[0]["strings"]
    for prompt, details in zip(page.blocks[0]["prompts"], page.details, strict=True):
        content = details["prompts"][0]["messages"][-1][1]
        assert content[0].endswith(words[prompt[3][0][1]] + " ")


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (None, []),
        ("text", [("", "text")]),
        ([1, "é"], [("", '[1, "é"]')]),
        ({"output": "x", "in": {"output": 2}}, [("in, output", "2")]),
        ({"a": {"b": {"c": {"d": 1}}}}, [("a, b, c", '{"d": 1}')]),
        ({"a": {}, "b": None, "c": True}, [("a", "{}"), ("b", "null"), ("c", "true")]),
        ({"nan": float("nan")}, [("nan", "NaN")]),
        ({"\u202eevil": "\x1b[31m"}, [(r"\u202eevil", r"\x1b[31m")]),
    ],
)
def test_any_record_becomes_names_and_values(record, told):
    assert pairs(record) == told


def test_what_is_endless_is_cut():
    assert len(pairs({str(number): number for number in range(5_000)})) == MOST_PAIRS
    ((name, value),) = pairs({"n" * 5_000: "v" * 50_000})
    assert len(name) < 200
    assert value.endswith("… [42,000 more characters]")
    deep = json.loads('{"a":' * 200 + "1" + "}" * 200)
    ((name, _),) = pairs(deep)
    assert name == "a, a, a"
