"""A vision-language model of `transformers`, as a judge needs it: greedy replies, option scores.

Batches give what single outputs give: prompts are padded on the left, and every token's position is
given. How likely the options are is read from one forward pass that both questions share
(`option_scores.py`); whether a model honours the mask that this takes is checked when it is loaded,
and one that does not is asked with plain sequences, one an option, which is slower.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import torch
from cobsat.checkpoints import no_progress_bar
from PIL import Image
from transformers import (
    AutoImageProcessor,
    AutoModelForImageTextToText,
    AutoProcessor,
    GenerationConfig,
)

from .option_scores import ROOT, OptionTree, Packed, option_probabilities, pack, shared_length
from .prompt_ids import Prompt

__all__ = ["Reply", "VisionLanguageModel", "end_ids", "halving", "torch_dtype"]

_T = TypeVar("_T")
_U = TypeVar("_U")


@dataclass(frozen=True)
class Reply:
    """What a model said, and whether it was cut before it had come to an end."""

    text: str
    cut: bool


class VisionLanguageModel:
    """A checkpoint with its processor.

    Args:
        source: A name on the Hub, or a folder.
        revision: Of a name on the Hub.
        dtype: As torch names it; None: float32 on a CPU, the checkpoint's own elsewhere.
        device: As torch names it; None: a GPU if there is one.
        trust_remote_code: Whether code that comes with the checkpoint may run.

    Raises:
        OSError: There is no such checkpoint, or none with safetensors.
        ValueError: It is not an image-text-to-text model, or `dtype` is not torch's.
    """

    def __init__(
        self,
        source: str,
        *,
        revision: str = "main",
        dtype: str | None = None,
        device: str | None = None,
        trust_remote_code: bool = False,
    ) -> None:
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        shared = {"revision": revision, "trust_remote_code": trust_remote_code}
        self.processor: Any = AutoProcessor.from_pretrained(  # type: ignore[no-untyped-call]
            source, **shared
        )
        # pictures are resized by Pillow, as LLaVA was trained: torchvision's pixels differ
        self.processor.image_processor = AutoImageProcessor.from_pretrained(  # type: ignore[no-untyped-call]
            source, backend="pil", **shared
        )
        with no_progress_bar():
            model: Any = AutoModelForImageTextToText.from_pretrained(
                source, dtype=torch_dtype(dtype, self.device), use_safetensors=True, **shared
            )
        self._ends = end_ids(model, self.processor.tokenizer)
        # the checkpoint's own settings might sample, or punish repetitions
        model.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
            do_sample=False, eos_token_id=self._ends, pad_token_id=self._ends[0]
        )
        self.model: Any = model.train(False).to(self.device)
        self.dtype: torch.dtype = model.dtype
        text = model.config.get_text_config()
        self.context = int(getattr(text, "max_position_embeddings", None) or 4096)
        self._window = getattr(text, "sliding_window", None)
        self._core = getattr(model, "model", model)
        self._keeps = "logits_to_keep" in inspect.signature(model.forward).parameters
        self.shares_prefix = True

    @property
    def image_token_id(self) -> int:
        """The token that marks a picture's place."""
        found = getattr(self.processor, "image_token_id", None)
        return int(self.model.config.image_token_id if found is None else found)

    def generate(self, prompts: Sequence[Prompt], longest: int) -> list[tuple[Reply, Reply]]:
        """Return greedy replies to both questions about each output."""
        rows = [ids for prompt in prompts for ids in prompt.ids]
        types = [t for prompt in prompts for t in prompt.types or ()]
        inputs = self._padded(rows, types, longest=max(map(len, rows)))
        inputs.update(self._pixels([prompt.pixels for prompt in prompts for _ in prompt.ids]))
        with torch.inference_mode():
            every = self.model.generate(**inputs, max_new_tokens=longest)
        said = every[:, inputs["input_ids"].shape[1] :].tolist()
        replies = [self._reply(ids) for ids in said]
        return list(zip(replies[::2], replies[1::2], strict=True))

    def options(
        self, prompts: Sequence[Prompt], tree: OptionTree
    ) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Return, for both questions about each output, how likely each option is."""
        packs = [self._pack(prompt, tree) for prompt in prompts]
        if all(packed is not None for packed in packs):
            both = self._read_packed(prompts, [packed for packed in packs if packed])
        else:
            both = [self._read_plainly(prompt, tree) for prompt in prompts]
        return [
            (
                option_probabilities(one, tree, self._ends).cpu(),
                option_probabilities(other, tree, self._ends).cpu(),
            )
            for one, other in both
        ]

    def check_sharing(self, prompt: Prompt, tree: OptionTree) -> bool:
        """Find out whether one shared pass reads what plain sequences read, and go by it."""
        leaves = [tree.ends[0][0], tree.ends[len(tree.ends) - 1][-1]]
        rows = sorted({1 + node for leaf in leaves for node in tree.path(leaf)} | {0})
        self.shares_prefix = True
        packed = self._pack(prompt, tree)
        if packed is None:
            self.shares_prefix = False
            return False
        plain = self._read_plainly(prompt, tree, leaves)
        try:
            shared = self._read_packed([prompt], [packed])[0]
        except (TypeError, ValueError, RuntimeError) as error:  # a model that takes no such mask
            if isinstance(error, torch.OutOfMemoryError):
                raise
            self.shares_prefix = False
            return False
        bound = _SAME if self.dtype == torch.float32 else _SAME_IN_HALF
        for one, other in zip(plain, shared, strict=True):
            wanted, got = (torch.log_softmax(x[rows].float(), dim=-1) for x in (one, other))
            if not (got - wanted).abs().mean() <= bound * wanted.std():
                self.shares_prefix = False
        return self.shares_prefix

    # --- one pass for both questions ---------------------------------------------------------

    def _pack(self, prompt: Prompt, tree: OptionTree) -> Packed | None:
        """Return both questions as one sequence; None where that would not read the same."""
        one, other = prompt.ids
        if not self.shares_prefix or self.image_token_id in one[shared_length(one, other) :]:
            return None
        packed = pack(one, other, (tree, tree))
        return packed if not self._window or max(packed.places) < self._window else None

    def _read_packed(
        self, prompts: Sequence[Prompt], packs: Sequence[Packed]
    ) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Return logits after each question and each node, from one forward pass."""
        width = max(len(packed.ids) for packed in packs)
        left = [width - len(packed.ids) for packed in packs]
        sees = torch.eye(width, dtype=torch.bool).repeat(len(packs), 1, 1)
        for row, (start, packed) in enumerate(zip(left, packs, strict=True)):
            sees[row, start:, start:] = packed.sees
        mask = torch.zeros(sees.shape, dtype=self.dtype)
        mask.masked_fill_(~sees, torch.finfo(self.dtype).min)
        inputs = self._padded([packed.ids for packed in packs], longest=width)
        inputs["attention_mask"] = mask[:, None].to(self.device)
        inputs["position_ids"] = self._packed_positions(prompts, packs, width)
        inputs.update(self._pixels([prompt.pixels for prompt in prompts]))
        places = [
            [[start + place for place in reads] for reads in packed.reads]
            for start, packed in zip(left, packs, strict=True)
        ]
        keep = sorted({place for both in places for reads in both for place in reads})
        at = {place: number for number, place in enumerate(keep)}
        with torch.inference_mode():
            if self._keeps:
                kept = torch.tensor(keep, device=self.device)
                logits = self.model(**inputs, use_cache=False, logits_to_keep=kept).logits
            else:
                logits = self.model(**inputs, use_cache=False).logits[:, keep]
        return [
            (logits[row, [at[p] for p in one]], logits[row, [at[p] for p in other]])
            for row, (one, other) in enumerate(places)
        ]

    def _packed_positions(
        self, prompts: Sequence[Prompt], packs: Sequence[Packed], width: int
    ) -> torch.Tensor:
        """Return positions (batch, n), or (3, batch, n) where a picture has rows and columns."""
        flat = torch.zeros(len(packs), width, dtype=torch.long)
        for row, packed in enumerate(packs):
            flat[row, width - len(packed.ids) :] = torch.tensor(packed.places)
        if not self._in_rows_and_columns(prompts):
            return flat.to(self.device)
        positions = flat.repeat(3, 1, 1)
        for row, (prompt, packed) in enumerate(zip(prompts, packs, strict=True)):
            inputs = self._padded([prompt.ids[0]], [prompt.types[0]] if prompt.types else [])
            inputs.update(self._pixels([prompt.pixels]))
            alone = self._positions(inputs).cpu()[:, 0]
            shared = shared_length(*prompt.ids)
            start = width - len(packed.ids)
            # the picture takes fewer positions than it has tokens: what follows it moves up
            positions[:, row, start + shared :] += (alone[:, -1] - alone.shape[1] + 1)[:, None]
            positions[:, row, start : start + shared] = alone[:, :shared]
        return positions.to(self.device)

    # --- plain sequences -----------------------------------------------------------------------

    def _read_plainly(
        self, prompt: Prompt, tree: OptionTree, leaves: Sequence[int] | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the same logits, each option read as a sequence of its own.

        With `leaves`, only what stands on the way to those nodes; the rest is not a number.
        """
        if leaves is None:
            leaves = [n for n in range(len(tree.tokens)) if n not in tree.parents]
        return (
            self._read_question(prompt, 0, tree, leaves),
            self._read_question(prompt, 1, tree, leaves),
        )

    def _read_question(
        self, prompt: Prompt, which: int, tree: OptionTree, leaves: Sequence[int]
    ) -> torch.Tensor:
        paths = [tree.path(leaf) for leaf in leaves]
        keep = max(map(len, paths)) + 1
        read: torch.Tensor | None = None
        for start in range(0, len(paths), _PLAIN_ROWS):
            part = paths[start : start + _PLAIN_ROWS]
            rows = [[*prompt.ids[which], *(tree.tokens[node] for node in path)] for path in part]
            types = (
                [[*prompt.types[which], *(0 for _ in path)] for path in part]
                if prompt.types
                else []
            )
            inputs = self._padded(rows, types)
            inputs.update(self._pixels([prompt.pixels] * len(part)))
            inputs["position_ids"] = self._positions(inputs)
            inputs.pop("mm_token_type_ids", None)
            kept = {"logits_to_keep": keep} if self._keeps else {}
            with torch.inference_mode():
                logits = self.model(**inputs, use_cache=False, **kept).logits[:, -keep:]
            if read is None:
                read = logits.new_full((1 + len(tree.tokens), logits.shape[-1]), float("nan"))
            for row, path in enumerate(part):
                for place, node in enumerate(reversed([ROOT, *path])):
                    read[1 + node] = logits[row, -1 - place]
        assert read is not None
        return read

    # --- tensors -----------------------------------------------------------------------------

    def _padded(
        self,
        rows: Sequence[Sequence[int]],
        types: Sequence[Sequence[int]] = (),
        longest: int | None = None,
    ) -> dict[str, torch.Tensor]:
        """Return ids, mask and, if given, types, padded on the left."""
        width = longest or max(map(len, rows))
        pad = next(i for i in (*self._ends, 0, 1) if i != self.image_token_id)
        inputs = {
            "input_ids": [[pad] * (width - len(row)) + list(row) for row in rows],
            "attention_mask": [[0] * (width - len(row)) + [1] * len(row) for row in rows],
        }
        if types:
            inputs["mm_token_type_ids"] = [[0] * (width - len(t)) + list(t) for t in types]
        return {name: torch.tensor(values).to(self.device) for name, values in inputs.items()}

    def _pixels(self, of_rows: Sequence[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
        """Return what the processor made of the rows' pictures, in one tensor each."""
        joined = {}
        for name in of_rows[0]:
            tensors = [row[name] for row in of_rows]
            if tensors[0].dim() > 2:  # pictures in unlike numbers of tiles
                most = max(tensor.shape[1] for tensor in tensors)
                tensors = [_filled(tensor, most) for tensor in tensors]
            value = torch.cat(tensors).to(self.device)
            joined[name] = value.to(self.dtype) if value.is_floating_point() else value
        return joined

    def _in_rows_and_columns(self, prompts: Sequence[Prompt]) -> bool:
        return hasattr(self._core, "get_rope_index") and any(p.types for p in prompts)

    def _positions(self, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return positions that do not depend on the padding."""
        mask = inputs["attention_mask"]
        if hasattr(self._core, "get_rope_index") and "mm_token_type_ids" in inputs:
            names = ("input_ids", "mm_token_type_ids", "image_grid_thw", "attention_mask")
            given = {name: inputs[name] for name in names if name in inputs}
            positions: torch.Tensor = self._core.get_rope_index(**given)[0]
            return positions
        return (mask.cumsum(-1) - 1).clamp(min=0)

    def _reply(self, ids: Sequence[int]) -> Reply:
        said = list(ids)
        ends = [place for place, token in enumerate(said) if token in self._ends]
        text = self.processor.tokenizer.decode(
            said[: ends[0]] if ends else said, skip_special_tokens=True
        )
        return Reply(str(text), cut=not ends)


_SAME: Final = 1e-3
_SAME_IN_HALF: Final = 0.1
"""How far two ways to the same logits may lie apart, over the spread of the logits."""

_PLAIN_ROWS: Final = 8


def halving(call: Callable[[Sequence[_T]], list[_U]], batch: Sequence[_T]) -> list[_U]:
    """Return `call(batch)`; where memory does not suffice, by halves.

    Raises:
        OutOfMemoryError: It does not suffice for a single one.
    """
    try:
        return call(batch)
    except RuntimeError as error:
        short = isinstance(error, torch.OutOfMemoryError) or "not enough memory" in str(error)
        if not short or len(batch) < 2:
            raise
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    middle = len(batch) // 2
    return [*halving(call, batch[:middle]), *halving(call, batch[middle:])]


def sample_picture() -> Image.Image:
    """Return a small picture with something to see, for a check."""
    return Image.radial_gradient("L").resize((96, 72)).convert("RGB")


def torch_dtype(name: str | None, device: torch.device) -> torch.dtype | str:
    """Return a dtype by its name; None: float32 on a CPU, the checkpoint's own elsewhere.

    Raises:
        ValueError: There is none of that name.
    """
    if name is None:
        return torch.float32 if device.type == "cpu" else "auto"
    found = getattr(torch, name, None)
    if not isinstance(found, torch.dtype) or not found.is_floating_point:
        raise ValueError(f"dtype must be float32, bfloat16 or float16, got {name!r}")
    return found


def end_ids(model: Any, tokenizer: Any) -> list[int]:
    """Return the tokens that end an answer."""
    found = model.generation_config.eos_token_id
    if found is None:
        found = tokenizer.eos_token_id
    if found is None:
        raise ValueError("checkpoint must name the token that ends an answer, got none")
    return [int(i) for i in found] if isinstance(found, Sequence) else [int(found)]


def _filled(tensor: torch.Tensor, most: int) -> torch.Tensor:
    """Return a tensor with zeros after its second dimension, up to a length."""
    missing = most - tensor.shape[1]
    shape = (tensor.shape[0], missing, *tensor.shape[2:])
    return torch.cat([tensor, tensor.new_zeros(shape)], dim=1) if missing else tensor
