"""`cobsat train`: the fine-tuning script, with one line of error in place of a page of usage."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str]) -> None:
    """Fine-tune a model; `sft_qwen_vl.py` says how.

    Raises:
        ModuleNotFoundError: TRL or PEFT is missing; the message says how to install it.
    """
    try:
        from .sft_qwen_vl import main as train
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"training needs the package {error.name!r}: pip install 'cobsat[train]'"
        ) from error
    try:
        train(arguments)
    except SystemExit as ended:  # argparse has shown the help
        if ended.code:
            raise
