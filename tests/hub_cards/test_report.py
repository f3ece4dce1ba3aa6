"""`cobsat report`: what the page holds, and which runs it refuses."""

import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from cobsat import TASKS, Prediction, RunFolder, Verdict
from cobsat.cli import main
from cobsat.hub_cards.report import write_report
from cobsat.run_folder import write_json
from cobsat.samples import split_sample_id


class Page(HTMLParser):
    """The page's tables as lists of cells, its JSON blocks, and every address in it."""

    def __init__(self, path):
        super().__init__()
        self.rows, self.blocks, self.addresses, self.policy, self.text = [], [], [], "", []
        self._cell = self._block = None
        self.source = path.read_text("utf-8")
        self.feed(self.source)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.addresses += [values[name] for name in ("src", "href", "action") if name in values]
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self._cell = []
        if tag == "script" and values.get("type") == "application/json":
            self._block = []

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(" ".join("".join(self._cell).split()))
            self._cell = None
        if tag == "script" and self._block is not None:
            self.blocks.append(json.loads("".join(self._block)))
            self._block = None

    def handle_data(self, data):
        self.text.append(data)
        if self._cell is not None:
            self._cell.append(data)
        if self._block is not None:
            self._block.append(data)

    def says(self, words):
        return words in " ".join("".join(self.text).split())


def rate(value, error, n):
    return {"value": value, "standard_error": error, "n": n}


def test_shows_the_scores_with_their_intervals_and_counts(make_run):
    run = make_run(configs=["color_i-2shot"])
    group = {"task": "color_i", "shots": 2, "examples": 40, "scored": 35, "unscored": 2,
             "failed": 3, "blocked": 0, "missing": 0, "accuracy": rate(0.25, 0.05, 40),
             "object": rate(0.5, 0.01, 40), "attribute": rate(1.0, 0.0, 40),
             "textual": rate(0.0, None, 40), "visual": rate(None, None, 0),
             "accuracy_scored": rate(0.99, 0.02, 35)}  # fmt: skip
    mean = {**group, "task": "all", "tasks": ["color_i"]}
    write_json(run / "scores" / "clip.json", {"groups": [group], "means": [mean], "problems": []})
    page = Page(write_report([run]))
    heading, of_all, of_task = page.rows
    numbers = ["25.0±9.8", "50.0±2.0", "100.0±0.0", "0.0", "\N{EN DASH}", "99.0±3.9"]
    assert heading == [
        "Task", "Shots", "0100", "Accuracy", "Object", "Attribute", "Textual", "Visual",
        "Of scored", "Examples", "Unscored", "Failed", "Blocked",
    ]  # fmt: skip
    assert of_all == ["all tasks", "2", "", *numbers, "40", "2", "3", "0"]
    assert of_task == ["color_i", "2", "", *numbers, "40", "2", "3", "0"]
    assert "25.0% (15.2 to 34.8), n = 40" in page.source
    assert "99.0% (95.1 to 100.0), n = 35" in page.source


def three_samples(row, prediction, draw):
    """A judge of three samples: first and last are right of odd examples, the second of even ones.

    Of example 0 the last is unscored, of example 1 the judge failed at the second.
    """
    name, sample = split_sample_id(row["id"])
    number, reference = int(name[-4:]), row["reference"]
    if (number, sample) == (0, 3):
        return Verdict(row["id"], "unscored", reason="unclear")
    if (number, sample) == (1, 2):
        return Verdict(row["id"], "error", reason="timed out")
    right = (number % 2 == 1) == (sample != 2)
    other = next(o for o in TASKS[row["task"]].theme.objects if o != reference["object"])
    shown = reference["object"] if right else other
    return Verdict(row["id"], "scored", shown, reference["attribute"], right, True)


