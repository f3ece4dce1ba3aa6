"""What the tests of `evaluate` modules share."""

from __future__ import annotations

from pathlib import Path

import evaluate
import pytest


@pytest.fixture
def evaluate_home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Keep `evaluate`'s files of this test run out of the user's cache, and off the network.

    One folder for all tests: a process imports the modules from where it first found them.
    """
    home = tmp_path_factory.getbasetemp() / "evaluate-home"
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", home / "metrics")
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", home / "modules")
    monkeypatch.setattr(evaluate.config, "HF_EVALUATE_OFFLINE", True)
    return home
