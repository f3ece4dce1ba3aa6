"""From prompts to the tensors that a vision-language model takes, padded on the left.

The pictures of a theme come back thousands of times. Where a model's `forward` takes pictures
that are encoded already (`mm_encoder_outputs`), each is encoded once, alone, and kept by the
digest of its pixels, so that what it becomes depends on nothing else in the batch. Whether that
gives the very inputs that the processor gives is tried when the checkpoint is loaded; if not, the
processor makes each batch anew, and the run's record says why.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final

import torch
from cobsat.examples import Message, Part
from PIL import Image

__all__ = ["Encoded", "Encoder", "Prompt", "probe_prompt"]

_PIECEWISE: Final = ("llava", "llava_next")
"""Model types whose training code tokenized the text between pictures piece by piece."""

_PROBE: Final = (
    Image.new("RGB", (48, 32), (200, 30, 30)),
    Image.new("RGB", (64, 96), (30, 30, 200)),
)


@dataclass(frozen=True)
class Prompt:
    """A laid-out prompt: its text, with a mark for each of its pictures, and these."""

    text: str
    pictures: tuple[Image.Image, ...]


def probe_prompt(layout: Callable[[Sequence[Message]], str]) -> Prompt:
    """Return a prompt with two pictures, laid out, to try a processor on."""
    picture: Part = {"type": "image", "text": None, "image": None}
    text: Part = {"type": "text", "text": "red: ", "image": None}
    message: Message = {"role": "user", "content": [text, picture, text, picture, text]}
    return Prompt(layout([message]), _PROBE)


@dataclass(frozen=True)
class Encoded:
    """A batch as a model takes it.

    Attributes:
        inputs: Keyword arguments of `generate`, on the model's device.
        lengths: Tokens of each prompt, pictures included, without padding.
    """

    inputs: dict[str, Any]
    lengths: list[int]


@dataclass(frozen=True)
class _Known:
    """A picture that is encoded.

    Attributes:
        text: What replaces its mark in a prompt.
        pooled: Its features, of shape (tokens, width).
        deep: Features that enter at later layers, each of shape (tokens, width).
        arguments: What else the model is told of it, such as its grid of patches.
        output: Class of the encoder's output.
        lists: Whether that holds lists, one item a picture: of the features, of the deep ones.
    """

    text: str
    pooled: torch.Tensor
    deep: tuple[torch.Tensor, ...]
    arguments: dict[str, torch.Tensor]
    output: type[Any]
    lists: tuple[bool, bool]

    @property
    def size(self) -> int:
        return sum(t.numel() * t.element_size() for t in (self.pooled, *self.deep))


class Encoder:
    """Encodes batches of prompts for one checkpoint.

    Args:
        model: The model.
        processor: Its processor.
        mark: What stands for a picture in a prompt's text.
        probe: A prompt with pictures to try the processor on.
        keep_bytes: Memory for encoded pictures.
        asked: What else the processor is asked, such as its `generation_mode`.

    Attributes:
        reuse: "yes", or why encoded pictures are not kept.
        piecewise: Whether the text between pictures is tokenized piece by piece.
    """

    def __init__(
        self,
        model: Any,
        processor: Any,
        mark: str,
        probe: Prompt,
        keep_bytes: int,
        asked: dict[str, Any] | None = None,
    ) -> None:
        self._model = model
        self._processor = processor
        self._mark = mark
        self._keep_bytes = keep_bytes
        self._asked = asked or {}
        self._around = "", ""
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._kept_bytes = 0
        self._digests: OrderedDict[int, tuple[Image.Image, str]] = OrderedDict()
        processor.tokenizer.padding_side = "left"  # else batches differ from single prompts
        self.piecewise = model.config.model_type in _PIECEWISE and _adds_spaces(processor)
        self.reuse = self._try_reuse(probe)

    def encode(self, prompts: Sequence[Prompt]) -> Encoded:
        """Return a batch; all of its prompts have pictures, or none has."""
        # What is tokenized piece by piece is told how many tokens each picture has by these runs.
        told = [_apart(prompt, self._mark) for prompt in prompts] if self.piecewise else prompts
        if self.reuse == "yes" and prompts[0].pictures:
            inputs = self._from_known(told)
        else:
            inputs = self._by_processor(told)
        if self.piecewise:
            inputs |= self._by_pieces(prompts, inputs["input_ids"])
        device, dtype = self._model.device, self._model.dtype
        moved = {
            name: _moved(value, device, dtype) if isinstance(value, torch.Tensor) else value
            for name, value in inputs.items()
        }
        return Encoded(moved, inputs["attention_mask"].sum(dim=1).tolist())

    def forget(self) -> None:
        """Give the memory of encoded pictures back."""
        self._known.clear()
        self._kept_bytes = 0

    def _by_processor(self, prompts: Sequence[Prompt]) -> dict[str, Any]:
        texts = [prompt.text for prompt in prompts]
        nested = [list(prompt.pictures) for prompt in prompts]
        flat = [picture for pictures in nested for picture in pictures]
        inputs = dict(
            self._processor(
                text=texts,
                images=(nested if self._mark else flat) if flat else None,
                padding=True,
                return_tensors="pt",
                **self._special(texts),
                **self._asked,
            )
        )
        if "qformer_input_ids" in inputs:
            # The Q-Former counts positions from the left, padding included.
            again = self._processor.qformer_tokenizer(
                texts, padding=True, padding_side="right", return_tensors="pt"
            )
            inputs["qformer_input_ids"] = again["input_ids"]
            inputs["qformer_attention_mask"] = again["attention_mask"]
        return inputs

    def _special(self, texts: Sequence[str]) -> dict[str, bool]:
        start = self._processor.tokenizer.bos_token
        return {"add_special_tokens": False} if start and texts[0].startswith(start) else {}

    def _try_reuse(self, probe: Prompt) -> str:
        if not self._keep_bytes:
            return "no: turned off"
        if not self._mark:
            return "no: what a picture becomes depends on the prompt's text"
        if "mm_encoder_outputs" not in inspect.signature(self._model.forward).parameters:
            return "no: the model's forward takes no encoded pictures"
        try:
            its = self._by_processor([probe])
            same = self._gives(probe, its)
            if not same:
                self._around = self._put_around(probe.text)
                same = self._gives(probe, its)
        except Exception as error:  # whatever a checkpoint's own code raises: it cannot be done
            return f"no: {type(error).__name__}: {error}"
        finally:
            self.forget()
        return "yes" if same else "no: the processor lays pictures out in another way"

    def _gives(self, probe: Prompt, its: dict[str, Any]) -> bool:
        """Return whether encoded pictures give the inputs that the processor gives."""
        ours = self._from_known([probe])
        names = {name for name in its if not name.startswith("pixel")}
        names.discard("image_sizes")
        return names <= set(ours) and all(torch.equal(ours[name], its[name]) for name in names)

    def _put_around(self, text: str) -> tuple[str, str]:
        """Return what the processor itself puts before and after a text, as Janus' a system text.

        What its tokenizer adds is not among it.
        """
        word, special = "quokka", self._special([text])
        ends = []
        for made in (
            self._processor(text=[word], **special, **self._asked),
            self._processor.tokenizer([word], **special),
        ):
            [ids] = made["input_ids"]
            said = self._processor.tokenizer.decode(ids, clean_up_tokenization_spaces=False)
            ends.append(said.partition(word)[::2])
        (before, after), (own_before, own_after) = ends
        return before.removeprefix(own_before), after.removesuffix(own_after)

    def _from_known(self, prompts: Sequence[Prompt]) -> dict[str, Any]:
        known = [[self._encoded(picture) for picture in prompt.pictures] for prompt in prompts]
        texts = []
        for prompt, pictures in zip(prompts, known, strict=True):
            first, *rest = prompt.text.split(self._mark)
            pieces = [p.text + piece for p, piece in zip(pictures, rest, strict=True)]
            texts.append("".join(pieces).join((self._around[0] + first, self._around[1])))
        options = self._options(padding=True, **self._special(texts))
        options["text_kwargs"].pop("return_mm_token_type_ids", None)
        options["text_kwargs"].pop("return_text_replacement_offsets", None)
        inputs = dict(self._processor.tokenizer(texts, **options["text_kwargs"]))
        if getattr(self._processor, "return_mm_token_type_ids", False):
            types = self._processor.create_mm_token_type_ids(inputs["input_ids"].tolist())
            both = self._processor.model_input_names
            name = "token_type_ids" if "token_type_ids" in both else "mm_token_type_ids"
            inputs[name] = torch.tensor(types)
        flat = [picture for pictures in known for picture in pictures]
        for name in flat[0].arguments:
            inputs[name] = torch.cat([picture.arguments[name] for picture in flat])
        inputs["mm_encoder_outputs"] = {"image": _joined(flat)}
        return inputs

    def _options(self, **given: Any) -> dict[str, Any]:
        merged: dict[str, Any] = self._processor._merge_kwargs(
            tokenizer_init_kwargs=self._processor.tokenizer.init_kwargs,
            return_tensors="pt",
            **given,
        )
        return merged

    def _encoded(self, picture: Image.Image) -> _Known:
        digest = self._digest(picture)
        known = self._known.get(digest)
        if known is None:
            known = self._encode_picture(picture)
            self._known[digest] = known
            self._kept_bytes += known.size
            while self._kept_bytes > self._keep_bytes:
                self._kept_bytes -= self._known.popitem(last=False)[1].size
        else:
            self._known.move_to_end(digest)
        return known

    def _digest(self, picture: Image.Image) -> str:
        """Return the SHA-256 of a picture's pixels; those of the last few are remembered."""
        there = self._digests.get(id(picture))  # the picture is held, so its id is its own
        if there is not None:
            return there[1]
        head = f"{picture.mode} {picture.width} {picture.height} ".encode()
        digest = hashlib.sha256(head + picture.tobytes()).hexdigest()
        self._digests[id(picture)] = picture, digest
        if len(self._digests) > 128:
            self._digests.popitem(last=False)
        return digest

    def _encode_picture(self, picture: Image.Image) -> _Known:
        processor, model = self._processor, self._model
        images, *_ = processor.prepare_inputs_layout(images=[picture], text=[self._mark])
        processed, [text] = processor._process_images(images, **self._options()["images_kwargs"])
        encode = model.base_model.get_image_features
        taken = {
            name: _moved(processed[name], model.device, model.dtype)
            for name in inspect.signature(encode).parameters
            if name in processed
        }
        with torch.inference_mode():
            output = encode(**taken, return_dict=True)
        pooled = output.pooler_output
        deep = getattr(output, "deepstack_features", None) or ()
        return _Known(
            text=text,
            pooled=_flat(pooled),
            deep=tuple(_flat(layer) for layer in deep),
            arguments={
                name: value.cpu() for name, value in taken.items() if not name.startswith("pixel")
            },
            output=type(output),
            lists=(_is_list(pooled), any(map(_is_list, deep))),
        )

    def _by_pieces(self, prompts: Sequence[Prompt], ids: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return the prompts tokenized piece by piece, with the pictures' tokens in between."""
        tokenizer = self._processor.tokenizer
        picture_id = self._model.config.image_token_id
        rows = []
        for prompt, row in zip(prompts, ids.tolist(), strict=True):
            runs = [len(list(run)) for token, run in groupby(row) if token == picture_id]
            start = [] if self._special([prompt.text]) else [tokenizer.bos_token_id]
            first, *rest = [
                tokenizer(piece, add_special_tokens=False)["input_ids"] if piece else []
                for piece in prompt.text.split(self._mark)
            ]
            tokens = [*start, *first]
            for run, piece in zip(runs, rest, strict=True):
                tokens += [picture_id] * run + piece
            rows.append(tokens)
        width = max(map(len, rows))
        pad = tokenizer.pad_token_id or 0
        return {
            "input_ids": torch.tensor([[pad] * (width - len(row)) + row for row in rows]),
            "attention_mask": torch.tensor(
                [[0] * (width - len(row)) + [1] * len(row) for row in rows]
            ),
        }


def _apart(prompt: Prompt, mark: str) -> Prompt:
    """Return a prompt with a word between pictures that stand side by side.

    >>> _apart(Prompt("<i><i><i> red", ()), "<i>").text
    '<i> and <i> and <i> red'
    """
    text = re.sub(f"{re.escape(mark)}(?={re.escape(mark)})", f"{mark} and ", prompt.text)
    return replace(prompt, text=text)


def _adds_spaces(processor: Any) -> bool:
    """Return whether a tokenizer marks a text's beginning as a word's beginning, as LLaMA's do."""
    return bool(processor.tokenizer.tokenize("a")[0].startswith("▁"))


def _is_list(features: Any) -> bool:
    return not isinstance(features, torch.Tensor)


def _flat(features: Any) -> torch.Tensor:
    parts = list(features) if _is_list(features) else [features]
    return torch.cat([part.reshape(-1, part.shape[-1]) for part in parts])


def _joined(pictures: Sequence[_Known]) -> Any:
    """Return an encoder's output for pictures in a row, as if it had been given them all."""
    pooled_lists, deep_lists = pictures[0].lists
    pooled = [picture.pooled for picture in pictures]
    fields: dict[str, Any] = {"pooler_output": pooled if pooled_lists else torch.cat(pooled)}
    if pictures[0].deep:
        layers = [list(layer) for layer in zip(*(p.deep for p in pictures), strict=True)]
        fields["deepstack_features"] = layers if deep_lists else [torch.cat(x) for x in layers]
    return pictures[0].output(**fields)


def _moved(value: torch.Tensor, device: Any, dtype: torch.dtype) -> torch.Tensor:
    return value.to(device, dtype) if value.is_floating_point() else value.to(device)
