"""What `cobsat train` left in a folder: which model was tuned, and what its test is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cobsat.models.seed_llama import is_converted

from .sft_resume import RECORD, RESULTS

__all__ = ["Tuned", "read_tuned"]


@dataclass(frozen=True)
class Tuned:
    """A folder that `cobsat train` made, and what its test is.

    Attributes:
        folder: The folder.
        record: Its `training.json`.
        base: The checkpoint that was tuned.
        is_adapter: Whether it holds an adapter, or a whole model.
        config: "all-2shot".
        split: The test that goes with what it was trained on.
        draws: Whether the base is a SEED-LLaMA, which is tuned to draw; others describe.
    """

    folder: Path
    record: dict[str, Any]
    base: str
    is_adapter: bool
    config: str
    split: str
    draws: bool

    @property
    def output(self) -> str:
        """What it was tuned to give: "image" or "description"."""
        return "image" if self.draws else "description"

    @property
    def model(self) -> str:
        """What asks it, as `cobsat models` lists it."""
        return "seed_llama" if self.draws else "transformers"

    def options(self, *, tuned: bool) -> list[str]:
        """Return the model options that name the base, or the tuned model."""
        if self.draws:
            return self._options_to_draw(tuned)
        trust = self.record["training"].get("trust_remote_code")
        more = ["trust_remote_code=true"] if trust else []
        if tuned and not self.is_adapter:
            return [f"checkpoint={self.folder}", *more]
        revision = self.record["model"].get("model_revision") or "main"
        more += [f"revision={revision}"] if revision != "main" else []
        more += [f"adapter={self.folder}"] if tuned else []
        return [f"checkpoint={self.base}", *more]

    def _options_to_draw(self, tuned: bool) -> list[str]:
        if not tuned:
            return [f"checkpoint={self.base}"]
        if self.is_adapter:
            return [f"checkpoint={self.base}", f"adapter={self.folder}"]
        return [f"checkpoint={self.folder}", f"image_tokenizer={self.base}"]


def read_tuned(folder: Path) -> Tuned:
    """Read what a training left.

    Raises:
        FileNotFoundError: It is no such folder, or the training has not ended.
        ValueError: Its record is broken.
    """
    for name, why in (
        (RECORD, "`cobsat train` makes one"),
        (RESULTS, "its training has not ended"),
    ):
        if not (folder / name).is_file():
            raise FileNotFoundError(f"{folder} must be a tuned model, got no {name}: {why}")
    try:
        record = json.loads((folder / RECORD).read_text("utf-8"))
        data, model = record["data"], record["model"]
        base = str(model["model_name_or_path"])
        return Tuned(
            folder=folder,
            record=record,
            base=base,
            is_adapter=bool(model["use_peft"]),
            config=data["dataset_config"],
            split=data["dataset_train_split"].removesuffix("_train") + "_test",
            draws=is_converted(base),
        )
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{folder / RECORD} must be a training's record, got {error}") from error
