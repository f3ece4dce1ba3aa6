"""What the tests of models share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import tiny_drawers
import tiny_vlms
import torch
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
            maker = tiny_drawers if family in tiny_drawers.FAMILIES else tiny_vlms
            made[family] = maker.save(family, home)
        return made[family]

    return folder


@pytest.fixture(scope="session")
def pipeline_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Folders of tiny pipelines of diffusers, each made when it is first asked for."""
    import tiny_pipelines  # diffusers takes a second to import

    home = tmp_path_factory.mktemp("pipelines")
    made: dict[str, Path] = {}

    def folder(family: str) -> Path:
        if family not in made:
            made[family] = tiny_pipelines.save(family, home)
        return made[family]

    return folder


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Torch on one thread: tiny models are slower on more."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def qwen(checkpoint: Callable[[str], Path]) -> Callable[..., TransformersVLM]:
    """Adapters for one tiny Qwen2.5-VL, with options."""
    return lambda **options: load(checkpoint("qwen2_5_vl"), **options)


@pytest.fixture
def openai_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