def test_shows_single_majority_and_best_of_several_samples(make_run):
    run = make_run(configs=["color_i-2shot"], limit=8, samples=3, judge=three_samples)
    page = Page(write_report([run]))
    heading, *_, of_task = page.rows
    assert heading == [
        "Task", "Shots", "0100", "Accuracy", "Majority", "Best of 3", "Object", "Attribute",
        "Textual", "Visual", "Of scored", "Examples", "Outputs", "Unscored", "Failed", "Blocked",
        "Judge failed",
    ]  # fmt: skip
    # right are the second of 0, 2, 4, 6, the first and third of 1, 3, 5, 7: 12 of 23
    assert of_task[3].startswith("52.2±")
    # seven have all three; 0 has a tie of two, which the first wins, wrong; 3, 5, 7 are right
    assert of_task[4].startswith("42.9±")
    assert of_task[5].startswith("100.0±0.0")
    assert of_task[-6:] == ["8", "24", "1", "0", "0", "1"]
    for words in (
        "8 examples 24 outputs",
        "image output · 3 for each example",
        "Samples3 outputs for each",
        "best of 3: whether any output is right",
        "Failed, blocked and unscored outputs count as wrong",
        "best of 3 has 3.0% by chance",
    ):
        assert page.says(words), words
    names = sorted(path.name for path in (run / "plots").iterdir())
    assert "clip-best-of-k.svg" in names
    assert "clip-samples.svg" in names

    data = page.blocks[0]
    assert [output[1] for output in data["outputs"]] == [n for n in range(8) for _ in range(3)]
    ids = [data["strings"][prompt[0]] for prompt in data["prompts"]]
    assert ids == [f"color_i-2shot-test-{number:04d}" for number in range(8)]
    assert [output[8] for output in data["outputs"]] == [1, 2, 3] * 8
    flags = [[output[9][0] for output in data["outputs"][3 * n : 3 * n + 3]] for n in range(8)]
    assert flags == [[1, 0, 0], [0, 0, 0], *[[1, 0, 1]] * 6]


def test_a_run_of_one_sample_beside_one_of_several_has_no_majority(make_run):
    one = make_run("one", limit=4)
    page = Page(write_report([make_run("three", limit=4, samples=3), one]))
    cells = {(row[0], row[1]): row for row in page.rows[1:]}
    assert page.rows[0][5:7] == ["Majority", "Best of 3"]
    assert cells["one", "color_i"][5:7] == ["\N{EN DASH}", "\N{EN DASH}"]
    assert cells["three", "color_i"][5] != "\N{EN DASH}"
    assert page.says("1 or 3 for each example")
    data = page.blocks[0]
    assert len(data["prompts"]) == 8
    assert [len(output) for output in data["outputs"]] == [10] * 24 + [8] * 8
    alone = Page(write_report([one]))
    assert "Majority" not in alone.rows[0]
    assert "Outputs" not in alone.rows[0]


def test_a_partial_run_of_several_samples_counts_outputs(make_run):
    def predict(folder, row, number):
        return None if number == 5 else Prediction(row["id"], "error", reason="no")

    run = make_run(configs=["color_i-2shot"], limit=3, samples=3, predict=predict)
    page = Page(write_report([run]))
    assert page.says("Partial: 1 of 9 outputs have no prediction yet")
    assert page.rows[0][-2:] == ["Missing", "No majority"]
    # 0 and 2 have nothing but failures; of 1 an output is missing
    assert page.rows[-1][-2:] == ["1", "2"]


def test_says_what_ran(make_run):
    run = make_run(seed=7, prompt_type="misleading")
    page = Page(write_report([run]))
    digest = RunFolder(run).settings().image_digest
    for words in (
        "copy",
        "misleading prompts",
        "test split",
        "pictures of the folder squares",
        "judged by clip",
        digest[:16],
    ):
        assert page.says(words), words
    for words in ("color_i-2shot, color_ii-2shot", "cobsat 0.1.0", "tiny", "torch 2.14"):
        assert page.says(words), words


def test_asks_no_network_and_lets_no_script_in(make_run):
    page = Page(write_report([make_run()]))
    assert "default-src 'none'" in page.policy
    assert re.search(r"script-src 'sha256-[^']+'", page.policy)
    assert all(address.startswith("#") for address in page.addresses)
    assert not re.search(r"https?://(?!www\.w3\.org/)", page.source)


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
    # The first prompt of the released list: x = 8, 7, 5; theta = 3, 8, 0, and 1 for the query's
    # latent variable: bag, ball, box in sketch style, called origami, wireframe, watercolor.
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


