r"""SEED-LLaMA under test: pictures and descriptions, as the paper asks for them.

    cobsat predict --model seed_llama --model-option checkpoint=checkpoints/seed-llama-14b \
        --config all-2shot
    cobsat predict --model seed_llama --tiny --config color_i-2shot --limit 8

Source: CoBSAT, Sec. 4.2 and App. A; the settings are the published ones of SEED-LLaMA (top-p 0.5,
temperature 1, at most 512 tokens; 20 steps, guidance 10). A reply may hold text and pictures. Its
picture is the first that is whole; its description is its text, whatever pictures came with it.

What goes wrong with one example is an error with one of these reasons:

| reason begins with | |
|---|---|
| `no_image` | the reply has no whole picture, and a picture was asked for |
| `empty` | the reply has no text, and a description was asked for; or nothing came at all |
| `too_long` | the prompt leaves no room in the context; nothing was generated |
| `control_token` | a text of the prompt holds a token that steers the model |
| `picture` | a picture of the prompt cannot be opened |
| `not_finite` | the scores or the pixels are not all numbers, as in half precision they may be |
| `out_of_memory` | not even this example alone fits into the device's memory |
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

from cobsat import Example, ImageCache
from cobsat.checkpoints import weights_digest
from cobsat.examples import Part
from cobsat.spec import choose

from ..checkpoints import versions
from ..conversion import converted_digest
from ..in_memory import InMemory
from ..picture_values import RESAMPLING
from ..port_options import check_flag, check_loading, check_source, identity
from ..protocol import Capabilities, Output
from ..rounds import Round, added, by_kind, encoded, failed, in_rounds
from ..seeds import example_seed
from ..stable_diffusion import drawing_record, with_picture
from ..vlm_generation import Decoding
from . import is_converted
from .prompts import format_prompt
from .replies import Asked, Said, Speaker
from .system import DECODER, TOKENIZER, SeedLlama, Unclip

__all__ = ["SeedLLaMA"]

_CONTROL: Final = re.compile(r"<unk>|</?s>|</?img>|<img_\d+>")
"""What the text tokenizer would take for more than text."""

_TOO_LARGE: Final = Said(problem="out_of_memory: the example alone does not fit")


_Round: TypeAlias = Round[tuple[int, ...], Said]


class SeedLLaMA:
    """SEED-LLaMA, 8B or 14B: gives pictures and descriptions.

    Args:
        checkpoint: A folder that `cobsat convert seed_llama` made; or the language model alone, a
            folder or a name on the Hub, such as AILab-CVC/seed-llama-14b-sft.
        tiny: A random model of the real classes, in memory, in place of a checkpoint.
        image_tokenizer: Where the checkpoint is the language model alone: a folder, or a name on
            the Hub, with seed_quantizer.pt and the text tokenizer; or a folder of `cobsat convert`.
        decoder: Stable Diffusion 2.1 unCLIP, a folder or a name on the Hub; null for descriptions
            alone.
        adapter: LoRA weights to merge into the language model, as PEFT saves them.
        device: "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1", "mps".
        device_map: "auto" spreads the language model over all devices (needs accelerate).
        dtype: "auto" (the checkpoint's), "float32", "bfloat16" or "float16".
        resampling: How pictures of a prompt are resized: "bilinear" as in the paper, or "bicubic".
        force_image: Whether every reply begins with a picture, where one is asked for: `<img>` is
            put after the prompt and only codes may follow. Is recorded with each picture.
        max_new_tokens: The most tokens of a reply, 34 of which are a picture's.
        do_sample: Whether replies are drawn; else they are greedy.
        temperature: Of drawing a reply.
        top_p: Of drawing a reply.
        seed: Each example's own seed comes from it and the example's id.
        steps: Denoising steps of a picture.
        guidance: Of a picture, 1 for none.
        noise_level: Of the noise that is added to a picture's embedding.
        latents_seed: Of the noise that all pictures begin with; one for all, as published.
        context: Tokens that prompt and reply may have together, if not what the config says.
    """

    session_options: ClassVar[set[str]] = {"device", "device_map"}
    instructions_for: ClassVar[dict[str, str]] = {
        "image": "seed_llama",
        "description": "seed_llama",
    }

    def __init__(
        self,
        checkpoint: str | None = None,
        *,
        tiny: bool = False,
        image_tokenizer: str = TOKENIZER,
        decoder: str | None = DECODER,
        adapter: str | None = None,
        device: str = "auto",
        device_map: str | None = None,
        dtype: str = "auto",
        resampling: str = "bilinear",
        force_image: bool = False,
        max_new_tokens: int = 512,
        do_sample: bool = True,
        temperature: float = 1.0,
        top_p: float = 0.5,
        seed: int = 0,
        steps: int = 20,
        guidance: float = 10.0,
        noise_level: int = 0,
        latents_seed: int = 0,
        context: int | None = None,
    ) -> None:
        check_source("seed_llama", checkpoint, tiny)
        top_p = top_p if do_sample else 1.0
        self._decoding = Decoding(max_new_tokens, do_sample, temperature, top_p, seed).check()
        self._drawing = Unclip(steps, guidance, noise_level, latents_seed).check()
        self._resampling = choose("resampling", resampling, RESAMPLING)
        self._force = check_flag("force_image", force_image)
        own = is_converted(checkpoint or "")
        self._sources = {"image_tokenizer": None if own else image_tokenizer, "decoder": decoder}
        check_loading(dtype, context)
        if checkpoint is None:
            self.name = "seed_llama-tiny"
            self._system = SeedLlama.tiny(decoder=decoder is not None)
        else:
            self.name = checkpoint
            self._system = SeedLlama.from_pretrained(
                checkpoint, image_tokenizer=image_tokenizer, decoder=decoder, dtype=dtype,
                device=device, device_map=device_map,
            )  # fmt: skip
        self._adapter = None
        if adapter is not None:
            self._system = _tuned(self._system, adapter)
            self._adapter = {"name": adapter, "weights_sha256": weights_digest(Path(adapter))}
        self.capabilities = Capabilities(
            frozenset({"description"} | ({"image"} if decoder is not None else set())),
            hint="" if decoder is not None else "leave out decoder=null",
            repeats=self._decoding.repeats,
        )
        limit = self._system.language_model.config.max_position_embeddings
        self._context = limit if context is None else context
        self._speaker = Speaker(self._system, self._decoding, self._context)
        self._opened = ImageCache()
        self._codes: dict[str, tuple[int, ...]] = {}
        self._room = InMemory()

    @classmethod
    def repeats_with(cls, options: dict[str, Any]) -> str:
        """Return why its replies are the same each time; empty where they are drawn."""
        return Decoding(do_sample=bool(options.get("do_sample", True))).repeats

    def record(self) -> dict[str, Any]:
        """Return the checkpoints' identity, and how the model is asked and draws."""
        model, system = self._system.language_model, self._system
        return {
            **self._identity(),
            **({"adapter": self._adapter} if self._adapter else {}),
            "dtype": str(model.dtype).removeprefix("torch."),
            "resampling": self._resampling,
            "force_image": self._force,
            "context": self._context,
            "decoding": self._decoding.record(),
            "drawing": drawing_record(system.decoder, self._drawing),
            "versions": versions(model.device, "diffusers", "transformers", "tokenizers"),
        }

    def _identity(self) -> dict[str, Any]:
        if self.name == "seed_llama-tiny":
            return identity(None)
        folder, decoder = Path(self.name), self._sources["decoder"]
        return {
            "checkpoint": self.name,
            "weights_sha256": converted_digest(folder) or weights_digest(folder),
            "commit": getattr(self._system.language_model.config, "_commit_hash", None),
            **self._sources,
            "decoder_sha256": None if decoder is None else weights_digest(Path(decoder)),
        }

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Draw or describe; with a chain of thought, in two rounds."""

        def encode(turns: Sequence[Sequence[Part]]) -> list[tuple[int, ...]] | Output:
            return encoded(turns, _CONTROL, self._encode)

        return in_rounds(examples, encode, self._ask, self._output)

    def _forces(self, ready: _Round) -> bool:
        return self._force and ready.last and ready.example["output"] == "image"

    def _encode(self, part: Part) -> tuple[int, ...]:
        """Return a picture's codes; a theme's hundred pictures come back in every prompt."""
        picture = self._opened.open(part["image"] or "").convert("RGB")
        key = hashlib.sha256(f"{picture.size}".encode() + picture.tobytes()).hexdigest()
        if key not in self._codes:
            self._codes[key] = self._system.codes(picture, self._resampling)
        return self._codes[key]

    def _ask(self, rounds: Sequence[_Round]) -> list[Said]:
        """Return what the model says in each round."""

        def ask(alike: Sequence[_Round], forced: bool) -> list[Said]:
            asked = [self._asked(ready) for ready in alike]
            answers = self._speaker.forced if forced else self._speaker.free
            return self._room.answer(asked, answers, _TOO_LARGE)

        return by_kind(rounds, self._forces, ask)

    def _asked(self, ready: _Round) -> Asked:
        words = self._system.vocabulary
        replies = [] if ready.first is None else [ready.first.ids]
        prompt = format_prompt(ready.turns, replies, words, self._tokens)
        return Asked(prompt.filled(ready.pictures, words), self._seed(ready))

    def _seed(self, ready: _Round) -> int:
        return example_seed(self._decoding.seed, ready.example["id"], len(ready.turns) - 1)

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self._system.words.encode(text, add_special_tokens=False)
        return ids

    def _output(self, ready: _Round, said: Said) -> Output:
        """Return an example's output, from what was said last."""
        example, first, seed = ready.example, ready.first, self._seed(ready)
        output = Output(
            text=self._text(said) or None,
            finish_reason=said.finish_reason,
            usage=added(first.usage if first else None, said.usage),
            extra={
                **({"seed": seed} if self._decoding.do_sample else {}),
                "pictures": len(said.reply.pictures),
                **({"broken_pictures": said.reply.broken} if said.reply.broken else {}),
                **({"forced": True} if self._forces(ready) else {}),
                **({"first_round": self._kept(first)} if first else {}),
            },
        )
        if said.problem is not None:
            return failed(said.problem, output)
        if example["output"] != "image":  # a description, or an answer to a question
            return output if output.text else failed(self._without("text", said), output)
        if not said.reply.pictures:
            return failed(self._without("picture", said), output)
        codes = said.reply.pictures[0]
        output = replace(output, extra={**(output.extra or {}), "codes": list(codes)})
        return with_picture(output, self._system.draw(codes, seed, self._drawing))

    def _text(self, said: Said) -> str:
        """Return a reply's text, that of pictures' codes left out."""
        decode = self._system.words.decode
        texts = (decode(list(ids), skip_special_tokens=True) for ids in said.reply.texts)
        return " ".join(text for text in map(str.strip, texts) if text)

    def _kept(self, said: Said) -> dict[str, Any]:
        return {
            "text": self._text(said),
            "pictures": len(said.reply.pictures),
            "finish_reason": said.finish_reason,
        }

    def _without(self, what: str, said: Said) -> str:
        tokens = f"{len(said.ids)} tokens, {said.finish_reason}"
        if what == "text":
            return f"empty: {len(said.reply.pictures)} pictures came and no text ({tokens})"
        broken = f", {said.reply.broken} that are not whole" if said.reply.broken else ""
        return f"no_image: no picture came{broken} ({tokens}): {self._text(said)!r}"


def _tuned(system: SeedLlama, adapter: str) -> SeedLlama:
    from ..lora import merge_adapter

    return replace(system, language_model=merge_adapter(system.language_model, adapter).eval())
