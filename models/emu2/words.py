"""Emu2's tokens, which follow LLaMA's words: Emu's, and many that no prompt of a benchmark has.

Source: the order in which the published system adds them. Emu2-Chat has Emu's `[USER]` and
`[ASSISTANT]` last.
"""

from __future__ import annotations

import re
from typing import Final

from ..emu.words import CHAT, PICTURES

__all__ = ["CONTROL", "PLACES", "TOKENS"]

PLACES: Final = 257
"""Tokens for where in a picture something is."""

TOKENS: Final = (
    *PICTURES, "[gIMG]", "[/gIMG]", "[EOC]", "[VIDEO]", "<grounding>", "<phrase>", "</phrase>",
    "<object>", "</object>", "</delimiter_of_multi_objects/>", "<REC>",
    *(f"<patch_index_{number:04}>" for number in range(PLACES)),
)  # fmt: skip
"""Those of a checkpoint that is not instructed, `[PAD]` first."""

_SAID: Final = ("<unk>", "<s>", "</s>", *TOKENS, *CHAT)

CONTROL: Final = re.compile("|".join(map(re.escape, _SAID)))
"""What the tokenizer would take for more than text."""
