"""Make `load_dataset("cobsat", …)` work: register the builders as packaged modules of `datasets`.

Since `datasets` 4 runs no loading scripts, a builder reaches `load_dataset` by a name only through
the library's table of packaged modules. Registration holds for one process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import datasets.load
from datasets.data_files import DataFilesDict
from datasets.packaged_modules import _PACKAGED_DATASETS_MODULES

__all__ = ["register"]

_FACTORY: Final = datasets.load.PackagedDatasetModuleFactory


@dataclass(frozen=True)
class _Builder:
    """A builder to register.

    Attributes:
        module: Its module.
        code: Globs of the files, beside this one, that its rows depend on.
        own_data: What a user is told who gives files or a folder where none is taken.
        takes_files: Whether `data_files` may be given.
    """

    module: str
    code: tuple[str, ...]
    own_data: str
    takes_files: bool = False


_TOUCHSTONE: Final = ("touchstone/*.py",)

BUILDERS: Final[dict[str, _Builder]] = {
    "cobsat": _Builder(
        "cobsat.cobsat",
        ("*.py", "rendered/manifest.json"),
        "pictures of your own must be given as images='FOLDER' (in the official layout)",
    ),
    "touchstone": _Builder(
        "cobsat.touchstone.touchstone",
        _TOUCHSTONE,
        "questions of your own must be given as data_files='FILE.tsv'",
        takes_files=True,
    ),
    "touchstone-mini": _Builder(
        "cobsat.touchstone.touchstone_mini",
        _TOUCHSTONE,
        "touchstone-mini must be loaded as it ships (load_dataset('touchstone') takes a file)",
    ),
}
"""Name → builder."""

MISNAMED: Final[dict[str, str]] = {
    "touchstone_mini": "touchstone-mini",
    "touchstonemini": "touchstone-mini",
}
"""What the library would look for on the Hub, half a minute without a network → what is meant."""


def register() -> None:
    """Register the builders under their names; once is enough."""
    if "cobsat" in _PACKAGED_DATASETS_MODULES:
        return
    for name, builder in BUILDERS.items():
        _PACKAGED_DATASETS_MODULES[name] = (builder.module, _fingerprint(builder.code))
    for name, meant in MISNAMED.items():
        _PACKAGED_DATASETS_MODULES[name] = _PACKAGED_DATASETS_MODULES[meant]
    get_module = _FACTORY.get_module
    ours = (*BUILDERS, *MISNAMED)
    _FACTORY.get_module = lambda factory: (
        _module(factory, get_module) if factory.name in ours else get_module(factory)
    )


def _module(factory: Any, get_module: Any) -> datasets.load.DatasetModule:
    """Leave the working directory alone: the library would look for data files in it."""
    if factory.name in MISNAMED:
        return _folder(factory)
    builder = BUILDERS[factory.name]
    files = factory.data_files is not None
    if factory.data_dir is not None or (files and not builder.takes_files):
        given = "data_files or data_dir" if not builder.takes_files else "data_dir"
        raise ValueError(f"{builder.own_data}, got {given}")
    if files:
        return get_module(factory)
    path, fingerprint = _PACKAGED_DATASETS_MODULES[factory.name]
    arguments = {"data_files": DataFilesDict(), "dataset_name": factory.name}
    return datasets.load.DatasetModule(path, fingerprint, arguments)


def _folder(factory: Any) -> datasets.load.DatasetModule:
    """Return the module of a folder that happens to have a name that is nearly one of ours.

    Raises:
        ValueError: There is no such folder.
    """
    if not Path(factory.name).is_dir():
        raise ValueError(
            f"dataset must be one of {', '.join(BUILDERS)}, got {factory.name!r}; did you mean "
            f"{MISNAMED[factory.name]!r}?"
        )
    return datasets.load.LocalDatasetModuleFactory(
        factory.name,
        data_dir=factory.data_dir,
        data_files=factory.data_files,
        download_mode=factory.download_mode,
    ).get_module()


def _fingerprint(globs: Iterable[str]) -> str:
    """Return a digest of all that the rows depend on: this package's code, and its pictures."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for path in (path for glob in globs for path in sorted(here.glob(glob))):
        digest.update(path.read_bytes())
    return digest.hexdigest()
