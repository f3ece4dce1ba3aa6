r"""Emu under test: pictures and descriptions, as the paper asks for them.

    cobsat predict --model emu --model-option checkpoint=checkpoints/emu --config all-2shot
    cobsat predict --model emu --model-option checkpoint=checkpoints/emu-instruct \
        --config all-2shot --output description
    cobsat predict --model emu --tiny --config color_i-2shot --limit 8

Source: CoBSAT, Sec. 4 and App. A; the settings are Emu's published ones (50 steps, guidance 10;
five beams, length penalty 0). The pretrained Emu draws; the instructed one describes, asked in the
form of its chats. The pretrained one describes too, but goes on from the prompt as it stands.

`[IMG]` is put behind a prompt for a picture, as published, so that one always comes: each is marked
`forced`.

What goes wrong with one example is an error with one of these reasons:

| reason begins with | |
|---|---|
| `empty` | the reply has no text |
| `too_long` | the prompt leaves no room in the context; nothing was generated |
| `control_token` | a text of the prompt holds a token that steers the model |
| `picture` | a picture of the prompt cannot be opened |
| `not_finite` | scores, states or pixels are not all numbers, as in half precision they may be |
| `out_of_memory` | not even this example alone fits into the device's memory |

A picture that the decoder's own safety checker withholds is no error: the status is "blocked".
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

from cobsat import Example
from cobsat.checkpoints import weights_digest
from cobsat.examples import Part
from torch import Tensor

from ..checkpoints import versions
from ..encoded_pictures import EncodedPictures, check_reuse
from ..in_memory import InMemory
from ..port_options import check_loading, check_source, identity
from ..protocol import Capabilities, Output
from ..rounds import (
    Round,
    added,
    by_kind,
    encoded,
    failed,
    in_rounds,
    system_apart,
    user_turns,
)
from ..seeds import example_seed
from ..spliced import Prompt
from ..stable_diffusion import Diffusion, drawing_record, with_picture
from ..vlm_generation import Decoding
from . import DECODER
from .prompts import format_prompt
from .replies import Asked, Beams, Said, Speaker
from .system import Emu

__all__ = ["EmuModel"]

_SAME: Final = "texts are the best of their beams: --model-option do_sample=true"
_TOO_LARGE: Final = Said(problem="out_of_memory: the example alone does not fit")

_Round: TypeAlias = Round[Tensor, Said]


class EmuModel:
    """Emu, pretrained or instructed: gives pictures and descriptions.

    Args:
        checkpoint: A folder that `cobsat convert emu` made.
        tiny: A random model of the real classes, in memory, in place of a checkpoint.
        decoder: Emu's Stable Diffusion: by default the folder's own, which the pretrained Emu has;
            else a folder or a name on the Hub. Null for descriptions alone.
        device: "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1", "mps".
        device_map: "auto" spreads the language model over all devices (needs accelerate).
        dtype: "auto" (the checkpoint's), "float32", "bfloat16" or "float16".
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

    session_options: ClassVar[set[str]] = {"device", "device_map", "reuse_gb"}
    instructions_for: ClassVar[dict[str, str]] = {"image": "emu", "description": "emu"}
    _kind: ClassVar[type[Emu]] = Emu
    _default_system = ""

    def __init__(
        self,
        checkpoint: str | None = None,
        *,
        tiny: bool = False,
        decoder: str | None = DECODER,
        device: str = "auto",
        device_map: str | None = None,
        dtype: str = "auto",
        max_new_tokens: int = 512,
        beams: int = 5,
        length_penalty: float = 0.0,
        do_sample: bool = False,
        temperature: float = 1.0,
        top_p: float = 1.0,
        seed: int = 0,
        steps: int = 50,
        guidance: float = 10.0,
        context: int | None = None,
        reuse_gb: float = 1.0,
    ) -> None:
        check_source(self._kind.NAME, checkpoint, tiny)
        self._decoding = Decoding(max_new_tokens, do_sample, temperature, top_p, seed).check()
        self._beams = Beams(beams, length_penalty).check()
        self._drawing = Diffusion(steps, guidance).check()
        keep_bytes = check_reuse(reuse_gb)
        check_loading(dtype, context)
        if checkpoint is None:
            self.name = f"{self._kind.NAME}-tiny"
            self._system = self._kind.tiny(decoder=decoder is not None)
        else:
            self.name = checkpoint
            self._system = self._kind.from_pretrained(
                checkpoint, decoder=decoder, dtype=dtype, device=device, device_map=device_map
            )
        self._identity = {**identity(checkpoint), **_decoder_identity(checkpoint, decoder)}
        self.capabilities = self._capabilities(decoder)
        limit = self._system.language_model.config.max_position_embeddings
        self._context = limit if context is None else context
        self._speaker = Speaker(self._system, self._decoding, self._beams, self._context)
        self._seen = EncodedPictures(self._system.read, keep_bytes)
        self._room = InMemory(forget=self._seen.forget)
        self._nothing: Tensor | None = None

    def _capabilities(self, decoder: str | None) -> Capabilities:
        draws = self._system.decoder is not None
        hint = "leave out decoder=null" if decoder is None else self._kind.WITH_DECODER
        return Capabilities(
            frozenset({"description"} | ({"image"} if draws else set())),
            hint="" if draws else hint,
            repeats=_SAME if self._decoding.repeats else "",
            repeats_in=frozenset({"description"}),  # pictures begin with noise of their own
        )

    def record(self) -> dict[str, Any]:
        """Return the checkpoint's identity, and how the model is asked and draws."""
        model = self._system.language_model
        return {
            **self._identity,
            "instructed": self._system.vocabulary.user is not None,
            "dtype": str(model.dtype).removeprefix("torch."),
            "context": self._context,
            "decoding": {**self._decoding.record(), **self._beams.record(self._decoding)},
            "drawing": drawing_record(
                self._system.decoder,
                self._drawing,
                seed=self._decoding.seed,
                safety_checker=self._system.checks_safety,
            ),
            "versions": versions(model.device, "diffusers", "transformers", "tokenizers"),
        }

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Draw or describe; with a chain of thought, in two rounds."""

        def encode(turns: Sequence[Sequence[Part]]) -> list[Tensor] | Output:
            control = self._kind.CONTROL
            return encoded(turns, control, lambda part: self._seen.of(part["image"] or ""))

        return in_rounds(examples, encode, self._ask, self._output)

    def _ask(self, rounds: Sequence[_Round]) -> list[Said]:
        """Return what the model says in each round, or what a picture is drawn from."""

        def ask(alike: Sequence[_Round], draws: bool) -> list[Said]:
            asked = [Asked(self._prompt(one), one.pictures, self._seed(one)) for one in alike]
            answers = self._speaker.picture if draws else self._speaker.text
            return self._room.answer(asked, answers, _TOO_LARGE)

        return by_kind(rounds, _draws, ask)

    def _prompt(self, ready: _Round) -> Prompt:
        example, words = ready.example, self._system.words
        own, said = system_apart(example["messages"])
        chat = example["output"] != "image" and self._system.vocabulary.user is not None
        return format_prompt(
            user_turns(said, example["followup"])[: len(ready.turns)],
            [] if ready.first is None else [ready.first.ids],
            self._system.vocabulary,
            lambda text: words.encode(text, add_special_tokens=False),
            system=own or (self._default_system if chat else ""),
            chat=chat,
            draws=_draws(ready),
        )

    def _seed(self, ready: _Round) -> int:
        return example_seed(self._decoding.seed, ready.example["id"], len(ready.turns) - 1)

    def _output(self, ready: _Round, said: Said) -> Output:
        """Return an example's output, from what was said last."""
        first, seed, draws = ready.first, self._seed(ready), _draws(ready)
        output = Output(
            text=self._text(said) or None,
            finish_reason=said.finish_reason,
            usage=added(first.usage if first else None, said.usage),
            extra={
                **({"seed": seed} if draws or self._decoding.do_sample else {}),
                **({"forced": True} if draws else {}),
                **({"first_round": self._kept(first)} if first else {}),
            },
        )
        if said.problem is not None:
            return failed(said.problem, output)
        if draws and said.condition is not None:
            return self._drawn(output, said.condition, seed)
        problem = f"empty: no text came ({len(said.ids)} tokens, {said.finish_reason})"
        return output if output.text else failed(problem, output)

    def _drawn(self, output: Output, condition: Tensor, seed: int) -> Output:
        if self._nothing is None:
            self._nothing = self._system.nothing()
        drawn = self._system.draw(condition, self._nothing, seed, self._drawing)
        return with_picture(output, drawn)

    def _text(self, said: Said) -> str:
        text: str = self._system.words.decode(list(said.ids), skip_special_tokens=True)
        return text.strip()

    def _kept(self, said: Said) -> dict[str, Any]:
        return {"text": self._text(said), "finish_reason": said.finish_reason}


def _draws(ready: _Round) -> bool:
    return ready.last and ready.example["output"] == "image"


def _decoder_identity(checkpoint: str | None, decoder: str | None) -> dict[str, Any]:
    """Return what a run records of the decoder: name and digest; None for the folder's own."""
    if checkpoint is None:
        return {}
    apart = None if decoder == DECODER else decoder
    digest = None if apart is None else weights_digest(Path(apart))
    return {"decoder": apart, "decoder_sha256": digest}
