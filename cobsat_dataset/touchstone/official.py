"""The official questions: one TSV file of the paper's authors.

Source: https://github.com/OFA-Sys/TouchStone. The file is downloaded through `datasets`, or read
from where the environment variable `COBSAT_TOUCHSTONE_TSV` says.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Final

import datasets

__all__ = ["URL", "VARIABLE", "official_tsv"]

URL: Final = (
    "https://touchstone-beijing.oss-cn-beijing.aliyuncs.com/dataset/touchstone_20230831.tsv"
)
VARIABLE: Final = "COBSAT_TOUCHSTONE_TSV"


def official_tsv(instead: str = "data_files=…, --images …") -> Path:
    """Return the path of the official file, downloaded if need be.

    Args:
        instead: How a local copy is given to whoever asks.

    Raises:
        FileNotFoundError: It cannot be had; the message says how to get it.
    """
    local = os.environ.get(VARIABLE)
    if not local:
        return _downloaded(instead)
    path = Path(local).expanduser()
    if not path.is_file():
        raise FileNotFoundError(f"{VARIABLE} must name the official TSV file, got {local}")
    return path


@lru_cache(maxsize=2)
def _downloaded(instead: str) -> Path:
    try:
        return Path(datasets.DownloadManager().download(URL))
    except Exception as error:  # many kinds; each means: not to be had
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        raise FileNotFoundError(
            f"the official questions must be downloadable from {URL}, or lie in a local copy named "
            f"by {VARIABLE} (or {instead}); the download failed: {reason}"
        ) from error
