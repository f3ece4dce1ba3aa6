"""mini-vlm, the small vision-language model that ships: a model to put under test offline.

    cobsat run --model mini-vlm --config all-2shot --output description
    cobsat run --model mini-vlm --model-option stage=base --config all-2shot --output description

A Qwen2.5-VL of five million weights, trained by `cobsat.train.mini_vlm` on drawings and prompt
lists of other seeds. Its base names what single pictures show, and has not learned to follow
demonstrations. Both are checkpoints like any other, in `models/mini_vlm/` and
`models/mini_vlm_base/`; their cards say what they know.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Final

from cobsat.spec import choose

from .transformers_vlm import TransformersVLM

__all__ = ["FOLDERS", "MiniVLM"]

FOLDERS: Final = {
    "tuned": Path(__file__).parent / "mini_vlm",
    "base": Path(__file__).parent / "mini_vlm_base",
}


class MiniVLM(TransformersVLM):
    """The small Qwen2.5-VL that ships. It knows the rendered drawings only.

    Args:
        stage: "tuned" learns from demonstrations; "base" only names what a picture shows.
        device: "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1", "mps".
        dtype: "float32", "bfloat16" or "float16".
        max_new_tokens: The most tokens of an answer.
        do_sample: Whether answers are drawn; else they are greedy.
        temperature: Of drawing.
        top_p: Of drawing.
        seed: Of drawing; each example's own seed comes from it and the example's id.
    """

    answer_options: ClassVar[dict[str, Any]] = {}  # it never says more than a sentence

    def __init__(
        self,
        stage: str = "tuned",
        device: str = "auto",
        dtype: str = "float32",
        max_new_tokens: int = 64,
        do_sample: bool = False,
        temperature: float = 1.0,
        top_p: float = 1.0,
        seed: int = 0,
    ) -> None:
        folder = FOLDERS[choose("stage", stage, FOLDERS)]
        super().__init__(
            str(folder), device=device, dtype=dtype, max_new_tokens=max_new_tokens,
            do_sample=do_sample, temperature=temperature, top_p=top_p, seed=seed,
        )  # fmt: skip
        self.name = "mini-vlm" if stage == "tuned" else "mini-vlm-base"

    def record(self) -> dict[str, Any]:
        """Return the checkpoint's identity, and how it is asked; no path of this machine."""
        return {**super().record(), "checkpoint": self.name}
