r"""Any image-text-to-text checkpoint of `transformers`: LLaVA, Qwen-VL, InternVL, Gemma, Idefics.

    cobsat predict --model transformers --model-option checkpoint=Qwen/Qwen2.5-VL-7B-Instruct \
        --config all-2shot --output description

Source: `AutoModelForImageTextToText` and its processor. Text and pictures reach the model in
reading order (`vlm_layouts.py`), each picture is encoded once where the model allows it
(`vlm_inputs.py`), and an answer depends on its example alone (`vlm_generation.py`).

What goes wrong with one example is an error with one of these reasons, never an empty answer:

| reason begins with | |
|---|---|
| `too_long` | prompt and pictures leave no room in the context; nothing was generated |
| `picture_count` | the laid-out prompt has not one place for each picture |
| `control_token` | a text of the prompt holds a token that steers the model |
| `no_picture` | the model cannot answer without one |
| `picture` | a picture cannot be opened |
| `empty` | the model answered nothing |
| `not_finite` | the scores are not all numbers, as in half precision they may be |
| `out_of_memory` | not even this example alone fits into the device's memory |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Final

import torch
from cobsat import Example, ImageCache
from cobsat.chat_layouts import pad_to_square
from cobsat.checkpoints import weights_digest
from cobsat.examples import Message
from cobsat.spec import choose
from PIL import Image

from .checkpoints import device_name, load_vlm
from .in_memory import InMemory
from .lora import trained_on
from .protocol import Capabilities, Output
from .seeds import example_seed
from .vlm_generation import Decoding, Sound, each_whole, generate, set_decoding
from .vlm_inputs import Encoder, Prompt, probe_prompt
from .vlm_layouts import Layout, choose_layout, picture_mark, say
from .vlm_pictures import MANY_IMAGES, one_picture, open_pictures

__all__ = ["TransformersVLM"]

_ONE_IMAGE: Final = ("blip", "blip-2", "instructblip")
"""Model types with one place for a picture."""

_WORDINGS: Final = {
    "llava": "llava",
    "llava_next": "llava",
    "qwen2_vl": "qwen_vl",
    "qwen2_5_vl": "qwen_vl",
    "qwen3_vl": "qwen_vl",
    "qwen3_vl_moe": "qwen_vl",
}
"""Model type → whose wording of App. A.1 the paper has for the family."""

_DTYPES: Final = ("auto", "float32", "bfloat16", "float16")


@dataclass(frozen=True)
class _Turn:
    """One round of one example: the chat so far, and where its answer goes."""

    place: int
    id: str
    messages: list[Message]


@dataclass(frozen=True)
class _Reply:
    """What the model said in one round, or why it said nothing."""

    text: str = ""
    finish_reason: str | None = None
    usage: dict[str, float] | None = None
    problem: str | None = None


_TOO_LARGE: Final = _Reply(problem="out_of_memory: the example alone does not fit")
_NO_NUMBERS: Final = _Reply(
    problem="not_finite: the model's scores are not all numbers: try dtype=bfloat16"
)


class TransformersVLM:
    """A checkpoint of `transformers` that describes the next picture.

    Args:
        checkpoint: A name on the Hub, or a folder. Weights must be safetensors.
        revision: A branch, tag or commit on the Hub.
        adapter: LoRA weights to merge into it, as `cobsat train` saves them.
        device: "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1", "mps".
        device_map: "auto" spreads the model over all devices (needs accelerate).
        dtype: "auto" (the checkpoint's), "float32", "bfloat16" or "float16".
        attn_implementation: "sdpa", "eager", "flash_attention_2", …
        trust_remote_code: Whether code in the checkpoint may run.
        layout: How a prompt becomes one text: "auto" (the checkpoint's template if it keeps the
            reading order, else one that does), "template", "inline", "plain", "llava_v1",
            "mistral_instruct", … (`vlm_layouts.py`).
        many_images: For a model with one place for a picture: "error", "collage" or "last".
        max_new_tokens: The most tokens of an answer.
        do_sample: Whether answers are drawn; else they are greedy.
        temperature: Of drawing.
        top_p: Of drawing.
        seed: Of drawing; each example's own seed comes from it and the example's id.
        context: Tokens that prompt and answer may have together, if not what the config says.
        reuse_gb: Memory for encoded pictures, in gigabytes; 0 encodes them every time.
    """

    session_options: ClassVar[set[str]] = {"device", "device_map"}
    answer_options: ClassVar[dict[str, Any]] = {"max_new_tokens": 1024}

    def __init__(
        self,
        checkpoint: str,
        *,
        revision: str | None = None,
        adapter: str | None = None,
        device: str = "auto",
        device_map: str | None = None,
        dtype: str = "auto",
        attn_implementation: str | None = None,
        trust_remote_code: bool = False,
        layout: str = "auto",
        many_images: str = "error",
        max_new_tokens: int = 512,
        do_sample: bool = False,
        temperature: float = 1.0,
        top_p: float = 1.0,
        seed: int = 0,
        context: int | None = None,
        reuse_gb: float = 2.0,
    ) -> None:
        self.name = str(checkpoint)
        self._revision = revision
        self._many_images = choose("many_images", many_images, MANY_IMAGES)
        self._decoding = Decoding(max_new_tokens, do_sample, temperature, top_p, seed).check()
        if not isinstance(reuse_gb, int | float) or reuse_gb < 0:
            raise ValueError(f"reuse_gb must be 0 or more, got {reuse_gb!r}")
        self._model, self._processor = load_vlm(
            self.name,
            revision=revision,
            device=device,
            device_map=device_map,
            dtype=choose("dtype", dtype, _DTYPES),
            attn_implementation=attn_implementation,
            trust_remote_code=trust_remote_code,
            adapter=adapter,
        )
        self._digest = weights_digest(Path(self.name))
        self._adapter = None if adapter is None else _adapter_record(adapter)
        config = self._model.config
        self._one_image = config.model_type in _ONE_IMAGE
        single = self._one_image and self._many_images == "error"
        self.capabilities = Capabilities(
            frozenset({"description"}), 1 if single else None, repeats=self._decoding.repeats
        )
        self.instructions_for = {"description": _WORDINGS.get(config.model_type, "neutral")}
        self._context = _context(config, context)
        self._ends = set_decoding(self._model, self._processor.tokenizer, self._decoding)
        self._mark = picture_mark(self._processor)
        self._layout = choose_layout(self._processor, config, layout)
        self._control = _control_tokens(self._processor, self._mark)
        self._square = _square_color(self._layout.name, config, self._processor)
        probe = probe_prompt(self._layout.text)
        self._encoder = Encoder(
            self._model, self._processor, self._mark, probe, int(reuse_gb * 1e9)
        )
        self._pictures = ImageCache()
        self._room = InMemory(forget=self._encoder.forget)

    @classmethod
    def repeats_with(cls, options: dict[str, Any]) -> str:
        """Return why its answers are the same each time; empty where they are drawn."""
        return Decoding(do_sample=bool(options.get("do_sample", False))).repeats

    @property
    def parts(self) -> tuple[Any, Any]:
        """The checkpoint's model and processor."""
        return self._model, self._processor

    @property
    def context(self) -> int:
        """The most tokens that prompt and answer may have together."""
        return self._context

    def forget(self) -> None:
        """Give the memory of encoded pictures back."""
        self._encoder.forget()

    def record(self) -> dict[str, Any]:
        """Return the checkpoint's identity, and how it is asked."""
        model, config = self._model, self._model.config
        return {
            "checkpoint": self.name,
            "revision": self._revision,
            "commit": getattr(config, "_commit_hash", None),
            "weights_sha256": self._digest,
            **({"adapter": self._adapter} if self._adapter else {}),
            "architecture": type(model).__name__,
            "dtype": str(model.dtype).removeprefix("torch."),
            "attention": getattr(config, "_attn_implementation", None),
            "image_processor": type(self._processor.image_processor).__name__,
            "layout": self._layout.record(),
            "text_between_pictures": "piece by piece" if self._encoder.piecewise else "as one",
            "many_images": self._many_images,
            "padded_to_squares": self._square is not None,
            "pictures_reused": self._encoder.reuse,
            "context": self._context,
            "decoding": self._decoding.record(),
            "papers_instructions": self.instructions_for["description"],
            "versions": {
                "torch": torch.__version__,
                "torchvision": version("torchvision"),
                "transformers": version("transformers"),
                "tokenizers": version("tokenizers"),
                "device": device_name(model.device),
            },
        }

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Describe; with a chain of thought, in two rounds."""
        outputs: list[Output | None] = [None] * len(examples)
        turns = [_Turn(i, e["id"], e["messages"]) for i, e in enumerate(examples)]
        first = self._round(turns, 0)
        again: list[_Turn] = []
        for turn, reply in zip(turns, first, strict=True):
            followup = examples[turn.place]["followup"]
            if reply.problem or followup is None:
                where = "" if followup is None else "first round: "
                outputs[turn.place] = _output(reply, where)
            else:
                messages = [*turn.messages, say("assistant", reply.text), say("user", followup)]
                again.append(_Turn(turn.place, turn.id, messages))
        for turn, reply in zip(again, self._round(again, 1), strict=True):
            before = first[turn.place]
            kept = {"text": before.text, "finish_reason": before.finish_reason}
            usage = {
                name: (before.usage or {}).get(name, 0) + (reply.usage or {}).get(name, 0)
                for name in before.usage or {}
            }
            outputs[turn.place] = _output(reply, "", {"first_round": kept}, usage)
        given = [output for output in outputs if output is not None]
        return [self._with_seed(output, e["id"]) for output, e in zip(given, examples, strict=True)]

    def _with_seed(self, output: Output, name: str) -> Output:
        """Return an output with the seed of its (first) round, where answers are drawn."""
        if not self._decoding.do_sample:
            return output
        seed = example_seed(self._decoding.seed, name)
        return replace(output, extra={"seed": seed, **(output.extra or {})})

    def _round(self, turns: Sequence[_Turn], number: int) -> list[_Reply]:
        """Return a reply for each turn."""
        replies: dict[int, _Reply] = {}
        ready: list[tuple[int, Prompt, int]] = []
        for index, turn in enumerate(turns):
            prompt = self.prompt(turn.messages)
            if isinstance(prompt, str):
                replies[index] = _Reply(problem=prompt)
            else:
                seed = example_seed(self._decoding.seed, turn.id, number)
                ready.append((index, prompt, seed))
        for pictured in (True, False):
            alike = [item for item in ready if bool(item[1].pictures) == pictured]
            asked = [(prompt, seed) for _, prompt, seed in alike]
            answers = self._room.answer(asked, self._answer, _TOO_LARGE)
            replies |= {item[0]: answer for item, answer in zip(alike, answers, strict=True)}
        return [replies[index] for index in range(len(turns))]

    def prompt(self, messages: Sequence[Message], layout: Layout | None = None) -> Prompt | str:
        """Return a prompt in a layout (by default its own), or what is wrong with it."""
        for message in messages:
            for part in message["content"]:
                found = self._control.search(part["text"] or "") if self._control else None
                if found:
                    return f"control_token: a text of the prompt holds {found[0]!r}"
        try:
            opened = one_picture(open_pictures(messages, self._pictures), self._many_images)
        except OSError as error:
            return f"picture: {error}"
        pictures = tuple(
            part["image"] if self._square is None else pad_to_square(part["image"], self._square)
            for message in opened
            for part in message["content"]
            if isinstance(part["image"], Image.Image)
        )
        if self._one_image and not pictures:
            return "no_picture: the model must be given a picture, got a prompt without one"
        if self._one_image and len(pictures) > 1:
            return f"picture_count: the model has one place for a picture, got {len(pictures)}"
        text = (layout or self._layout).text(opened)
        if (problem := self._question_too_long(text)) is not None:
            return problem
        places = text.count(self._mark) if self._mark else len(pictures)
        if places != len(pictures):
            return f"picture_count: the prompt has {places} places for {len(pictures)} pictures"
        return Prompt(text, pictures)

    def _question_too_long(self, text: str) -> str | None:
        """Return what is wrong with a prompt that a Q-Former also reads, and cannot."""
        question = getattr(self._processor, "qformer_tokenizer", None)
        if question is None:
            return None
        limit = self._model.config.qformer_config.max_position_embeddings
        length = len(question(text)["input_ids"])
        if length <= limit:
            return None
        return f"too_long: the text has {length:,} tokens, the Q-Former reads {limit:,}"

    def _answer(self, batch: Sequence[tuple[Prompt, int]]) -> list[_Reply]:
        encoded = self._encoder.encode([prompt for prompt, _ in batch])
        fits = [length < self._context for length in encoded.lengths]
        if not all(fits):
            answers = iter(
                self._answer([item for item, fit in zip(batch, fits, strict=True) if fit])
                if any(fits)
                else []
            )
            return [
                next(answers) if fit else self._too_long(length)
                for fit, length in zip(fits, encoded.lengths, strict=True)
            ]
        return [reply or _NO_NUMBERS for reply in each_whole(batch, self._replies)]

    def _replies(self, batch: Sequence[tuple[Prompt, int]]) -> list[_Reply | None]:
        """Return a reply to each prompt; None where the scores were not all numbers."""
        encoded = self._encoder.encode([prompt for prompt, _ in batch])
        # Where nothing ends an answer any token will do: what such a row says is not kept.
        sound = Sound(len(batch), self._ends or frozenset({0}))
        rows = generate(
            self._model,
            encoded.inputs,
            encoded.lengths,
            [seed for _, seed in batch],
            self._decoding,
            self._context,
            self._ends,
            [sound],
        )
        return [
            self._reply(tokens, ended, length) if numbers else None
            for (tokens, ended), length, numbers in zip(
                rows, encoded.lengths, sound.rows(), strict=True
            )
        ]

    def _too_long(self, length: int) -> _Reply:
        return _Reply(
            problem=f"too_long: the prompt has {length:,} tokens with its pictures, the context "
            f"{self._context:,}"
        )

    def _reply(self, tokens: list[int], ended: bool, length: int) -> _Reply:
        text = self._processor.tokenizer.decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        ).strip()
        usage: dict[str, float] = {"input_tokens": length, "output_tokens": len(tokens)}
        finish = "stop" if ended else "length"
        problem = None if text else f"empty: the model answered nothing ({len(tokens)} tokens)"
        return _Reply(text, finish, usage, problem)


def _output(
    reply: _Reply,
    where: str,
    extra: dict[str, Any] | None = None,
    usage: dict[str, float] | None = None,
) -> Output:
    usage = usage or reply.usage
    if reply.problem:
        code, _, rest = reply.problem.partition(": ")
        return Output(
            "error",
            reason=f"{code}: {where}{rest}",
            finish_reason=reply.finish_reason,
            usage=usage,
            extra=extra,
        )
    return Output(text=reply.text, finish_reason=reply.finish_reason, usage=usage, extra=extra)


def _adapter_record(adapter: str) -> dict[str, str | None]:
    digest = weights_digest(Path(adapter))
    return {"name": adapter, "trained_on": trained_on(adapter), "weights_sha256": digest}


def _context(config: Any, given: int | None) -> int:
    if given is not None:
        if not isinstance(given, int) or isinstance(given, bool) or given < 2:
            raise ValueError(f"context must be an integer above 1, got {given!r}")
        return given
    limit = getattr(config.get_text_config(), "max_position_embeddings", None)
    if not isinstance(limit, int):
        raise ValueError(
            "context must be given, got none (the checkpoint's config names no "
            "max_position_embeddings): --model-option context=4096"
        )
    return limit


def _square_color(layout: str, config: Any, processor: Any) -> tuple[float, ...] | None:
    """Return the color with which pictures are padded to squares, if they are.

    LLaVA-1.5 was trained so; the conversions' image processors cut the sides off instead.
    """
    mean = getattr(processor.image_processor, "image_mean", None)
    crops = getattr(processor.image_processor, "do_center_crop", False)
    if config.model_type != "llava" or layout != "llava_v1" or not mean or not crops:
        return None
    return tuple(mean)


def _control_tokens(processor: Any, mark: str) -> re.Pattern[str] | None:
    """Return what finds, in a text, a token that the tokenizer would take for a control token."""
    added = processor.tokenizer.added_tokens_decoder.values()
    tokens = {str(token) for token in added if token.special and str(token).strip()} | {mark}
    tokens.discard("")
    return re.compile("|".join(map(re.escape, sorted(tokens)))) if tokens else None
