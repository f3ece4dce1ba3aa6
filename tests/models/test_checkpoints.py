"""Checkpoints and adapters of the Hub that are not here, without leave to fetch them."""

from __future__ import annotations

from pathlib import Path

import pytest
from cobsat.models import load_model
from cobsat.models.lora import merge_adapter
from huggingface_hub import constants


@pytest.fixture(autouse=True)
def _offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)


@pytest.mark.parametrize("model", ["transformers", "diffusers", "any_to_any"])
def test_a_checkpoint_is_told_at_once(model: str) -> None:
    with pytest.raises(FileNotFoundError, match=r"^checkpoint must be here when HF_HUB_OFFLINE=1"):
        load_model(model, checkpoint="acme/none")


def test_an_adapter_is_told_at_once() -> None:
    with pytest.raises(FileNotFoundError, match=r"^adapter must be here when HF_HUB_OFFLINE=1"):
        merge_adapter(None, "acme/none")
