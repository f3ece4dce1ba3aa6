"""The systems that the two papers evaluate, and which of them run here: `cobsat models` shows it.

Source: CoBSAT, Sec. 4 and the authors' results; TouchStone, its leaderboard. How to run each is in
docs/models.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["FETCHED", "SYSTEMS", "System"]


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

FETCHED: Final[dict[str, tuple[str, ...]]] = {
    "seed_llama": (
        "hf download AILab-CVC/seed-tokenizer-2 --local-dir seed-tokenizer-2",
        "hf download AILab-CVC/seed-llama-14b-sft --local-dir seed-llama-14b-sft",
        "cobsat convert seed_llama seed-tokenizer-2 seed-llama-14b-sft --out "
        "checkpoints/seed-llama-14b",
    ),
    "gill": (
        "hf download facebook/opt-6.7b --local-dir opt-6.7b",
        "hf download openai/clip-vit-large-patch14 --local-dir clip-vit-large-patch14",
        "cobsat convert gill gill/checkpoints/gill_opt opt-6.7b clip-vit-large-patch14 --out "
        "checkpoints/gill",
    ),
    "qwen_vl_chat": (
        "hf download Qwen/Qwen-VL-Chat --local-dir Qwen-VL-Chat",
        "cobsat convert qwen_vl_chat Qwen-VL-Chat --out checkpoints/qwen-vl-chat",
    ),
    "emu": (
        "hf download BAAI/Emu --local-dir Emu",
        'hf download huggyllama/llama-13b --include "tokenizer*" --local-dir llama-13b',
        "cobsat convert emu Emu/pretrain llama-13b --out checkpoints/emu",
    ),
    "emu2": (
        "hf download BAAI/Emu2-Gen --local-dir Emu2-Gen",
        "cobsat convert emu2 Emu2-Gen --out checkpoints/emu2-gen",
    ),
    "minigpt4": (
        "hf download Salesforce/blip2-flan-t5-xxl --local-dir blip2-flan-t5-xxl",
        "hf download Vision-CAIR/vicuna-7b --local-dir vicuna-7b",
        "cobsat convert minigpt4 prerained_minigpt4_7b.pth blip2-flan-t5-xxl vicuna-7b --out "
        "checkpoints/minigpt4-7b",
    ),
    "pandagpt": (
        "hf download openllmplayground/pandagpt_13b_max_len_400 --local-dir "
        "pandagpt_13b_max_len_400",
        "cobsat convert pandagpt imagebind_huge.pth pandagpt_13b_max_len_400 vicuna-13b-v0 --out "
        "checkpoints/pandagpt-13b",
    ),
}
"""Model → how one comes by a checkpoint of it; docs/models.md has the others, and all that is not
on the Hub."""
