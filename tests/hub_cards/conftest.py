"""Run folders of the true shape, made through `RunFolder`, and a real Chromium to look at reports.

Chromium is spoken to over its DevTools pipe, so that no package is needed beside the browser.
"""

import csv
import fcntl
import hashlib
import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from cobsat import TASKS, THEMES, Options, Prediction, RunFolder, RunSettings, Verdict, examples
from cobsat.images import image_source
from cobsat.layout import LABELS, stem
from cobsat.metrics.scores import scores
from cobsat.run_folder import write_json
from PIL import Image, ImageDraw

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
def make_run(tmp_path, pictures):
    """Return a function that makes a judged run folder, from what a model and judges say."""

    def make(
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
        folder = RunFolder(tmp_path / name)
        source = image_source(str(pictures))
        options = {"model": "copy", "images": str(pictures), "image_digest": source.digest}
        options |= {"model_options": COPY_OPTIONS, "versions": {"cobsat": "0.1.0"}, **settings}
        run = RunSettings(configs=tuple(configs), limit=limit, **options)
        folder.start(run)
        chosen = Options(prompt_type=run.prompt_type, output=run.output, images=run.images)
        rows = [
            row for config in configs for row in examples(config, run.split, chosen, source)[:limit]
        ]
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


@pytest.fixture(scope="session")
def chromium():
    """The path of a Chromium."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    found = found or shutil.which("google-chrome")
    if not found:
        pytest.skip("no chromium on this machine: install Debian's package chromium")
    return found


@pytest.fixture(scope="session")
def browser(chromium, tmp_path_factory):
    """A running headless Chromium; tests open pages in it."""
    running = Browser(chromium, tmp_path_factory.mktemp("chromium"))
    yield running
    running.close()


class Browser:
    """Speaks the DevTools protocol with a headless Chromium over a pipe (descriptors 3 and 4)."""

    def __init__(self, binary, profile):
        to_read, self._write = _high_pipe()
        self._read, to_write = _high_pipe()

        def inherit():
            os.dup2(to_read, 3)
            os.dup2(to_write, 4)

        arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={profile}",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            [binary, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=inherit,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._number = 0
        self._session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        """Call a DevTools method and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def _next(self):
        while b"\0" not in self._buffer:
            data = os.read(self._read, 1 << 20)
            if not data:
                raise RuntimeError("chromium has ended")
            self._buffer += data
        raw, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(raw)
        if "method" in message:
            self.events.append(message)
        return message

    def open(self, path, fragment="", width=1280, height=900, dark=False):
        """Open a file, and forget what other pages did."""
        self.call("Page.navigate", url="about:blank")
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)
        self.events.clear()
        self.call("Page.navigate", url=f"{Path(path).resolve().as_uri()}{fragment}")
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._next()

    def run(self, script):
        """Run a script in the page and return its value."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def press(self, key):
        """Press one key."""
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def faults(self):
        """Return what a page must not do: throw, complain, open dialogs, or ask a network."""
        self.run("new Promise((done) => setTimeout(done, 50))")
        found = []
        for event in self.events:
            method, details = event["method"], event["params"]
            if method in ("Runtime.exceptionThrown", "Page.javascriptDialogOpening"):
                found.append((method, json.dumps(details)[:500]))
            if method == "Log.entryAdded" and details["entry"]["level"] in ("error", "warning"):
                found.append((method, details["entry"]["text"]))
            if method == "Network.requestWillBeSent":
                url = details["request"]["url"]
                if not url.startswith("data:") and details.get("type") != "Document":
                    found.append((method, url))
        return found

    def close(self):
        """End the browser."""
        try:
            self._session = None
            self.call("Browser.close")
        except (RuntimeError, OSError):
            self._process.kill()
        self._process.wait(10)
        os.close(self._read)
        os.close(self._write)


def _high_pipe():
    """Return a pipe whose descriptors are clear of 3 and 4, and not inherited as they are."""
    made = []
    for end in os.pipe():
        made.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))
        os.close(end)
    return made
