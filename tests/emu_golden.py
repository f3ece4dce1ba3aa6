"""An original of Emu's family: its sizes, inputs and outputs, and ours with its weights.

The fixtures under `tests/models/golden` are the original modules' weights, inputs and outputs at
tiny random size (their `config.json` say what is what).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from cobsat.models.conversion import read_state
from cobsat.models.emu.replies import Asked, Beams, Speaker
from cobsat.models.emu.system import Emu
from cobsat.models.emu.words import Vocabulary
from cobsat.models.llama_weights import language_model_from, llama_config
from cobsat.models.picture_values import picture_values
from cobsat.models.spliced import Prompt
from cobsat.models.vlm_generation import Decoding
from PIL import Image
from torch import Tensor

HOME = Path(__file__).parent / "models" / "golden"

Parts: TypeAlias = tuple[dict[str, Tensor], Any]
"""The language model's tensors by our names, and a bridge that was loaded strictly."""


class Words:
    """As much of a tokenizer as asking needs: the fixtures' prompts are ids."""

    def __init__(self, sizes: dict[str, Any]) -> None:
        self.pad_token_id, self.eos_token_id = sizes["pad_id"], sizes["eos_id"]


class Original:
    """One original.

    Args:
        name: Of the fixture's folder.
        kind: The system's class.
        parts: From the tensors by their published names, and the sizes, to what they are of ours.
        embeddings: The output that prompts' places of pictures are filled with.
    """

    def __init__(
        self,
        name: str,
        kind: type[Emu],
        parts: Callable[[dict[str, Tensor], dict[str, Any]], Parts],
        embeddings: str,
    ) -> None:
        self.config = json.loads((HOME / name / "config.json").read_text("utf-8"))
        self.sizes = sizes = self.config["sizes"]
        self.inputs, self.outputs = _arrays(name, "inputs"), _arrays(name, "outputs")
        language, bridge = parts(read_state(HOME / name / "upstream_state.safetensors"), sizes)
        known = {"num_attention_heads": sizes["lm_heads"], "rms_norm_eps": sizes["lm_norm_eps"]}
        config = llama_config(language, "its LLaMA", **known)
        config.bos_token_id, config.eos_token_id = sizes["bos_id"], sizes["eos_id"]
        self.words = Vocabulary(
            sizes["bos_id"], sizes["eos_id"], sizes["pad_id"], sizes["img_start_id"],
            sizes["img_end_id"], sizes["image_slot_id"], None, None, bridge.sizes.tokens,
        )  # fmt: skip
        model = language_model_from(config, language, "its LLaMA")
        self.emu = kind(model, Words(sizes), bridge, None, self.words)
        self._embeddings = embeddings

    def prompt(self, ids: str = "prompt_ids", until: int | None = None) -> Prompt:
        row = self.inputs[ids][0].tolist()[:until]
        begin = self.words.picture_begin
        last = len(row) - 1
        return Prompt(
            tuple(row), tuple(n + 1 for n, i in enumerate(row) if i == begin and n != last)
        )

    def pictures(self) -> list[Tensor]:
        """As the original made them, so that each boundary stands alone."""
        return list(self.outputs[self._embeddings])

    def hidden(self) -> Tensor:
        given = self.emu.embeddings(self.prompt(), self.pictures())[None]
        hidden: Tensor = self.emu.language_model.model(inputs_embeds=given).last_hidden_state
        return hidden

    def logits(self) -> Tensor:
        given = self.emu.embeddings(self.prompt(), self.pictures())[None]
        scores: Tensor = self.emu.language_model(inputs_embeds=given).logits
        return scores

    def said(self, beams: Beams, until: int | None) -> Tensor:
        """A reply of at most eight tokens, its end put back."""
        speaker = Speaker(self.emu, Decoding(max_new_tokens=8), beams, 2048)
        (said,) = speaker.text([Asked(self.prompt(until=until), self.pictures(), 0)])
        ends = [self.words.end] if said.finish_reason == "stop" else []
        return torch.tensor([[*said.ids, *ends]])

    def preprocessed(self) -> Tensor:
        picture = Image.fromarray(self.inputs["raw_image"].numpy())
        return picture_values(picture, self.emu.bridge.sizes.image_size)

    def assert_gives(self, boundary: str, own: Callable[[Original], Tensor]) -> None:
        """Assert that ours gives an output's numbers, within its stated tolerance."""
        with torch.inference_mode():
            got = own(self)
        expected, tolerance = self.outputs[boundary], self.config["tolerance"][boundary]
        if tolerance == "exact":
            assert torch.equal(got, expected)
        else:
            torch.testing.assert_close(got, expected, rtol=0, atol=tolerance)


def _arrays(name: str, which: str) -> dict[str, Tensor]:
    with np.load(HOME / name / f"{which}.npz", allow_pickle=False) as file:
        return {key: torch.from_numpy(array) for key, array in file.items()}
