"""What the tests of models share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import tiny_vlms
from cobsat.models.transformers_vlm import TransformersVLM
from openai_runs import KEY
from vlm_rows import load


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Folders of tiny checkpoints, each made when it is first asked for."""
    home = tmp_path_factory.mktemp("checkpoints")
    made: dict[str, Path] = {}

    def folder(family: str) -> Path:
        if family not in made:
            made[family] = tiny_vlms.save(family, home)
        return made[family]

    return folder


@pytest.fixture(scope="module")
def qwen(checkpoint: Callable[[str], Path]) -> Callable[..., TransformersVLM]:
    """Adapters for one tiny Qwen2.5-VL, with options."""
    return lambda **options: load(checkpoint("qwen2_5_vl"), **options)


@pytest.fixture
def openai_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
