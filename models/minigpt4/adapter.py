r"""MiniGPT-4 under test: it answers TouchStone's questions, and describes the next picture.

    cobsat predict --model minigpt4 --model-option checkpoint=checkpoints/minigpt4-7b \
        --config touchstone --images touchstone_20230831.tsv
    cobsat predict --model minigpt4 --tiny --config color_i-2shot --output description

Source: TouchStone, Sec. 4; the settings are those of MiniGPT-4's published chat: replies are drawn
with top-p 0.9 at temperature 1, with at most 300 tokens and without beams or a penalty for
repetition (a later release has one of 1.05). What is this package's own: each example draws with a
seed of its own; `###` ends a reply in whichever tokens it comes, not in two spellings alone; and a
prompt that is too long is an error, where the published chat cuts its beginning off. Of a question
with several pictures TouchStone makes one picture, for models that are trained on one; CoBSAT's
paper did not evaluate MiniGPT-4, and its pictures stay in their places.

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

from cobsat import Example, ImageCache
from cobsat.examples import Part
from cobsat.spec import choose
from torch import Tensor

from ..checkpoints import versions
from ..encoded_pictures import EncodedPictures, check_reuse
from ..port_options import check_loading, check_source, check_system, identity
from ..protocol import Capabilities, Output
from ..rounds import encoded, system_apart, user_turns
from ..spliced import Prompt
from ..spoken import Chat, Speaker, Talker
from ..vlm_generation import Decoding
from ..vlm_pictures import MANY_IMAGES, with_one_picture
from .prompts import CONTROL, STOP, SYSTEM, format_prompt, reply_of
from .system import MiniGPT4

__all__ = ["MiniGPT4Model"]


class MiniGPT4Model:
    """MiniGPT-4: describes pictures and answers questions.

    Args:
        checkpoint: A folder that `cobsat convert minigpt4` made.
        tiny: A random model of the real classes, in memory, in place of a checkpoint.
        device: "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1", "mps".
        device_map: "auto" spreads the model over all devices (needs accelerate).
        dtype: "auto" (Vicuna's), "float32", "bfloat16" or "float16".
        system: The system's text. A prompt's own takes its place.
        many_images: What becomes of several pictures: "error" leaves each in its place, "collage"
            (what questions of TouchStone are asked with, if not told otherwise) joins them, "last"
            leaves the last.
        max_new_tokens: The most tokens of a reply.
        do_sample: Whether replies are drawn; else they are greedy.
        temperature: Of drawing.
        top_p: Of drawing.
        seed: Each example's own seed comes from it and the example's id.
        context: Tokens that prompt and reply may have together, if not what the config says.
        reuse_gb: Memory for encoded pictures, in gigabytes; 0 encodes them every time.
    """

    session_options: ClassVar[set[str]] = {"device", "device_map", "reuse_gb"}
    answer_options: ClassVar[dict[str, Any]] = {"many_images": "collage"}

    def __init__(
        self,
        checkpoint: str | None = None,
        *,
        tiny: bool = False,
        device: str = "auto",
        device_map: str | None = None,
        dtype: str = "auto",
        system: str = SYSTEM,
        many_images: str = "error",
        max_new_tokens: int = 300,
        do_sample: bool = True,
        temperature: float = 1.0,
        top_p: float = 0.9,
        seed: int = 0,
        context: int | None = None,
        reuse_gb: float = 1.0,
    ) -> None:
        check_source("minigpt4", checkpoint, tiny)
        top_p = top_p if do_sample else 1.0
        self._decoding = Decoding(max_new_tokens, do_sample, temperature, top_p, seed).check()
        check_loading(dtype, context)
        self._system_text, keep_bytes = check_system(system, CONTROL), check_reuse(reuse_gb)
        self._many_images = choose("many_images", many_images, MANY_IMAGES)
        if checkpoint is None:
            self.name = "minigpt4-tiny"
            self._system = MiniGPT4.tiny()
        else:
            self.name = checkpoint
            self._system = MiniGPT4.from_pretrained(
                checkpoint, dtype=dtype, device=device, device_map=device_map
            )
        self._identity = identity(checkpoint)
        model = self._system.model.language_model
        self.capabilities = Capabilities(frozenset({"description"}), repeats=self._decoding.repeats)
        self._context = context or int(model.config.max_position_embeddings)
        self._speaker = Speaker(
            model, self._system.words, self._decoding, self._context, stop=STOP, read=reply_of
        )
        self._opened = ImageCache()
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
        model = self._system.model
        return {
            **self._identity,
            "dtype": str(model.language_model.dtype).removeprefix("torch."),
            "system": self._system_text,
            "many_images": self._many_images,
            "picture_size": model.config.vision_config.image_size,
            "context": self._context,
            "decoding": self._decoding.record(),
            "versions": versions(model.language_model.device, "transformers", "tokenizers"),
        }

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Describe or answer; with a chain of thought, in two rounds."""
        given = [with_one_picture(each, self._many_images, self._opened) for each in examples]
        return self._talker.predict(given)

    def _encode(self, turns: Sequence[Sequence[Part]]) -> list[Tensor] | Output:
        """Return the embeddings of what is shown, or what is wrong with a text or a picture."""
        return encoded(turns, CONTROL, lambda part: self._seen.of(part["image"] or ""))

    def _prompt(self, chat: Chat) -> Prompt:
        own, said = system_apart(chat.example["messages"])
        words = self._system.words
        return format_prompt(
            own or self._system_text,
            user_turns(said, chat.example["followup"])[: len(chat.turns)],
            [] if chat.first is None else [chat.first.text],
            self._system.vocabulary,
            lambda text: words.encode(text, add_special_tokens=False),
        )
