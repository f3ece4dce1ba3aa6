"""The client against `transformers serve` with a tiny checkpoint of random weights, end to end."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiny_vlms
from cobsat import Options
from cobsat.models import load_model
from cobsat.models.predict import predict
from cobsat.models.settings import run_settings

pytest.importorskip("fastapi", reason="needs pip install 'transformers[serving]'")
pytestmark = pytest.mark.slow

PATIENCE = 300.0
"""Seconds for the server to start on a busy machine; alone it takes ten."""


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_vlms.save("qwen2_5_vl", tmp_path_factory.mktemp("checkpoint") / "tiny")


@pytest.fixture(scope="module")
def address(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    command = [
        str(Path(sys.executable).with_name("transformers")), "serve", str(checkpoint),
        "--device", "cpu", "--host", "127.0.0.1", "--port", str(port),
    ]  # fmt: skip
    with open(log, "wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        end = time.monotonic() + PATIENCE
        while not _is_up(port):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)


def _is_up(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
            return True
    except urllib.error.HTTPError as error:
        error.close()
        return True
    except OSError:
        return False


def test_a_served_checkpoint_says_what_it_says_here(
    address: str, checkpoint: Path, picture_folder: Path, tmp_path: Path
) -> None:
    options = Options(output="description", images=str(picture_folder))
    texts = []
    for name, given in (
        ("openai", {"model": str(checkpoint), "base_url": address, "max_tokens": 6}),
        ("transformers", {"checkpoint": str(checkpoint), "max_new_tokens": 6, "device": "cpu"}),
    ):
        model = load_model(name, **given)
        settings = run_settings(name, model, given, ("color_i-2shot",), "test", options, 4)
        folder = predict(model, settings, tmp_path / name)
        predictions = folder.predictions()[0]
        assert [p.reason for p in predictions.values()] == [None] * 4
        texts.append({i: (p.text or "").strip() for i, p in predictions.items()})
        assert all(p.usage and p.usage["output_tokens"] <= 6 for p in predictions.values())
    assert texts[0] == texts[1]
