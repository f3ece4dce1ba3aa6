r"""Emu2 under test: pictures and descriptions.

    cobsat predict --model emu2 --model-option checkpoint=checkpoints/emu2-gen --config all-2shot
    cobsat predict --model emu2 --model-option checkpoint=checkpoints/emu2-chat \
        --config all-2shot --output description
    cobsat predict --model emu2 --tiny --config color_i-2shot --limit 8

Source: the settings are Emu2's published ones (50 steps, guidance 3; five beams, length penalty
-1). Emu2-Gen draws; Emu2-Chat describes, asked in the form of its chats, and with its system's text
where a prompt brings none; Emu2 itself goes on from the prompt as it stands.

`[IMG]` is put behind a prompt for a picture, as published, so that one always comes: each is marked
`forced`. What goes wrong with one example is an error with the reasons of `models/emu/adapter.py`;
a picture that the decoder's own safety checker withholds is no error: the status is "blocked".
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from ..emu import DECODER
from ..emu.adapter import EmuModel
from ..emu.system import Emu
from ..port_options import check_system
from .system import Emu2
from .words import CONTROL

__all__ = ["CHAT_SYSTEM", "Emu2Model"]

CHAT_SYSTEM: Final = (
    "You are a helpful assistant, dedicated to delivering comprehensive and meticulous responses."
)
"""The system's text of the chats that Emu2-Chat was trained on (Sun et al. 2023, App. C.1)."""


class Emu2Model(EmuModel):
    """Emu2, Emu2-Gen or Emu2-Chat: gives pictures and descriptions.

    Args:
        checkpoint: A folder that `cobsat convert emu2` made.
        tiny: A random model of the real classes, in memory, in place of a checkpoint.
        decoder: Emu2's SDXL: by default the folder's own, which Emu2-Gen has; else a folder or a
            name on the Hub. Null for descriptions alone.
        device: "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1", "mps".
        device_map: "auto" spreads the language model over all devices (needs accelerate).
        dtype: "auto" (the checkpoint's), "float32", "bfloat16" or "float16".
        system: The system's text, where a prompt in the form of a chat brings none.
        max_new_tokens: The most tokens of a text.
        beams: Texts that are followed while the best is searched for; 1 for greedy ones.
        length_penalty: The power of a text's length that its score is divided by.
        do_sample: Whether texts are drawn instead, without beams.
        temperature: Of drawing a text.
        top_p: Of drawing a text.
        seed: Each example's own seed, of its picture and of a text that is drawn, comes from it
            and the example's id.
        steps: Denoising steps of a picture.
        guidance: Of a picture, 1 for none.
        context: Tokens that prompt and reply may have together, if not what the config says.
        reuse_gb: Memory, in GB, for the prompts' pictures as the model reads them.
    """

    _kind: ClassVar[type[Emu]] = Emu2

    def __init__(
        self,
        checkpoint: str | None = None,
        *,
        tiny: bool = False,
        decoder: str | None = DECODER,
        device: str = "auto",
        device_map: str | None = None,
        dtype: str = "auto",
        system: str = CHAT_SYSTEM,
        max_new_tokens: int = 512,
        beams: int = 5,
        length_penalty: float = -1.0,
        do_sample: bool = False,
        temperature: float = 1.0,
        top_p: float = 1.0,
        seed: int = 0,
        steps: int = 50,
        guidance: float = 3.0,
        context: int | None = None,
        reuse_gb: float = 1.0,
    ) -> None:
        check_system(system, CONTROL)
        super().__init__(
            checkpoint, tiny=tiny, decoder=decoder, device=device, device_map=device_map,
            dtype=dtype, max_new_tokens=max_new_tokens, beams=beams,
            length_penalty=length_penalty, do_sample=do_sample, temperature=temperature,
            top_p=top_p, seed=seed, steps=steps, guidance=guidance, context=context,
            reuse_gb=reuse_gb,
        )  # fmt: skip
        self._default_system = system

    def record(self) -> dict[str, Any]:
        """Return the checkpoint's identity, and how the model is asked and draws."""
        return {**super().record(), "system": self._default_system}
