"""The package as a whole: doctests, public names, one-way rooms."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
from pathlib import Path

import cobsat
import pytest

ROOT = Path(__file__).parent.parent
ROOMS = {
    "cobsat_dataset": set(),
    "models": {"cobsat"},
    "metrics": {"cobsat"},
    "train": {"cobsat", "cobsat.models", "cobsat.metrics"},
    "hub_cards": {"cobsat", "cobsat.metrics"},
}
MODULES = sorted(
    module.name
    for package in (
        "cobsat",
        "cobsat.drawing",
        "cobsat.touchstone",
        "cobsat.models",
        "cobsat.metrics",
        "cobsat.hub_cards",
    )
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}.")
    if not module.name.endswith("__main__")
)
PUBLIC = {
    "CONFIGS", "OUTPUTS", "PROMPT_TYPES", "SHOTS", "TASKS", "THEMES", "Example", "ImageCache",
    "ImageSource", "Options", "Prediction", "RunFolder", "RunSettings", "Task", "Theme",
    "TrainExample", "Verdict", "decode_once", "examples", "image_source", "splits",
    "train_examples",
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_doctests() -> None:
    tried = [doctest.testmod(importlib.import_module(name)).attempted for name in MODULES]
    assert sum(tried) >= 20


def test_the_public_surface_is_pinned() -> None:
    assert set(cobsat.__all__) == PUBLIC
    assert all(hasattr(cobsat, name) for name in cobsat.__all__)


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_imports_one_to_its_right(room: str) -> None:
    allowed = ROOMS[room] | {"cobsat" if room == "cobsat_dataset" else f"cobsat.{room}"}
    others = {"cobsat.models", "cobsat.metrics", "cobsat.train", "cobsat.hub_cards"} - allowed
    for path in (ROOT / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            for name in names:
                assert not any(name == o or name.startswith(f"{o}.") for o in others), path


def test_all_packages_are_installed() -> None:
    """A new folder with code has to be listed in pyproject.toml."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    listed = set(project["tool"]["setuptools"]["packages"])
    found = set()
    for room in ROOMS:
        for path in (ROOT / room).rglob("__init__.py"):
            relative = path.parent.relative_to(ROOT).parts
            found.add(
                ".".join(
                    ("cobsat", *relative[1:]) if room == "cobsat_dataset" else ("cobsat", *relative)
                )
            )
    assert listed == found
