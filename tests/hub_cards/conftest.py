"""Run folders of the true shape, made through `RunFolder`."""

import csv
import hashlib
import random
from functools import partial
from pathlib import Path

import pytest
from cobsat import TASKS, THEMES, Prediction, RunFolder, RunSettings, Verdict
from cobsat.images import image_source
from cobsat.layout import LABELS, stem
from cobsat.metrics.scores import scores
from cobsat.run_examples import run_examples
from cobsat.run_folder import write_json
from hub_server import HubServer
from PIL import Image, ImageDraw
from report_pages import without_plots

COPY_OPTIONS = {"record": {"name": "copy"}}


@pytest.fixture(scope="session")
def pictures(tmp_path_factory):
    """500 small pictures in the official layout, all different."""
    folder = tmp_path_factory.mktemp("pictures") / "squares"
    for number, label in enumerate(LABELS):
        path = folder / f"{stem(label)}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        picture = Image.new("RGB", (64, 64), (number * 5 % 256, number * 11 % 256, number // 2))
        ImageDraw.Draw(picture).ellipse((8, 8, 8 + number % 50, 56), fill="white")
        picture.save(path)
    for theme in THEMES.values():
        with open(folder / f"{theme.name}_{theme.object_kind}.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["image", "caption"])
            for attribute in theme.attributes:
                for object_ in theme.objects:
                    name = stem((theme.name, attribute, object_)).split("/")[1]
                    writer.writerow([f"{name}.png", f"A {attribute} {object_}."])
    return folder


@pytest.fixture
def hub():
    """A Hub on loopback, which this process takes for the real one."""
    with HubServer() as server, server.for_this_process():
        yield server


@pytest.fixture
def no_plots():
    """Reports without their plots, which take longer to draw than all else; one in leaderboards."""
    with without_plots():
        yield


@pytest.fixture
def make_run(tmp_path, run_maker):
    """Return a function that makes a judged run folder in the test's own."""
    return partial(run_maker, tmp_path)


@pytest.fixture(scope="session")
def run_maker(pictures):
    """Return a function that makes a judged run folder, from what a model and judges say."""

    def make(
        base,
        name="run",
        *,
        configs=("color_i-2shot", "color_ii-2shot"),
        limit=40,
        predict=None,
        judge=None,
        judges=("clip",),
        judged=None,
        **settings,
    ):
        folder = RunFolder(base / name)
        source = image_source(str(pictures))
        options = {"model": "copy", "images": str(pictures), "image_digest": source.digest}
        options |= {"model_options": COPY_OPTIONS, "versions": {"cobsat": "0.1.0"}, **settings}
        run = RunSettings(configs=tuple(configs), limit=limit, **options)
        folder.start(run)
        rows = list(run_examples(run, source))
        with folder.append_predictions() as predictions:
            given = [(predict or copy_last)(folder, row, number) for number, row in enumerate(rows)]
            predictions.add(p for p in given if p is not None)
        predicted, _ = folder.predictions()
        for number, judge_name in enumerate(judges):
            draw = random.Random(number)
            with folder.append_verdicts(judge_name) as verdicts:
                to_judge = [row for row in rows if row["id"] in predicted][:judged]
                verdicts.add(
                    (judge or some_verdict)(row, predicted[row["id"]], draw) for row in to_judge
                )
            found, problems = folder.verdicts(judge_name)
            record = {"name": judge_name, "checkpoint": "tiny", "versions": {"torch": "2.14"}}
            write_json(
                folder.scores_path(judge_name),
                {
                    "judge": record,
                    "run": {},
                    "problems": problems,
                    "cautions": [],
                    **scores(rows, predicted, found),
                },
            )
        return folder.path

    return make


def copy_last(folder, row, number):
    """The copy baseline: the last demonstration, each picture stored once."""
    if row["output"] == "description":
        return Prediction(row["id"], "ok", text=row["demonstrations"][-1]["description"])
    path = Path(row["demonstrations"][-1]["image"])
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    target = folder.path / "images" / f"{digest[:16]}.png"
    if not target.exists():
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(data)
    return Prediction(row["id"], "ok", image=f"images/{target.name}", image_sha256=digest)


def some_verdict(row, prediction, draw):
    """A judge that is right about as often as not, and sometimes has no answer."""
    if prediction.status != "ok":
        return Verdict(row["id"], "unscored", reason=f"prediction: {prediction.status}")
    theme, reference = TASKS[row["task"]].theme, row["reference"]
    if draw.random() < 0.05:
        return Verdict(
            row["id"], "unscored", object=reference["object"], object_correct=True,
            reason="attribute: named none of the ten options",
        )  # fmt: skip
    object_ = reference["object"] if draw.random() < 0.7 else draw.choice(theme.objects)
    attribute = reference["attribute"] if draw.random() < 0.5 else draw.choice(theme.attributes)
    right = (object_ == reference["object"], attribute == reference["attribute"])
    return Verdict(row["id"], "scored", object_, attribute, *right)
