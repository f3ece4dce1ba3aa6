"""`cobsat label`: over real HTTP, in a real Chromium with real keys, and killed in the middle."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cobsat import Prediction, RunFolder, RunSettings, Verdict
from cobsat.metrics.label_outputs import open_session, outputs_to_label
from cobsat.metrics.label_server import LabelServer, open_server, page_address
from cobsat.metrics.labels import labels_path, read_labels
from cobsat.metrics.outputs import run_rows, run_themes
from cobsat.run_folder import write_json
from PIL import Image

HOSTILE = "</p><img src=x onerror='window.hacked = 1'><script>window.hacked = 2</script>"
PIXELS = 8


def make_run(path: Path, output: str, limit: int = 6, tasks: tuple[str, ...] = ()) -> RunFolder:
    """Outputs of which every third repeats the one before; the second to last one is a failure."""
    configs = tuple(f"{task}-2shot" for task in tasks or ("color_i", "action_ii"))
    settings = RunSettings(
        "secret-model", configs, output=output, limit=limit, images="nowhere", image_digest="d" * 64
    )
    folder = RunFolder(path)
    folder.start(settings)
    (path / "images").mkdir()
    rows = list(run_rows(settings))
    lines = []
    for number, row in enumerate(rows):
        shown = number - (number % 3 == 2)
        if number == len(rows) - 2:
            lines.append(Prediction(row["id"], "error", reason="no"))
        elif output == "image":
            name = f"images/{row['id']}.png"
            color = (shown * 20 % 256, 99, 99)
            Image.new("RGB", (PIXELS, PIXELS), color).save(path / name)
            lines.append(Prediction(row["id"], "ok", image=name))
        else:
            lines.append(Prediction(row["id"], "ok", text=f"{HOSTILE} number {shown}"))
    with folder.append_predictions() as appender:
        appender.add(lines)
    with folder.append_verdicts("judge") as verdicts:
        verdicts.add(
            Verdict(row["id"], "scored", "judged-object", "judged-attribute", False, False)
            for row in rows
        )
    write_json(folder.scores_path("judge"), {"judge": {"name": "judge"}})
    return folder


@pytest.fixture(params=["image", "description"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> RunFolder:
    return make_run(tmp_path / "run", request.param)


class Page:
    """A running server, and a client that can send it anything."""

    def __init__(self, folder: RunFolder, person: str = "ada", **options: Any) -> None:
        self.session = open_session(folder, person, **options)
        self.server: LabelServer = open_server(self.session)
        self.port = self.server.server_address[1]
        self.address = page_address(self.server)
        self.base = f"/{self.server.secret}/"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self._thread.start()

    def ask(
        self, path: str, method: str = "GET", body: Any = None, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            data = None if body is None else body if type(body) is bytes else json.dumps(body)
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, data, given)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def post(self, number: Any, object_: Any, attribute: Any, **headers: str) -> tuple[int, Any]:
        here = f"http://127.0.0.1:{self.port}"
        given = {"Origin": here, "Content_Type": "application/json", **headers}
        verdict = {"number": number, "object": object_, "attribute": attribute}
        status, _, data = self.ask(f"{self.base}answer", "POST", verdict, **given)
        return status, json.loads(data)

    def close(self) -> None:
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()


@pytest.fixture
def page(run: RunFolder) -> Iterator[Page]:
    opened = Page(run)
    yield opened
    opened.close()


def labels_of(folder: RunFolder, person: str = "ada") -> dict[str, tuple[str, str]]:
    labels, problems = read_labels(labels_path(folder, person), run_themes(folder.settings()))
    assert problems == []
    return {i: (label.object, label.attribute) for i, label in labels.items()}


def test_outputs_are_shuffled_and_each_is_asked_once(run: RunFolder) -> None:
    outputs = outputs_to_label(run)
    ids = [i for output in outputs for i in output.ids]
    assert len(ids) == len(set(ids)) == 11  # all but the failed one
    assert len(outputs) == 8
    assert all((o.picture is None) != (o.description is None) for o in outputs)
    assert [o.ids for o in outputs] == [o.ids for o in outputs_to_label(run)]
    assert [o.ids for o in outputs] != [o.ids for o in outputs_to_label(run, 1)]
    themes = [output.theme.name for output in outputs]
    assert themes != sorted(themes)
    assert themes != sorted(themes, reverse=True)
    assert {output.theme.name for output in outputs} == {"color", "action"}


def test_a_sample_is_a_beginning_and_grows(run: RunFolder) -> None:
    small = open_session(run, "ada", sample=3, seed=5)
    small.answer(0, {"object": small.items[0].theme.objects[0], "attribute": ""})
    record = json.loads(labels_path(run, "ada").with_suffix(".json").read_text())
    assert record == {"person": "ada", "seed": 5, "sample": 3, "outputs": 8}
    more = open_session(run, "ada", sample=6)
    assert more.items[:3] == small.items
    assert more.progress() == {"done": 1, "of": 6, "next": 1}
    with pytest.raises(ValueError, match=r"seed must be that of the labels in .* \(5\), got 4"):
        open_session(run, "ada", seed=4)
    assert open_session(run, "bob", seed=5, sample=3).items == small.items
    assert open_session(run, "bob").progress()["done"] == 0


def test_nothing_tells_the_answer(page: Page, run: RunFolder, tmp_path: Path) -> None:
    """Neither reference, judge, model, id nor path is in anything that is sent."""
    _, headers, html = page.ask(page.base)
    sent = [str(headers), html.decode()]
    for number in range(8):
        _, headers, data = page.ask(f"{page.base}item/{number}")
        item = json.loads(data)
        theme = page.session.items[number].theme
        assert item.pop("objects") == list(theme.objects)
        assert item.pop("attributes") == list(theme.attributes)
        assert set(item) == {
            "number", "theme", "description", "pictures", "said", "done", "of", "next",
        }  # fmt: skip
        assert item["said"] is None
        sent += [str(headers), json.dumps(item)]
        _, headers, _ = page.ask(f"{page.base}picture/{number}/0")
        sent.append(str(headers))
    everything = "\n".join(sent)
    for secret in ("secret-model", "judged", "2shot", str(run.path), "color_i", "action_ii"):
        assert secret not in everything
    other = make_run(tmp_path / "other", "description", tasks=("style_i",))
    server = open_server(open_session(other, "bob"))
    server.server_close()
    assert html == server.page  # nothing of the run is in the page itself


def test_a_verdict_is_saved_for_every_copy(page: Page, run: RunFolder) -> None:
    output = next(o for o in page.session.items if len(o.ids) == 2)
    number = page.session.items.index(output)
    words = output.theme.objects[4], output.theme.attributes[9]
    assert page.post(number, *words) == (200, {"done": 1, "of": 8, "next": int(number == 0)})
    assert labels_of(run) == dict.fromkeys(output.ids, words)
    assert page.post(number, "", "") == (200, {"done": 1, "of": 8, "next": int(number == 0)})
    assert labels_of(run) == dict.fromkeys(output.ids, ("", ""))
    _, _, data = page.ask(f"{page.base}item/{number}")
    assert json.loads(data)["said"] == {"object": "", "attribute": ""}


def test_labels_of_other_outputs_are_asked_again(page: Page, run: RunFolder) -> None:
    for number in range(8):
        assert page.post(number, "", "")[0] == 200
    assert open_session(run, "ada").progress() == {"done": 8, "of": 8, "next": 8}
    lines = run.predictions_path.read_text().splitlines()
    first = json.loads(lines[0])
    if "text" in first:
        first["text"] = "something else"
    else:
        Image.new("RGB", (9, 9)).save(run.path / first["image"])
    run.predictions_path.write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")
    again = open_session(run, "ada")
    assert again.progress()["done"] == 7
    assert first["id"] in again.items[again.progress()["next"]].ids


def test_other_sites_are_kept_out(page: Page, run: RunFolder) -> None:
    for path in ("/", "/item/0", "/picture/0", "/wrong-secret/", "/wrong-secret/item/0", "x", "*",
                 f"/{page.server.secret[:-1]}/item/0", f"/{page.server.secret}x/"):  # fmt: skip
        status, headers, data = page.ask(path)
        assert (status, headers["Content-Type"]) == (403, "application/json")
        assert b"open the address that cobsat label printed" in data
    for host in ("evil.example", f"evil.example:{page.port}", "127.0.0.1.evil.example", "",
                 "evil.example@127.0.0.1", "127.0.0.1@evil.example"):  # fmt: skip
        assert page.ask(page.base, Host=host)[0] == 421
        assert page.ask(f"{page.base}item/0", Host=host)[0] == 421
        assert page.post(0, "", "", Host=host)[0] == 421
    assert page.ask(page.base, Host="localhost:9")[0] == 200  # a tunnel's other end
    here = f"127.0.0.1:{page.port}"
    for origin in ("http://evil.example", "null", "", f"https://{here}", f"http://{here}1",
                   f"http://localhost:{page.port}"):  # fmt: skip
        assert page.post(0, "", "", Origin=origin)[0] == 403
    verdict = {"number": 0, "object": "", "attribute": ""}
    form = "application/x-www-form-urlencoded"
    for kind in (form, "text/plain", "multipart/form-data"):
        assert page.post(0, "", "", Content_Type=kind)[0] == 415
    assert (
        page.ask(f"{page.base}answer", "POST", verdict, Content_Type="application/json")[0] == 403
    )
    preflight, headers, _ = page.ask(f"{page.base}answer", "OPTIONS", Origin="http://evil.example")
    assert preflight >= 400
    assert not [name for name in headers if name.lower().startswith("access-control")]
    wrong = page.ask(
        "/x/answer", "POST", verdict, Origin=f"http://{here}", Content_Type="application/json"
    )
    assert wrong[0] == 403
    assert labels_of(run) == {}


def test_what_may_be_loaded_is_said(page: Page) -> None:
    for path in (page.base, f"{page.base}item/0", "/"):
        _, headers, _ = page.ask(path)
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "python" not in headers["Server"].lower()
    policy = page.ask(page.base)[1]["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; img-src 'self' data:; connect-src 'self'; ")
    assert "unsafe" not in policy
    assert "http" not in policy


def test_what_is_no_verdict_is_refused(page: Page, run: RunFolder) -> None:
    theme = page.session.items[0].theme
    good = (theme.objects[0], theme.attributes[0])
    for verdict in [(0, "automobile", good[1]), (0, good[0], good[0]), (8, *good), (-1, *good),
                    (True, *good), ("0", *good), (0.0, *good), (None, *good), (0, None, good[1]),
                    (0, good[0], 7), (0, [good[0]], good[1]), (10**30, *good)]:  # fmt: skip
        status, said = page.post(*verdict)
        assert status == 400
        assert said["error"].startswith("this is no verdict")
    headers = {"Origin": f"http://127.0.0.1:{page.port}", "Content_Type": "application/json"}
    for body in (b"", b"{", b"[]", b"null", b"\xff", b"[" * 4000, b'{"number": NaN}'):
        assert page.ask(f"{page.base}answer", "POST", body, **headers)[0] == 400
    assert page.ask(f"{page.base}answer", "POST", b"x" * 5000, **headers)[0] == 413
    assert page.ask(f"{page.base}other", "POST", b"", **headers)[0] == 404
    for path in ("item/8", "item/-1", "item/x", "item/", "item/٣", "picture/8", "../run.json",
                 "item/0/1"):  # fmt: skip
        assert page.ask(page.base + "".join(f"%{b:02x}" if b > 127 else chr(b)
                                            for b in path.encode()))[0] == 404  # fmt: skip
    assert labels_of(run) == {}
    assert page.post(0, *good)[0] == 200


def test_a_full_disk_is_said_and_nothing_is_counted(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert page.post(0, "", "") == (
        507,
        {"error": "it could not be saved: No space left on device"},
    )
    assert page.session.progress()["done"] == 0


def test_pictures_are_shown_whatever_they_are(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", "image")
    page = Page(run)
    try:
        paths = [output.picture for output in page.session.items]
        for path, kind in zip(paths, ("JPEG", "WEBP", "BMP", "TIFF"), strict=False):
            assert path is not None
            Image.new("RGB", (PIXELS, PIXELS), "red").save(path, kind)
        assert paths[4] is not None
        assert paths[5] is not None
        paths[4].write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
        paths[5].unlink()
        kinds = []
        for number in range(6):
            status, headers, data = page.ask(f"{page.base}picture/{number}/0")
            kinds.append((status, headers["Content-Type"]))
            assert status == 404 or data
        assert kinds == [
            (200, "image/jpeg"), (200, "image/webp"), (200, "image/png"), (200, "image/png"),
            (404, "application/json"), (404, "application/json"),
        ]  # fmt: skip
    finally:
        page.close()


def test_nothing_to_look_at_is_an_error(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", "description")
    run.predictions_path.write_text("")
    with pytest.raises(ValueError, match="must hold pictures or descriptions to look at, got none"):
        open_session(run, "ada")
    with pytest.raises(FileNotFoundError, match="must be a run folder"):
        open_session(RunFolder(tmp_path), "ada")


def test_a_taken_port_is_named(page: Page) -> None:
    with pytest.raises(ValueError, match=f"port must be free, got {page.port}"):
        open_server(page.session, page.port)


def start(run: RunFolder, *options: str) -> tuple[subprocess.Popen[str], str]:
    """Start the real command, and return it with its page's address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "cobsat.cli", "label", str(run.path), "--no-browser", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1", "LOGNAME": "the user"},
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", address), address
    return process, address


