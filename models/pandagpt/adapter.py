r"""PandaGPT under test: it answers TouchStone's questions, and describes the next picture.

    cobsat predict --model pandagpt --model-option checkpoint=checkpoints/pandagpt-13b \
        --config touchstone
    cobsat predict --model pandagpt --tiny --config touchstone-mini

Source: TouchStone, Sec. 4. The settings are those of PandaGPT's published demo: replies are drawn
with top-p 0.01 at temperature 1, with at most 256 tokens, and end at `###`.

All that a prompt shows becomes one embedding at its start. `many_images` says how:

| policy | |
|---|---|
| `sum` | the sum of each picture's embedding, as in the published code |
| `collage` | that of all pictures joined into one, as in TouchStone (Sec. 4.2) |
| `last` | that of the last picture |

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
from typing import Any, ClassVar, Final

from cobsat import Example, ImageCache
from cobsat.examples import Part
from cobsat.spec import choose
from PIL import Image
from torch import Tensor

from ..checkpoints import versions
from ..encoded_pictures import EncodedPictures, check_reuse
from ..port_options import check_loading, check_source, identity
from ..protocol import Capabilities, Output
from ..rounds import encoded
from ..spoken import Chat, Speaker, Talker
from ..vlm_generation import Decoding
from ..vlm_pictures import collage
from .prompts import CONTROL, STOP, Prompt, format_prompt
from .system import PandaGPT

__all__ = ["PandaGPTModel"]

_MANY_IMAGES: Final = ("sum", "collage", "last")

_TOP_P: Final = 0.01
"""As published: so small that it leaves the likeliest token alone."""


class PandaGPTModel:
    """PandaGPT: describes pictures and answers questions.

    Args:
        checkpoint: A folder that `cobsat convert pandagpt` made.
        tiny: A random model of the real classes, in memory, in place of a checkpoint.
        device: "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1", "mps".
        device_map: "auto" spreads the language model over all devices (needs accelerate).
        dtype: "auto" (the checkpoint's), "float32", "bfloat16" or "float16".
        many_images: How several pictures become one embedding: "sum", "collage" or "last". By
            default "sum", and for answers to TouchStone's questions "collage".
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
        many_images: str = "sum",
        max_new_tokens: int = 256,
        do_sample: bool = True,
        temperature: float = 1.0,
        top_p: float = _TOP_P,
        seed: int = 0,
        context: int | None = None,
        reuse_gb: float = 2.0,
    ) -> None:
        check_source("pandagpt", checkpoint, tiny)
        top_p = top_p if do_sample else 1.0
        self._decoding = Decoding(max_new_tokens, do_sample, temperature, top_p, seed).check()
        check_loading(dtype, context)
        self._many_images = choose("many_images", many_images, _MANY_IMAGES)
        keep_bytes = check_reuse(reuse_gb)
        if checkpoint is None:
            self.name = "pandagpt-tiny"
            self._system = PandaGPT.tiny()
        else:
            self.name = checkpoint
            self._system = PandaGPT.from_pretrained(
                checkpoint, dtype=dtype, device=device, device_map=device_map
            )
        self._identity = identity(checkpoint)
        model = self._system.language_model
        repeats = _repeats(do_sample, top_p)
        self.capabilities = Capabilities(frozenset({"description"}), repeats=repeats)
        self._context = context or int(model.config.max_position_embeddings)
        self._speaker = Speaker(model, self._system.words, self._decoding, self._context, stop=STOP)
        self._opened = ImageCache()
        self._seen = EncodedPictures(self._system.see, keep_bytes)
        self._talker = Talker(
            self._speaker, self._decoding, self._prompt, self._encode, self._seen.forget
        )

    @classmethod
    def repeats_with(cls, options: dict[str, Any]) -> str:
        """Return why its replies are the same each time; empty where they are drawn."""
        return _repeats(bool(options.get("do_sample", True)), options.get("top_p", _TOP_P))

    def record(self) -> dict[str, Any]:
        """Return the checkpoint's identity, and how the model is asked."""
        model = self._system.language_model
        return {
            **self._identity,
            "dtype": str(model.dtype).removeprefix("torch."),
            "picture_size": self._system.vision.sizes.image_size,
            "many_images": self._many_images,
            "pictures_stand": "as one embedding before the text",
            "context": self._context,
            "decoding": self._decoding.record(),
            "stop": STOP,
            "versions": versions(model.device, "transformers", "tokenizers"),
        }

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Describe or answer; with a chain of thought, in two rounds."""
        return self._talker.predict(examples)

    def _encode(self, turns: Sequence[Sequence[Part]]) -> list[Tensor] | Output:
        """Return the embeddings of what is shown, or what is wrong with a text or a picture."""
        opened = encoded(turns, CONTROL, lambda part: self._opened.open(part["image"] or ""))
        if isinstance(opened, Output):
            return opened
        return self._system.shown([self._seen.of(picture) for picture in self._shown(opened)])

    def _shown(self, pictures: Sequence[Image.Image]) -> Sequence[Image.Image]:
        if self._many_images == "sum" or len(pictures) < 2:
            return pictures
        return [collage(pictures) if self._many_images == "collage" else pictures[-1]]

    def _prompt(self, chat: Chat) -> Prompt:
        replies = [] if chat.first is None else [chat.first.text]
        return format_prompt(chat.turns, replies, self._system.vocabulary, self._tokens)

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self._system.words.encode(text, add_special_tokens=False)
        return ids


def _repeats(do_sample: bool, top_p: Any) -> str:
    if do_sample and isinstance(top_p, int | float) and top_p <= _TOP_P:
        return f"answers are all but greedy at top_p={top_p:g}: --model-option top_p=0.9"
    return Decoding(do_sample=do_sample).repeats
