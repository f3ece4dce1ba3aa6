"""Make `load_dataset("cobsat", …)` work: register the builder as a packaged module of `datasets`.

Since `datasets` 4 runs no loading scripts, a builder reaches `load_dataset` by a name only through
the library's table of packaged modules. Registration holds for one process.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Final

import datasets.load
from datasets.data_files import DataFilesDict
from datasets.packaged_modules import _PACKAGED_DATASETS_MODULES

_MODULE: Final = "cobsat.cobsat"
_FACTORY: Final = datasets.load.PackagedDatasetModuleFactory


def register() -> None:
    """Register the builder under the name `cobsat`; once is enough."""
    if "cobsat" in _PACKAGED_DATASETS_MODULES:
        return
    _PACKAGED_DATASETS_MODULES["cobsat"] = (_MODULE, _fingerprint())
    get_module = _FACTORY.get_module
    _FACTORY.get_module = lambda factory: (
        _module_without_files(factory) if factory.name == "cobsat" else get_module(factory)
    )


def _module_without_files(factory: Any) -> datasets.load.DatasetModule:
    """Leave the working directory alone: the library would look for data files in it."""
    if factory.data_files is not None or factory.data_dir is not None:
        raise ValueError(
            "pictures of your own must be given as images='FOLDER' (in the official layout), got "
            "data_files or data_dir"
        )
    path, fingerprint = _PACKAGED_DATASETS_MODULES["cobsat"]
    arguments = {"data_files": DataFilesDict(), "dataset_name": "cobsat"}
    return datasets.load.DatasetModule(path, fingerprint, arguments)


def _fingerprint() -> str:
    """Return a digest of all that the rows depend on: this package's code, and its pictures."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for path in [*sorted(here.glob("*.py")), here / "rendered" / "manifest.json"]:
        digest.update(path.read_bytes() if path.exists() else b"")
    return digest.hexdigest()