def send(address: str, number: int) -> None:
    host = address.split("/")[2]
    connection = http.client.HTTPConnection(host, timeout=10)
    body = json.dumps({"number": number, "object": "", "attribute": ""})
    headers = {"Origin": f"http://{host}", "Content-Type": "application/json"}
    connection.request("POST", f"/{address.split('/')[3]}/answer", body, headers)
    assert connection.getresponse().status == 200
    connection.close()


def test_killed_in_the_middle_nothing_is_lost(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", "description")
    process, address = start(run)
    for number in range(3):
        send(address, number)
    process.kill()
    process.communicate(timeout=20)
    outputs = outputs_to_label(run)
    assert set(labels_of(run, "the user")) == {i for o in outputs[:3] for i in o.ids}
    with open(labels_path(run, "the user"), "a") as file:
        file.write("color_i-2shot-test-00")
    process, address = start(run, "--port", "0")
    for number in range(3, 5):
        send(address, number)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    assert said.endswith(f"5 of 8 outputs labelled, in {labels_path(run, 'the user')}\n")
    assert "Traceback" not in said
    assert set(labels_of(run, "the user")) == {i for o in outputs[:5] for i in o.ids}


def wait(browser: Any, script: str, wanted: Any) -> None:
    """Wait until a script in the page gives a value."""
    end = time.monotonic() + 20
    while (got := browser.run(script)) != wanted:
        assert time.monotonic() < end, (script, got, wanted)
        time.sleep(0.02)


COUNT = "document.getElementById('count').textContent"
READY = "!busy && progress.of > 0"
CHOSEN = "[...document.querySelectorAll('[aria-pressed=true] span')].map((s) => s.textContent)"


def press(browser: Any, keys: str) -> None:
    for key in {"<": ["ArrowLeft"], ">": ["ArrowRight"], "#": ["Backspace"]}.get(keys, keys):
        wait(browser, READY, True)
        browser.press(key)
    wait(browser, READY, True)


def test_a_person_labels_with_the_keyboard(browser: Any, run: RunFolder, page: Page) -> None:
    outputs = page.session.items
    browser.open(page.address)
    wait(browser, COUNT, "0 of 8")
    press(browser, "3")
    assert browser.run(CHOSEN) == [outputs[0].theme.objects[2]]
    press(browser, "#")  # undone
    assert browser.run(CHOSEN) == []
    press(browser, "50")
    wait(browser, COUNT, "1 of 8")
    first = (outputs[0].theme.objects[4], outputs[0].theme.attributes[9])
    assert labels_of(run) == dict.fromkeys(outputs[0].ids, first)
    press(browser, "u")
    press(browser, "1")
    wait(browser, COUNT, "2 of 8")
    assert labels_of(run)[outputs[1].ids[0]] == ("", outputs[1].theme.attributes[0])
    press(browser, "<")
    press(browser, "<")
    wait(browser, COUNT, "2 of 8, looking at 1")
    assert browser.run(CHOSEN) == list(first)
    press(browser, "<")  # there is none before
    assert browser.run(COUNT) == "2 of 8, looking at 1"
    press(browser, "22")  # another verdict; on to the next
    wait(browser, COUNT, "2 of 8, looking at 2")
    again = (outputs[0].theme.objects[1], outputs[0].theme.attributes[1])
    assert labels_of(run)[outputs[0].ids[0]] == again
    press(browser, ">")
    wait(browser, COUNT, "2 of 8")
    press(browser, ">")  # not past what has no verdict yet
    assert browser.run("item.number") == 2
    press(browser, "#")
    wait(browser, COUNT, "2 of 8, looking at 2")
    press(browser, ">")
    for number in range(2, 8):
        press(browser, "9")
        press(browser, "9")
        wait(browser, COUNT, f"{number + 1} of 8")
    assert browser.run("document.getElementById('finished').hidden") is False
    assert len(labels_of(run)) == 11
    press(browser, "#")
    wait(browser, COUNT, "8 of 8, looking at 8")
    assert browser.faults() == []
    assert browser.run("typeof window.hacked") == "undefined"


def test_keys_with_modifiers_are_the_browser_s(browser: Any, page: Page) -> None:
    browser.open(page.address)
    wait(browser, COUNT, "0 of 8")
    for modifier in ("Alt", "Control", "Meta"):
        browser.press(f"{modifier}+1")
    assert browser.run(CHOSEN) == []


def test_what_is_shown_is_the_output(browser: Any, run: RunFolder, page: Page) -> None:
    browser.open(page.address)
    wait(browser, COUNT, "0 of 8")
    output = page.session.items[0]
    if output.description is None:
        assert browser.run("document.getElementById('picture').naturalWidth") == PIXELS
        assert browser.run("document.getElementById('written').hidden") is True
    else:
        shown = browser.run("document.getElementById('written').textContent")
        assert shown == output.description
        assert HOSTILE in shown
        assert browser.run("document.querySelectorAll('img:not(#picture), script').length") == 1
        assert browser.run("document.getElementById('picture').hidden") is True
    title = browser.run("document.querySelector('#attribute .title').textContent")
    assert title == f"What is the {output.theme.name} (of the main object)?"


def test_by_mouse_or_finger_in_any_order(browser: Any, run: RunFolder, page: Page) -> None:
    browser.open(page.address, width=390, height=844, dark=True)
    wait(browser, COUNT, "0 of 8")
    browser.run("document.querySelectorAll('#attribute button')[3].click()")
    browser.run("document.querySelectorAll('#object button')[10].click()")
    wait(browser, COUNT, "1 of 8")
    output = page.session.items[0]
    assert labels_of(run)[output.ids[0]] == ("", output.theme.attributes[3])
    assert browser.run("document.documentElement.scrollWidth") == 390
    names = "[...document.querySelectorAll('button, img, progress')].every((e) => "
    names += "(e.textContent || e.alt || e.ariaLabel || '').trim())"
    assert browser.run(names) is True
    assert browser.faults() == []


def test_a_server_that_is_gone_is_said_and_the_answer_stays(browser: Any, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", "description")
    process, address = start(run, "--person", "ada")
    browser.open(address)
    wait(browser, COUNT, "0 of 8")
    process.kill()
    process.communicate(timeout=20)
    press(browser, "12")
    wait(browser, "document.getElementById('problem').hidden", False)
    assert "give the command again" in browser.run("document.getElementById('problem').textContent")
    assert browser.run(COUNT) == "0 of 8"
    assert len(browser.run(CHOSEN)) == 2
    assert labels_of(run) == {}
