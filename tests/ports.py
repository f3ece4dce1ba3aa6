"""The papers' systems that were written anew, and what their tests ask and look at.

Adding a port is one line in `PORTS`; `tests/models/test_ports.py` then holds it to all that they
have in common.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

from cobsat import Example, Options, examples
from cobsat.models import Output

# <unk> <s> </s>, 256 bytes, LLaMA's space, the signs from ! on; then a system's own tokens.
SPACE, SIGNS, NEW_LINE = 3 + 256, 3 + 256 + 1, 3 + ord("\n")
OWN = SIGNS + 94


@dataclass(frozen=True)
class Port:
    """A port.

    Attributes:
        adapter: "module:Class" of what is put under test.
        system: "module:Class" of what it asks.
        parts: Attributes of the system that hold weights, the language model first.
        control: Texts that steer the model.
        draws: Whether it gives pictures.
        greedy: Whether it answers all but alike each time, if not told otherwise.
        checked: Whether its decoder is a pipeline that may have a safety checker.
        steps: The fewest by which pictures that should differ do.
    """

    adapter: str
    system: str
    parts: tuple[str, ...]
    control: tuple[str, ...]
    draws: bool = True
    greedy: bool = True
    checked: bool = True
    steps: int = 1

    @property
    def fast(self) -> dict[str, Any]:
        """Options of a model whose pictures take a moment."""
        return {"tiny": True, **({"steps": self.steps} if self.draws else {})}

    @property
    def outputs(self) -> tuple[str, ...]:
        return ("image", "description") if self.draws else ("description",)

    def language_model(self, model: Any) -> Any:
        """The language model of what is put under test."""
        return attrgetter(self.parts[0])(model._system)

    def make(self, **options: Any) -> Any:
        return _named(self.adapter)(**options)

    def tiny_system(self, seed: int) -> Any:
        return _named(self.system).tiny(seed)


PORTS = {
    "seed_llama": Port(
        "cobsat.models.seed_llama.adapter:SeedLLaMA",
        "cobsat.models.seed_llama.system:SeedLlama",
        ("language_model", "image_tokenizer"),
        ("<s>", "</s>", "<img>", "</img>", "<img_00007>", "<unk>"),
        greedy=False,
        checked=False,
        steps=2,
    ),
    "gill": Port(
        "cobsat.models.gill.adapter:GILL",
        "cobsat.models.gill.system:Gill",
        ("language_model", "vision", "bridge"),
        ("<s>", "</s>", "<pad>", "[IMG0]", "[IMG12]", "<|image|>"),
    ),
    "qwen_vl_chat": Port(
        "cobsat.models.qwen_vl_chat.adapter:QwenVLChatModel",
        "cobsat.models.qwen_vl_chat.system:QwenVLChat",
        ("language_model", "vision"),
        ("<img>", "</img>", "<|im_start|>", "<|im_end|>", "<imgpad>"),
        draws=False,
        greedy=False,
    ),
    "emu": Port(
        "cobsat.models.emu.adapter:EmuModel",
        "cobsat.models.emu.system:Emu",
        ("language_model", "bridge"),
        ("<s>", "</s>", "[IMG]", "[/IMG]", "<image>", "[USER]", "[PAD]"),
    ),
    "emu2": Port(
        "cobsat.models.emu2.adapter:Emu2Model",
        "cobsat.models.emu2.system:Emu2",
        ("language_model", "bridge"),
        ("<s>", "[IMG]", "<image>", "[ASSISTANT]", "[gIMG]", "<REC>", "<patch_index_0256>"),
        checked=False,
    ),
    "minigpt4": Port(
        "cobsat.models.minigpt4.adapter:MiniGPT4Model",
        "cobsat.models.minigpt4.system:MiniGPT4",
        ("model.language_model", "model"),
        ("<s>", "</s>", "<unk>"),
        draws=False,
        greedy=False,
    ),
    "pandagpt": Port(
        "cobsat.models.pandagpt.adapter:PandaGPTModel",
        "cobsat.models.pandagpt.system:PandaGPT",
        ("language_model", "vision"),
        ("<s>", "</s>", "<unk>", "[PAD]"),
        draws=False,
    ),
}


def rows(pictures: Path, config: str = "color_i-2shot", **options: Any) -> list[Example]:
    return examples(config, "test", Options(images=str(pictures), **options))


def drawn(outputs: Sequence[Output]) -> list[bytes]:
    assert {output.status for output in outputs} == {"ok"}, [o.reason for o in outputs]
    return [output.image.tobytes() for output in outputs]  # type: ignore[union-attr]


def extras(outputs: Sequence[Output]) -> list[dict[str, Any]]:
    return [output.extra or {} for output in outputs]


def said(text: str, **more: Any) -> Any:
    """A row that says one text."""
    content = [{"type": "text", "text": text, "image": None}]
    return {
        "id": "it", "messages": [{"role": "user", "content": content}], "followup": None,
        "output": "image", **more,
    }  # fmt: skip


def kept(folder: Path) -> list[dict[str, Any]]:
    """A run's predictions, but for how long each took."""
    lines = (folder / "predictions.jsonl").read_text("utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    for line in found:
        del line["seconds"]
    return found


def by_hand(text: str) -> list[int]:
    """Return a text's ids of `tiny_llama_words`: LLaMA's space, then a letter each."""
    own = {" ": SPACE, "\n": NEW_LINE}
    return [SPACE, *(own.get(letter, SIGNS + ord(letter) - ord("!")) for letter in text)]


@cache
def _named(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)
