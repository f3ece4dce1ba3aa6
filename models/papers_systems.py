"""The systems that the two papers evaluate, and which of them run here: `cobsat models` shows it.

Source: CoBSAT, Sec. 4 and the authors' results; TouchStone, its leaderboard. How to run each is in
docs/models.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["SYSTEMS", "System"]


@dataclass(frozen=True)
class System:
    """A system of the papers.

    Attributes:
        state: "runs", "through a server" or "not available".
        how: The model of `cobsat models` that runs it, and its options; or why none does.
    """

    state: str
    how: str


_RETIRED: Final = "openai, model=NAME: its maker has retired it; a run records the id that answered"
_PORT: Final = "its checkpoint brings its own code, for older transformers; no port yet"
_ALONE: Final = "it is in no library of today; no port yet"

SYSTEMS: Final[dict[str, System]] = {
    "SEED-LLaMA": System("runs", "seed_llama, checkpoint=FOLDER"),
    "LLaVA-1.5": System("runs", "transformers, checkpoint=llava-hf/llava-1.5-13b-hf"),
    "LLaVA-NeXT": System("runs", "transformers, checkpoint=llava-hf/llava-v1.6-vicuna-13b-hf"),
    "InstructBLIP": System("runs", "transformers, checkpoint=Salesforce/instructblip-vicuna-7b"),
    "GPT-4V": System("through a server", _RETIRED),
    "Gemini": System("through a server", _RETIRED),
    "Claude": System("through a server", _RETIRED),
    "GILL": System("runs", "gill, checkpoint=FOLDER"),
    "Qwen-VL": System("runs", "qwen_vl_chat, checkpoint=FOLDER"),
    "Emu": System("runs", "emu, checkpoint=FOLDER"),
    "Emu2": System("runs", "emu2, checkpoint=FOLDER"),
    "CogVLM": System("not available", _PORT),
    "mPLUG-Owl": System("not available", _ALONE),
    "MiniGPT-4": System("runs", "minigpt4, checkpoint=FOLDER"),
    "PandaGPT": System("runs", "pandagpt, checkpoint=FOLDER"),
    "LLaMA-Adapter V2": System("not available", _ALONE),
}
