"""`cobsat publish` against a Hub on loopback: what goes, what stays, what is refused, what resumes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cobsat.cli import main
from cobsat.export import export
from hub_server import HubServer

pytestmark = pytest.mark.filterwarnings(
    "ignore:Use 'content=<...>' to upload raw bytes:DeprecationWarning"  # the client's own upload
)

Capture = pytest.CaptureFixture[str]
TABLE = "data/color_i-2shot/test_columns/test.parquet"


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as server, server.for_this_process():
        yield server


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("export") / "export"
    export(out, ["color_i-2shot"])
    return out


def publish(*arguments: object) -> int:
    return main(["publish", *map(str, arguments)])


def refused(capsys: Capture, *arguments: object) -> str:
    """Run a command that must fail: exit code 2, one line, no output."""
    capsys.readouterr()
    assert publish(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_a_dataset_goes_once(hub: HubServer, exported: Path, capsys: Capture) -> None:
    command = ["dataset", exported, "--to", "org/cobsat", "--yes"]
    assert publish(*command) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "org/cobsat (dataset, new, public)"
    assert out[-1] == f"{hub.url}/datasets/org/cobsat"
    repo = hub.repos["dataset", "org/cobsat"]
    here = {p.relative_to(exported).as_posix() for p in exported.rglob("*") if p.is_file()}
    assert set(repo.files) == here | {".gitattributes"}
    for name in here:
        assert repo.files[name].data == (exported / name).read_bytes()
    assert repo.files[TABLE].large
    tables = [name for name in here if name.endswith(".parquet")]
    assert sorted(hub.sent()) == sorted(
        [*(f"PUT {(exported / name).stat().st_size} bytes" for name in tables), "commit org/cobsat"]
    )
    assert publish(*command) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[-2:] == ["all is there already", f"{hub.url}/datasets/org/cobsat"]
    assert hub.sent() == []
