"""Fixtures of the benchmark's tests."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def pictures(picture_folder: Path) -> str:
    """The tiny pictures' folder, as the option `images` takes it."""
    return str(picture_folder)