def test_several_runs_share_prompts_and_stand_in_one_table(make_run):
    first, second = make_run("first"), make_run("second", model="oracle")
    page = Page(write_report([first, second]))
    assert page.source.count("<table>") == 1
    assert [row[0] for row in page.rows[1:] if row[1] == "color_i"] == ["first", "second"]
    assert len(page.blocks[0]["prompts"]) == 80
    assert len(page.blocks[0]["outputs"]) == 160
    assert (first / "report.html").exists()
    assert not (second / "report.html").exists()


def test_runs_of_one_name_are_told_apart(make_run):
    page = Page(write_report([make_run("a/run"), make_run("b/run")]))
    assert [run["label"] for run in page.blocks[0]["runs"]] == ["a/run", "b/run"]


def test_each_judge_has_its_own_table(make_run):
    page = Page(write_report([make_run(judges=("clip", "mention"))]))
    assert page.source.count("<table>") == 2
    assert page.blocks[0]["judges"] == ["clip", "mention"]


def test_writes_plots_that_are_svg(make_run):
    run = make_run()
    write_report([run])
    names = sorted(path.name for path in (run / "plots").iterdir())
    assert names == ["clip-accuracy.svg", "clip-object-attribute.svg", "clip-textual-visual.svg"]
    for name in names:
        root = ElementTree.parse(run / "plots" / name).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_is_the_same_for_the_same_run(make_run):
    run = make_run()
    first = write_report([run]).read_bytes()
    assert write_report([run]).read_bytes() == first


def test_out_is_written_elsewhere_and_its_pictures_are_addressed_from_there(make_run, tmp_path):
    run = make_run(limit=1)
    out = write_report([run], tmp_path / "elsewhere" / "page.html")
    data = Page(out).blocks[0]
    address = data["strings"][data["outputs"][0][5]]
    assert address.startswith("./../run/images/")
    assert (out.parent / address).is_file()
    assert (out.parent / "page-plots" / "clip-accuracy.svg").is_file()
    assert not (run / "report.html").exists()


