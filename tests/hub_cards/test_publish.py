"""`cobsat publish` against a Hub on loopback: what goes, what is refused, what resumes."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from cobsat.examples import Options
from cobsat.export import export
from cobsat.hub_cards.publish_files import check_keys
from hub_api import READ_TOKEN
from hub_server import HubServer
from huggingface_hub import constants
from publishing import Capture, lines, on_hub, publish, refused

TABLE = "data/color_i-2shot/test_columns/test.parquet"
KEY = "hf_" + "Q7" * 17
API_KEY = "sk-" + "proj-" + "Zk4" * 12


@pytest.fixture(scope="session")
def shared_export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("export") / "export"
    export(out, ["color_i-2shot"])
    return out


@pytest.fixture
def exported(shared_export: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(shared_export, tmp_path / "export"))


def content(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


def to_send(folder: Path) -> list[str]:
    """What is sent for a folder: its large files one by one, and a commit."""
    puts = [f"PUT {len(data)} bytes" for name, data in content(folder).items() if ".parq" in name]
    return sorted([*puts, "commit org/cobsat"])


def test_a_dataset_goes_once(hub: HubServer, exported: Path, capsys: Capture) -> None:
    command = ["dataset", exported, "--to", "org/cobsat", "--yes"]
    out = lines(capsys, *command)
    assert out[0] == "org/cobsat (dataset, new, public)"
    assert out[-1] == f"{hub.url}/datasets/org/cobsat"
    assert on_hub(hub, "dataset", "org/cobsat") == content(exported)
    assert hub.repos["dataset", "org/cobsat"].files[TABLE].large
    assert sorted(hub.sent()) == to_send(exported)
    out = lines(capsys, *command)
    assert out[-2:] == ["all is there already", f"{hub.url}/datasets/org/cobsat"]
    assert hub.sent() == []


def test_only_what_changed_is_sent_and_what_others_put_there_stays(
    hub: HubServer, exported: Path, capsys: Capture
) -> None:
    command = ["dataset", exported, "--to", "org/cobsat", "--yes"]
    assert publish(*command) == 0
    hub.edit("dataset", "org/cobsat", "NOTES.md", b"by a person")
    hub.sent()
    gone = "data/color_i-2shot/test_columns/ft_test.parquet"
    (exported / gone).unlink()
    with open(exported / "README.md", "a", encoding="utf-8") as card:
        card.write("more\n")
    out = lines(capsys, *command)
    assert [line.split()[:2] for line in out if line.startswith("  ")] == [
        ["changed", "README.md"], ["deleted", gone], ["same", str(len(content(exported)) - 1)],
    ]  # fmt: skip
    assert out[-2].endswith("; 1 file to delete")
    assert hub.sent() == ["commit org/cobsat"]
    assert on_hub(hub, "dataset", "org/cobsat") == {**content(exported), "NOTES.md": b"by a person"}


def test_a_dry_run_and_a_no_change_nothing(
    hub: HubServer, exported: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["dataset", exported, "--to", "org/cobsat"]
    out = lines(capsys, *command, "--dry-run")
    assert f"  new      {TABLE}  {len((exported / TABLE).read_bytes()) / 1000:.3g} kB" in out
    assert "to upload" in out[-1]
    err = refused(capsys, *command)
    assert err.startswith("cobsat publish: publishing must be confirmed, got no terminal")
    for said, published in (("", False), ("\n", False), ("n\n", False), ("y\n", True)):
        terminal = io.StringIO(said)
        terminal.isatty = lambda: True  # type: ignore[method-assign]
        monkeypatch.setattr(sys, "stdin", terminal)
        out = lines(capsys, *command)
        assert ("nothing was published" in out[-1]) is not published
        assert bool(hub.repos) is published


def test_ctrl_c_says_how_to_go_on(
    hub: HubServer, exported: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cobsat.hub_cards.publish.carry_out", stopped)
    assert publish("dataset", exported, "--to", "org/cobsat", "--yes") == 130
    assert capsys.readouterr().err == "stopped: the same command goes on from here\n"


def test_private(hub: HubServer, exported: Path, capsys: Capture) -> None:
    command = ["dataset", exported, "--to", "org/cobsat", "--yes"]
    assert lines(capsys, *command, "--private")[0] == "org/cobsat (dataset, new, private)"
    repo = hub.repos["dataset", "org/cobsat"]
    assert repo.private
    assert lines(capsys, *command)[0] == "org/cobsat (dataset, there, private)"
    assert repo.private
    repo.private = False
    hub.sent()
    out = lines(capsys, *command, "--private")
    assert out[0] == "org/cobsat (dataset, there, public, to be private)"
    assert repo.private
    assert hub.sent() == ["settings"]


def test_what_failed_in_the_middle_is_completed_by_the_same_command(
    hub: HubServer, exported: Path, capsys: Capture
) -> None:
    command = ["dataset", exported, "--to", "org/cobsat", "--yes"]
    hub.fail("PUT", "/lfs/", status=400, times=9, after=2)  # 400: the client does not try again
    assert publish(*command) == 2
    assert "org/cobsat must be what the Hub takes" in capsys.readouterr().err
    hub.mend()
    hub.fail("POST", "/commit/", status=500)
    assert publish(*command) == 2
    err = capsys.readouterr().err
    assert "HTTP 500" in err
    assert err.endswith("the same command goes on from there\n")
    assert len(hub.repos["dataset", "org/cobsat"].commits) == 1
    sent = hub.sent()
    assert publish(*command) == 0
    assert sorted([*sent, *hub.sent()]) == to_send(exported)  # each large file once in all
    assert on_hub(hub, "dataset", "org/cobsat") == content(exported)


def test_a_server_that_stumbles_is_asked_again(hub: HubServer, exported: Path) -> None:
    hub.fail("PUT", "/lfs/", status=500)
    assert publish("dataset", exported, "--to", "org/cobsat", "--yes") == 0
    assert on_hub(hub, "dataset", "org/cobsat") == content(exported)


def test_a_killed_one_goes_on(exported: Path, tmp_path: Path) -> None:
    with HubServer() as hub:
        silent = hub.fail("PUT", "/lfs/", status=0, times=9, after=2)
        command = [sys.executable, "-m", "cobsat.cli", "publish", "dataset", str(exported)]
        process = subprocess.Popen(
            [*command, "--to", "org/cobsat", "--yes"],
            env={
                **os.environ,
                **hub.environment,
                "HF_HOME": str(tmp_path / "home"),
                "TMPDIR": str(tmp_path),  # what is killed leaves its folder
            },
            stdout=subprocess.DEVNULL,
        )
        assert silent.reached.wait(300)
        while len(sent := hub.sent(forget=False)) < 2:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert "commit org/cobsat" not in sent
        hub.mend()
        with hub.for_this_process():
            assert publish("dataset", exported, "--to", "org/cobsat", "--yes") == 0
        assert sorted(hub.sent()) == to_send(exported)
        assert on_hub(hub, "dataset", "org/cobsat") == content(exported)


def test_changes_by_others_between_asking_and_sending_stop_it(
    hub: HubServer, exported: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["dataset", exported, "--to", "org/cobsat"]
    assert publish(*command, "--yes") == 0
    (exported / "README.md").write_text("---\nlicense: apache-2.0\n---\n")

    def answer(question: str) -> bool:
        assert question == "Publish as tester?"
        hub.edit("dataset", "org/cobsat", "README.md", b"by a person")
        return True

    monkeypatch.setattr(typer, "confirm", answer)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert publish(*command) == 2
    assert "got changes by somebody else meanwhile" in capsys.readouterr().err
    assert on_hub(hub, "dataset", "org/cobsat")["README.md"] == b"by a person"


def test_without_the_hub_or_a_token_it_ends_at_once(
    exported: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["dataset", exported, "--to", "org/cobsat", "--yes"]
    with HubServer() as hub:
        with hub.for_this_process(token=None):
            assert "token of the Hub that may write, got none: `hf auth" in refused(
                capsys, *command
            )
        assert hub.requests == []
        with hub.for_this_process(token="hf_" + "unknown" * 5):
            assert "the token must be one that the Hub knows" in refused(capsys, *command)
        with hub.for_this_process(token=READ_TOKEN):
            assert "must be one that may write, got one that may read" in refused(capsys, *command)
        with hub.for_this_process():
            command[3] = "others/cobsat"
            assert publish(*command) == 2
            err = capsys.readouterr().err
            assert "others/cobsat must be a repository that the token may write to" in err
            monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
            assert "got HF_HUB_OFFLINE=1" in refused(capsys, *command)
    assert hub.repos == {}
    with hub.for_this_process():  # nobody listens there any more
        err = refused(capsys, *command)
    assert err.startswith(f"cobsat publish: {hub.url} must be reached to publish, got ConnectError")


@pytest.mark.parametrize("name", ["cobsat", "org/", "org/a/b", "org/a b"])
def test_names_that_are_none_of_the_hubs(exported: Path, name: str, capsys: Capture) -> None:
    assert name in refused(capsys, "dataset", exported, "--to", name, "--yes")


def test_a_folder_that_is_no_export(hub: HubServer, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "README.md").write_text("# Mine\n")
    for folder in (tmp_path, tmp_path / "none", tmp_path / "README.md"):
        err = refused(capsys, "dataset", folder, "--to", "org/cobsat", "--yes")
        assert f"{folder} must be a folder that `cobsat export` wrote" in err


def test_others_pictures_need_the_right_to(
    hub: HubServer, picture_folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    export(tmp_path / "export", ["color_i-2shot"], Options(images=str(picture_folder)))
    command = ["dataset", tmp_path / "export", "--to", "org/theirs", "--yes"]
    err = refused(capsys, *command)
    assert f"got those of folder:{picture_folder.name}" in err
    assert "--i-have-the-right-to" in err
    shutil.rmtree(tmp_path / "export/data/color_i-2shot")  # what is left does not name its source
    assert "got those of unknown (pictures.parquet)" in refused(capsys, *command)
    assert hub.repos == {}
    assert publish(*command, "--i-have-the-right-to") == 0
    assert on_hub(hub, "dataset", "org/theirs") == content(tmp_path / "export")


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        (f"a\nHF_TOKEN={KEY}\n", "a token of the Hub", 2),
        (json.dumps({"a": f"x\n{API_KEY}"}), "a key of an API", 1),
        ("x\n\n-----BEGIN " + "RSA PRIVATE KEY-----\n", "a private key", 3),
        ("AKIA" + "ABCD2345" * 2, "a key of AWS", 1),
        ("key: AIza" + "aB-_4" * 7, "a key of Google", 1),
        ("ghp_" + "aB4d" * 9, "a token of GitHub", 1),
        ("an odd password, of this machine", "the value of MY_API_KEY", 1),
    ],
)
def test_keys_never_go(
    hub: HubServer,
    exported: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    what: str,
    line: int,
) -> None:
    monkeypatch.setenv("MY_API_KEY", "odd password, of this")
    (exported / "README.md").write_text(text)
    err = refused(capsys, "dataset", exported, "--to", "org/cobsat", "--yes")
    assert f"got README.md, line {line}: {what}: remove it" in err
    assert not any(secret in err for secret in (KEY, API_KEY, "odd password", "AKIA", "aB"))
    assert hub.repos == {}


def test_what_only_looks_like_a_key_goes() -> None:
    base64_picture = "/9j/AKIA" + "A" * 40 + "AIza" + "b" * 60
    text = f"task-color-object-inference-2shot hf_hub_download risk-{'a' * 30} {base64_picture}"
    check_keys({"a.md": text.encode()})
