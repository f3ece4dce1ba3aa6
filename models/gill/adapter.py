r"""GILL under test: pictures and descriptions, as the paper asks for them.

    cobsat predict --model gill --model-option checkpoint=checkpoints/gill --config all-2shot
    cobsat predict --model gill --tiny --config color_i-2shot --limit 8

Source: CoBSAT, Sec. 4.2 and App. A; the settings are those of the paper's runs and the published
ones (the score of `[IMG0]` is scaled by 100; 50 steps, guidance 7.5; replies are greedy). A reply
may hold text and pictures. Where a picture is asked for, the reply ends with its first; a
description is the reply's text up to its first line's or sentence's end, as GILL keeps captions.

What goes wrong with one example is an error with one of these reasons:

| reason begins with | |
|---|---|
| `no_image` | the reply has no picture, and a picture was asked for |
| `empty` | the reply has no text, and a description was asked for; or nothing came at all |
| `too_long` | the prompt leaves no room in the context; nothing was generated |
| `control_token` | a text of the prompt holds a token that steers the model |
| `picture` | a picture of the prompt cannot be opened |
| `not_finite` | the scores or the pixels are not all numbers, as in half precision they may be |
| `out_of_memory` | not even this example alone fits into the device's memory |

A picture that the decoder's own safety checker withholds is no error: the status is "blocked".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

from cobsat import Example
from cobsat.checkpoints import weights_digest
from cobsat.examples import Part
from torch import Tensor

from ..checkpoints import versions
from ..conversion import converted_digest, file_digest
from ..encoded_pictures import EncodedPictures, check_reuse
from ..in_memory import InMemory
from ..port_options import check_flag, check_loading, check_source, identity
from ..protocol import Capabilities, Output
from ..rounds import Round, added, by_kind, encoded, failed, in_rounds
from ..seeds import example_seed
from ..stable_diffusion import Diffusion, drawing_record, with_picture
from ..vlm_generation import Decoding
from . import LANGUAGE_MODEL, VISION
from .convert import PUBLISHED
from .prompts import first_sentence, format_prompt
from .replies import Asked, Said, Speaker
from .system import CLIP, DECODER, OPT, Gill

__all__ = ["GILL"]

_CONTROL: Final = re.compile(r"</?s>|<pad>|<unk>|<mask>|<\|image\|>|\[IMG\d+\]")
"""What the tokenizer would take for more than text."""

_TOO_LARGE: Final = Said(problem="out_of_memory: the example alone does not fit")

_Round: TypeAlias = Round[Tensor, Said]


class GILL:
    """GILL on OPT-6.7B: gives pictures and descriptions.

    Args:
        checkpoint: A folder that `cobsat convert gill` made; or `pretrained_ckpt.pth.tar` as it is
            published, or a folder that holds it.
        tiny: A random model of the real classes, in memory, in place of a checkpoint.
        language_model: OPT, a folder or a name on the Hub, where the checkpoint holds none.
        vision: CLIP, a folder or a name on the Hub, where the checkpoint holds none.
        decoder: Stable Diffusion 1.5, a folder or a name on the Hub; null for descriptions alone.
        device: "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1", "mps".
        device_map: "auto" spreads the language model over all devices (needs accelerate).
        dtype: "auto" (the checkpoint's), "float32", "bfloat16" or "float16".
        image_scale: What the score of `[IMG0]` is multiplied by, where a picture is asked for; 1
            leaves it to the model whether it draws.
        force_image: Whether every reply is a picture, where one is asked for: the drawing tokens
            are put after the prompt. Is recorded with each picture.
        max_new_tokens: The most tokens of a reply.
        do_sample: Whether replies are drawn; else they are greedy.
        temperature: Of drawing a reply.
        top_p: Of drawing a reply.
        seed: Each example's own seed, of its picture and of its reply, comes from it and the
            example's id.
        steps: Denoising steps of a picture.
        guidance: Of a picture, 1 for none.
        context: Tokens that prompt and reply may have together, if not what the config says.
        reuse_gb: Memory, in GB, for the prompts' pictures as the model reads them.
    """

    session_options: ClassVar[set[str]] = {"device", "device_map", "reuse_gb"}
    instructions_for: ClassVar[dict[str, str]] = {"image": "gill", "description": "gill"}
    answer_options: ClassVar[dict[str, Any]] = {"max_new_tokens": 256}

    def __init__(
        self,
        checkpoint: str | None = None,
        *,
        tiny: bool = False,
        language_model: str = OPT,
        vision: str = CLIP,
        decoder: str | None = DECODER,
        device: str = "auto",
        device_map: str | None = None,
        dtype: str = "auto",
        image_scale: float = 100.0,
        force_image: bool = False,
        max_new_tokens: int = 32,
        do_sample: bool = False,
        temperature: float = 1.0,
        top_p: float = 1.0,
        seed: int = 0,
        steps: int = 50,
        guidance: float = 7.5,
        context: int | None = None,
        reuse_gb: float = 1.0,
    ) -> None:
        check_source("gill", checkpoint, tiny)
        self._force = check_flag("force_image", force_image)
        self._decoding = Decoding(max_new_tokens, do_sample, temperature, top_p, seed).check()
        self._drawing = Diffusion(steps, guidance).check()
        self._scale = _scale(image_scale)
        keep_bytes = check_reuse(reuse_gb)
        check_loading(dtype, context)
        if checkpoint is None:
            self.name = "gill-tiny"
            self._identity = identity(None)
            self._system = Gill.tiny(decoder=decoder is not None)
        else:
            self.name = checkpoint
            self._system = Gill.from_pretrained(
                checkpoint, language_model=language_model, vision=vision, decoder=decoder,
                dtype=dtype, device=device, device_map=device_map,
            )  # fmt: skip
            self._identity = _identity(Path(checkpoint), language_model, vision, decoder)
        self.capabilities = Capabilities(
            frozenset({"description"} | ({"image"} if decoder is not None else set())),
            hint="" if decoder is not None else "leave out decoder=null",
            repeats=self._decoding.repeats,
            repeats_in=frozenset({"description"}),  # pictures begin with noise of their own
        )
        limit = self._system.language_model.config.max_position_embeddings
        self._context = limit if context is None else context
        self._speaker = Speaker(self._system, self._decoding, self._context, self._scale)
        self._seen = EncodedPictures(self._system.read, keep_bytes)
        self._room = InMemory(forget=self._seen.forget)

    def record(self) -> dict[str, Any]:
        """Return the checkpoints' identity, and how the model is asked and draws."""
        model, decoder = self._system.language_model, self._system.decoder
        return {
            **self._identity,
            "dtype": str(model.dtype).removeprefix("torch."),
            "image_scale": self._scale,
            "force_image": self._force,
            "context": self._context,
            "decoding": self._decoding.record(),
            "drawing": drawing_record(
                decoder,
                self._drawing,
                seed=self._decoding.seed,
                safety_checker=bool(decoder and decoder.safety_checker),
            ),
            "versions": versions(model.device, "diffusers", "transformers", "tokenizers"),
        }

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Draw or describe; with a chain of thought, in two rounds."""

        def encode(turns: Sequence[Sequence[Part]]) -> list[Tensor] | Output:
            return encoded(turns, _CONTROL, lambda part: self._seen.of(part["image"] or ""))

        return in_rounds(examples, encode, self._ask, self._output)

    def _draws(self, ready: _Round) -> bool:
        return ready.last and ready.example["output"] == "image"

    def _ask(self, rounds: Sequence[_Round]) -> list[Said]:
        """Return what the model says in each round."""
        led = self._speaker.forced if self._force else self._speaker.drawing

        def ask(alike: Sequence[_Round], draws: bool) -> list[Said]:
            asked = [self._asked(ready) for ready in alike]
            return self._room.answer(asked, led if draws else self._speaker.free, _TOO_LARGE)

        return by_kind(rounds, self._draws, ask)

    def _asked(self, ready: _Round) -> Asked:
        replies = [] if ready.first is None else [ready.first.ids]
        words = self._system.words
        prompt = format_prompt(
            ready.turns,
            replies,
            self._system.vocabulary,
            lambda text: words.encode(text, add_special_tokens=False),
        )
        return Asked(prompt, ready.pictures, self._seed(ready))

    def _seed(self, ready: _Round) -> int:
        return example_seed(self._decoding.seed, ready.example["id"], len(ready.turns) - 1)

    def _output(self, ready: _Round, said: Said) -> Output:
        """Return an example's output, from what was said last."""
        first, seed, draws = ready.first, self._seed(ready), self._draws(ready)
        whole = self._text(said)
        text = whole if draws else first_sentence(whole)
        output = Output(
            text=text or None,
            finish_reason=said.finish_reason,
            usage=added(first.usage if first else None, said.usage),
            extra={
                **({"seed": seed} if draws or self._decoding.do_sample else {}),
                "pictures": len(said.reply.pictures),
                **({"forced": True} if draws and self._force else {}),
                **({"whole": whole} if text != whole else {}),
                **({"first_round": self._kept(first)} if first else {}),
            },
        )
        if said.problem is not None:
            return failed(said.problem, output)
        if draws:
            return self._drawn(output, said, seed)
        tokens = f"{len(said.ids)} tokens, {said.finish_reason}"
        problem = f"empty: {len(said.reply.pictures)} pictures came and no text ({tokens})"
        return output if output.text else failed(problem, output)

    def _drawn(self, output: Output, said: Said, seed: int) -> Output:
        if said.condition is None:
            tokens = f"{len(said.ids)} tokens, {said.finish_reason}"
            return failed(f"no_image: no picture came ({tokens}): {output.text or ''!r}", output)
        return with_picture(output, self._system.draw(said.condition, seed, self._drawing))

    def _text(self, said: Said) -> str:
        """Return a reply's text, that of drawing tokens left out."""
        decode = self._system.words.decode
        texts = (decode(list(ids), skip_special_tokens=True) for ids in said.reply.texts)
        return " ".join(text for text in map(str.strip, texts) if text)

    def _kept(self, said: Said) -> dict[str, Any]:
        return {
            "text": self._text(said),
            "pictures": len(said.reply.pictures),
            "finish_reason": said.finish_reason,
        }


def _identity(
    checkpoint: Path, language_model: str, vision: str, decoder: str | None
) -> dict[str, Any]:
    """Return what a run records of the checkpoints: names and digests; None for what is within."""
    parts = {"language_model": (LANGUAGE_MODEL, language_model), "vision": (VISION, vision)}
    apart = {
        name: None if (checkpoint / folder).is_dir() else source
        for name, (folder, source) in parts.items()
    }
    file = checkpoint / PUBLISHED if checkpoint.is_dir() else checkpoint
    sources = {**apart, "decoder": decoder}
    digests = {
        f"{name}_sha256": weights_digest(Path(source))
        for name, source in sources.items()
        if source is not None
    }
    own = converted_digest(checkpoint) or file_digest(file)
    return {"checkpoint": str(checkpoint), "weights_sha256": own, **sources, **digests}


def _scale(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 1:
        raise ValueError(f"image_scale must be a number of 1 (none) or more, got {value!r}")
    return float(value)