def test_plots_lie_in_the_run_or_are_named_after_their_report(make_run, tmp_path):
    """Reports side by side keep their own plots; `plots/` is a run's own."""
    one, two = make_run("one", limit=2), make_run("two", limit=2)
    for runs, out in (
        ([one], one / "report.html"),
        ([one, two], tmp_path / "one.html"),
        ([two], tmp_path / "report.html"),
        ([two], two / "again.html"),
    ):
        write_report(runs, out)
    found = {path.parent.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.svg")}
    assert found == {"one/plots", "one-plots", "report-plots", "two/again-plots"}
    bars = {
        name: (tmp_path / name / "clip-accuracy.svg").read_text("utf-8").count("two")
        for name in ("one-plots", "report-plots")
    }
    assert bars["one-plots"] > bars["report-plots"] == 0


def test_counts_what_failed_was_blocked_or_is_missing(make_run):
    def predict(folder, row, number):
        if number == 0:
            return None
        status = ["ok", "error", "blocked"][number % 3]
        return Prediction(row["id"], status, text="A red car.", reason=None if number % 3 else "no")

    run = make_run(configs=["color_i-2shot"], limit=9, output="description", predict=predict)
    page = Page(write_report([run]))
    assert page.rows[0][-4:] == ["Unscored", "Failed", "Blocked", "Missing"]
    assert page.rows[-1][-5:] == ["9", page.rows[-1][-4], "3", "3", "1"]
    assert page.says("Partial: 1 of 9 examples have no prediction yet")
    assert [output[2] for output in page.blocks[0]["outputs"]] == [3, 1, 2, 0, 1, 2, 0, 1, 2]


def failing_judge(row, prediction, draw):
    """A judge that fails at every fifth output, and has no answer for, or cuts, some others."""
    number = int(row["id"][-1])
    if number % 5 == 0:
        return Verdict(row["id"], "error", reason="timed out <b>")
    if number == 3:
        return Verdict(row["id"], "unscored", reason="object: several numbers <i>")
    raw = {"truncated": True} if number == 4 else {}
    return Verdict(row["id"], "scored", "car", "red", True, True, raw=raw)


def test_says_where_the_judge_failed_and_why_outputs_have_no_answer(make_run):
    run = make_run(configs=["color_i-2shot"], limit=10, judge=failing_judge)
    path = run / "scores" / "clip.json"
    scores = json.loads(path.read_text())
    assert scores["cautions"] == []
    page = Page(write_report([run]))
    assert page.rows[0][-6:] == [
        "Examples", "Unscored", "Failed", "Blocked", "Judge failed", "Cut",
    ]  # fmt: skip
    assert page.rows[-1][-6:] == ["10", "1", "0", "0", "2", "1"]
    assert page.rows[-1][3].startswith("87.5±")  # 7 of 8: two are in no accuracy
    assert page.says("1object: several numbers <i>")
    assert page.says("2judge failed: timed out <b>")
    data = page.blocks[0]
    states = [data["states"][data["verdicts"][output[7][0]][0]] for output in data["outputs"]]
    assert [states.count(state) for state in ("scored", "unscored", "error")] == [7, 1, 2]
    usage = {"input_tokens": 12345}
    write_json(path, {**scores, "cautions": ["Look <out>."], "usage": usage})
    page = Page(write_report([run]))
    assert page.says("Look <out>.")
    assert page.says("input tokens12,345")


def test_a_run_whose_judge_answered_all_names_no_reasons(make_run):
    def judge(row, prediction, draw):
        return Verdict(row["id"], "scored", "car", "red", True, True)

    page = Page(write_report([make_run(judge=judge)]))
    assert not page.says("Why outputs have no answer")
    assert "Judge failed" not in page.rows[0]


def test_partly_judged_runs_are_marked(make_run):
    run = make_run(judged=30)
    assert Page(write_report([run])).says("Partial: 50 predictions have no verdict by clip")


def test_a_judge_without_scores_is_named(make_run):
    run = make_run(judges=("clip", "mention"))
    (run / "scores" / "mention.json").unlink()
    page = Page(write_report([run]))
    assert page.says("mention has verdicts but no scores yet")
    assert page.blocks[0]["judges"] == ["clip"]


def test_broken_lines_are_counted(make_run):
    run = make_run()
    path = run / "predictions.jsonl"
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], b"{broken", *lines[2:]]))
    page = Page(write_report([run]))
    assert page.says("1 broken line was left out (predictions.jsonl, line 2:")
    assert page.says("Partial: 1 of 80 examples have no prediction")


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


def test_refuses_runs_on_different_pictures(make_run, pictures, tmp_path):
    first = make_run("first")
    other = make_run("second")
    settings = RunFolder(other).settings()
    changed = replace(settings, images="official", image_digest="abc" * 20)
    write_json(other / "run.json", vars(changed))
    with pytest.raises(ValueError, match=r"same pictures, got .*first and official \(abcabcabcabc"):
        write_report([first, other])
    assert not (first / "report.html").exists()


def test_refuses_one_run_twice_and_none(make_run):
    run = make_run()
    with pytest.raises(ValueError, match="twice"):
        write_report([run, run.parent / "." / run.name])
    with pytest.raises(ValueError, match="got none"):
        write_report([])


def test_refuses_a_folder_in_place_of_a_file(make_run, tmp_path):
    with pytest.raises(ValueError, match="out must be a file"):
        write_report([make_run()], tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"groups": [{}], "means": []}',
        '{"groups": 3, "means": []}',
        '{"groups": [{"task": "color_i", "shots": 2, "object": {"value": "high"}}], "means": []}',
    ],
)
def test_scores_that_are_none_say_so(make_run, text):
    run = make_run()
    (run / "scores" / "clip.json").write_text(text)
    with pytest.raises(ValueError, match=r"clip\.json must hold the scores that `cobsat judge`"):
        write_report([run])


def test_the_command_gives_one_clear_line(make_run, tmp_path, capsys):
    run = make_run()
    assert main(["report", str(run)]) == 0
    assert capsys.readouterr().out.strip() == str(run / "report.html")
    shutil.rmtree(run / "scores")
    assert main(["report", str(run)]) == 2
    error = capsys.readouterr().err
    assert f"cobsat judge {run}" in error
    assert error.strip().count("\n") == 0
    assert main(["report", str(tmp_path / "nothing")]) == 2
    assert "must be a run folder" in capsys.readouterr().err
