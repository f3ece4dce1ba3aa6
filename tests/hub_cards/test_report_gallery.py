"""What the report's gallery holds: every example once, its prompt, its pictures."""

import json

import pytest
from cobsat import Prediction
from cobsat.hub_cards.report import write_report
from cobsat.run_folder import write_json
from report_pages import Page

pytestmark = pytest.mark.usefixtures("no_plots")


def test_holds_every_example_and_each_picture_once(make_run):
    run = make_run(limit=60)
    data, *thumbnails = Page(write_report([run])).blocks
    assert len(data["outputs"]) == 120
    pictures = [picture for chunk in thumbnails for picture in chunk]
    assert len(pictures) == len(set(pictures)) <= 100  # one theme has 100
    shown = {output[4] for output in data["outputs"]}
    demonstrations = {pair[0] for prompt in data["prompts"] for pair in prompt[3]}
    assert shown <= demonstrations  # the baseline copies, and copies are no new pictures


def test_a_row_says_what_a_prompt_asked_and_what_came_of_it(make_run):
    run = make_run(configs=["style_ii-2shot"], limit=1, prompt_type="misleading")
    data = Page(write_report([run])).blocks[0]
    word = data["strings"].__getitem__
    # The first prompt of the released list: x = 8, 7, 5; theta = 7, 6, 3, and 4 for the query's
    # latent variable: bag, ball, box in lego style, called futuristic, graffiti, origami.
    from cobsat.prompt_lists import shuffled_lists

    x, theta = shuffled_lists(range(10), 1)[0]
    objects = ["leaf", "hat", "cup", "chair", "car", "box", "book", "ball", "bag", "apple"]
    styles = ["watercolor", "sketch", "pixel", "origami", "lego", "icon", "graffiti",
              "futuristic", "wireframe", "old"]  # fmt: skip
    (prompt,) = data["prompts"]
    assert word(prompt[0]) == "style_ii-2shot-test-0000"
    said = [word(text) for _, text in prompt[3]] + [word(prompt[4])]
    assert said == [f"{objects[x[i]]} {styles[theta[i]]}:" for i in range(3)]
    assert (word(prompt[6]), word(prompt[7])) == (objects[x[2]], styles[theta[3]])


@pytest.mark.parametrize(
    ("prompt_type", "config", "said"),
    [
        ("default", "background_i-2shot", ["{}:", "{}:", "{}:"]),
        ("exact", "background_i-2shot", ["{} {o}:", "{} {o}:", "{} {o}:"]),
        ("exact", "background_ii-2shot", ["{a} {}:", "{a} {}:", "{a} {}:"]),
        ("exact", "color_i-0shot", ["{} {o}:"]),
        ("caption", "background_i-2shot", ["{}:", "{}:", "{}:"]),
        ("cot", "background_i-2shot", ["{}:", "{}:", "{}:"]),
    ],
)
def test_text_beside_the_pictures_is_the_prompts_own(make_run, prompt_type, config, said):
    run = make_run(
        configs=[config], limit=30, prompt_type=prompt_type,
        predict=lambda folder, row, number: Prediction(row["id"], "error", reason="none"),
    )  # fmt: skip
    data = Page(write_report([run])).blocks[0]
    word = data["strings"].__getitem__
    for prompt in data["prompts"]:
        halves = {"o": word(prompt[6]), "a": word(prompt[7]).replace("park", "amusement park")}
        pieces = [word(text) for _, text in prompt[3]] + [word(prompt[4])]
        for piece, pattern in zip(pieces, said, strict=True):
            before, after = pattern.format("|", **halves).split("|")
            assert piece.startswith(before)
            assert piece.endswith(after)
            middle = piece.removeprefix(before).removesuffix(after)
            assert middle
            assert middle != "park"


def test_several_runs_share_prompts(make_run):
    first, second = make_run("first"), make_run("second", model="oracle")
    page = Page(write_report([first, second]))
    assert len(page.blocks[0]["prompts"]) == 80
    assert len(page.blocks[0]["outputs"]) == 160
    assert (first / "report.html").exists()
    assert not (second / "report.html").exists()


def test_runs_of_one_name_are_told_apart(make_run):
    page = Page(write_report([make_run("a/run"), make_run("b/run")]))
    assert [run["label"] for run in page.blocks[0]["runs"]] == ["a/run", "b/run"]


def test_goes_without_the_prompts_pictures_when_they_have_changed(make_run):
    run = make_run()
    settings = json.loads((run / "run.json").read_text())
    write_json(run / "run.json", {**settings, "image_digest": "0" * 64})
    page = Page(write_report([run]))
    assert page.says("The prompts' pictures are not shown")
    assert {pair[0] for prompt in page.blocks[0]["prompts"] for pair in prompt[3]} == {-1}
    write_json(run / "run.json", {**settings, "images": "/nowhere/at/all"})
    assert Page(write_report([run])).says("they cannot be had here")


@pytest.mark.parametrize(
    "image", ["../../secret.png", "/etc/hostname", "images/none.png", "a" * 5000, "nul\x00", "."]
)
def test_pictures_outside_the_run_folder_or_lost_are_not_read(make_run, tmp_path, image):
    (tmp_path / "secret.png").write_bytes(b"secret")
    run = make_run(
        configs=["color_i-2shot"], limit=1,
        predict=lambda folder, row, number: Prediction(row["id"], "ok", image=image),
    )  # fmt: skip
    data = Page(write_report([run])).blocks[0]
    (output,) = data["outputs"]
    assert output[4:6] == [-1, -1]
    assert data["strings"][output[6]].startswith("no picture")


def test_says_why_a_text_ended(make_run):
    run = make_run(
        configs=["color_i-2shot"], limit=2, output="description",
        predict=lambda folder, row, number: Prediction(
            row["id"], "ok", text="A red", finish_reason=["stop", "length"][number]
        ),
    )  # fmt: skip
    data = Page(write_report([run])).blocks[0]
    reasons = [output[6] for output in data["outputs"]]
    assert reasons[0] == -1
    assert data["strings"][reasons[1]] == "ended by length"


def test_an_unreadable_picture_does_not_stop_the_report(make_run):
    def predict(folder, row, number):
        (folder.path / "images").mkdir(exist_ok=True)
        (folder.path / "images" / "x.png").write_bytes(b"\x89PNG\r\n\x1a\nno picture")
        return Prediction(row["id"], "ok", image="images/x.png")

    run = make_run(limit=2, predict=predict)
    data, thumbnails = Page(write_report([run])).blocks
    assert thumbnails[data["outputs"][0][4]] == ""
