"""What the tests of judges and of `evaluate` modules share."""

from __future__ import annotations

from pathlib import Path

import evaluate
import pytest
from cobsat import Verdict, image_source
from cobsat.layout import LABELS


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


@pytest.fixture(scope="session")
def shipped_verdicts() -> list[Verdict]:
    """What mini-llava says of the shipped pictures, in the order of their labels."""
    from cobsat.metrics.llava_judge import LlavaJudge  # transformers takes seconds to import

    source = image_source("rendered")
    references = [{"task": f"{t}_i", "object": o, "attribute": a} for t, a, o in LABELS]
    judge = LlavaJudge(device="cpu", forward_batch_size=16)
    return judge.judge([source.paths[label] for label in LABELS], references, "image")
