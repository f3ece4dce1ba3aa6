r"""Qwen-VL-Chat under test: it describes the next picture, and answers TouchStone's questions.

    cobsat predict --model qwen_vl_chat --model-option checkpoint=checkpoints/qwen-vl-chat \
        --config all-2shot --output description
    cobsat predict --model qwen_vl_chat --tiny --config touchstone-mini

Source: CoBSAT, Sec. 4 and App. A.1; TouchStone, Sec. 4. The settings are the published ones:
replies are drawn with top-p 0.3 at temperature 1, with at most 512 tokens. A reply's boxes and
references (`<box>(10,20),(30,40)</box>`) are part of its text, as in the original.

What goes wrong with one example is an error with one of these reasons:

| reason begins with | |
|---|---|
| `empty` | the reply has no text |
| `too_long` | the prompt leaves no room in the context; nothing was generated |
| `control_token` | a text of the prompt holds a token that steers the model |
| `picture` | a picture of the prompt cannot be opened |
| `not_finite` | the scores are not all numbers, as in half precision they may be |
| `out_of_memory` | not even this example alone fits into the device's memory |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from cobsat import Example
from cobsat.examples import Part
from torch import Tensor

from ..checkpoints import versions
from ..encoded_pictures import EncodedPictures, check_reuse
from ..port_options import check_loading, check_source, check_system, identity
from ..protocol import Capabilities, Output
from ..rounds import encoded, system_apart, user_turns
from ..spoken import Chat, Speaker, Talker
from ..vlm_generation import Decoding
from .prompts import COBSAT_SYSTEM, CONTROL, DEFAULT_SYSTEM, Prompt, format_prompt
from .system import QwenVLChat

__all__ = ["QwenVLChatModel"]


class QwenVLChatModel:
    """Qwen-VL-Chat: describes pictures and answers questions.

    Args:
        checkpoint: A folder that `cobsat convert qwen_vl_chat` made.
        tiny: A random model of the real classes, in memory, in place of a checkpoint.
        device: "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1", "mps".
        device_map: "auto" spreads the language model over all devices (needs accelerate).
        dtype: "auto" (the checkpoint's), "float32", "bfloat16" or "float16".
        system: The system's text: by default that of CoBSAT's authors, and of answers to
            TouchStone's questions the published one. A prompt's own goes before it.
        max_new_tokens: The most tokens of a reply.
        do_sample: Whether replies are drawn; else they are greedy.
        temperature: Of drawing.
        top_p: Of drawing.
        seed: Each example's own seed comes from it and the example's id.
        context: Tokens that prompt and reply may have together, if not what the config says.
        reuse_gb: Memory for encoded pictures, in gigabytes; 0 encodes them every time.
    """

    session_options: ClassVar[set[str]] = {"device", "device_map", "reuse_gb"}
    answer_options: ClassVar[dict[str, Any]] = {"system": DEFAULT_SYSTEM}
    instructions_for: ClassVar[dict[str, str]] = {"description": "qwen_vl"}

    def __init__(
        self,
        checkpoint: str | None = None,
        *,
        tiny: bool = False,
        device: str = "auto",
        device_map: str | None = None,
        dtype: str = "auto",
        system: str = COBSAT_SYSTEM,
        max_new_tokens: int = 512,
        do_sample: bool = True,
        temperature: float = 1.0,
        top_p: float = 0.3,
        seed: int = 0,
        context: int | None = None,
        reuse_gb: float = 2.0,
    ) -> None:
        check_source("qwen_vl_chat", checkpoint, tiny)
        top_p = top_p if do_sample else 1.0
        self._decoding = Decoding(max_new_tokens, do_sample, temperature, top_p, seed).check()
        check_loading(dtype, context)
        self._system_text, keep_bytes = check_system(system, CONTROL), check_reuse(reuse_gb)
        if checkpoint is None:
            self.name = "qwen_vl_chat-tiny"
            self._system = QwenVLChat.tiny()
        else:
            self.name = checkpoint
            self._system = QwenVLChat.from_pretrained(
                checkpoint, dtype=dtype, device=device, device_map=device_map
            )
        self._identity = identity(checkpoint)
        model = self._system.language_model
        self.capabilities = Capabilities(frozenset({"description"}), repeats=self._decoding.repeats)
        self._context = context or int(model.config.max_position_embeddings)
        self._speaker = Speaker(
            model, self._system.words, self._decoding, self._context, keep_special=True
        )
        self._seen = EncodedPictures(self._system.see, keep_bytes)
        self._talker = Talker(
            self._speaker, self._decoding, self._prompt, self._encode, self._seen.forget
        )

    @classmethod
    def repeats_with(cls, options: dict[str, Any]) -> str:
        """Return why its replies are the same each time; empty where they are drawn."""
        return Decoding(do_sample=bool(options.get("do_sample", True))).repeats

    def record(self) -> dict[str, Any]:
        """Return the checkpoint's identity, and how the model is asked."""
        model, vision = self._system.language_model, self._system.vision
        return {
            **self._identity,
            "dtype": str(model.dtype).removeprefix("torch."),
            "system": self._system_text,
            "picture_size": vision.sizes.image_size,
            "seq_length": model.config.seq_length,
            "context": self._context,
            "decoding": self._decoding.record(),
            "versions": versions(model.device, "transformers", "tokenizers"),
        }

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Describe or answer; with a chain of thought, in two rounds."""
        return self._talker.predict(examples)

    def _encode(self, turns: Sequence[Sequence[Part]]) -> list[Tensor] | Output:
        """Return the embeddings of what is shown, or what is wrong with a text or a picture."""
        return encoded(turns, CONTROL, lambda part: self._seen.of(part["image"] or ""))

    def _prompt(self, chat: Chat) -> Prompt:
        example = chat.example
        own, said = system_apart(example["messages"])
        turns = user_turns(said, example["followup"])[: len(chat.turns)]
        return format_prompt(
            own or self._system_text,
            turns,
            [] if chat.first is None else [chat.first.text],
            self._system.vocabulary,
            self._tokens,
        )

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self._system.words.encode(text, add_special_tokens=False)
        return ids
