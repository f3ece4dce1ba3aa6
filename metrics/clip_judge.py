"""The judge `clip`: App. C's two measures, with any CLIP checkpoint of `transformers`.

Accuracy picks, of the theme's ten objects and ten attributes, those whose texts lie closest to the
output; similarity is the cosine between the output and its true label. By default the checkpoint is
mini-clip, which ships with the package and needs no network.
"""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from cobsat.examples import Reference
from cobsat.run_folder import Verdict, safe_name
from cobsat.spec import OUTPUTS, Theme, choose
from transformers import CLIPImageProcessorPil, CLIPModel, CLIPTokenizer

from .checkpoints import no_progress_bar, weights_digest
from .grading import check_reference, grade, unscored
from .pictures import UNREADABLE, Output, open_picture, why_unreadable
from .protocol import OutputKind

__all__ = ["MINI_CLIP", "ClipJudge", "Measured", "Output"]

MINI_CLIP: Final = "mini-clip"
_MINI_CLIP_FOLDER: Final = Path(__file__).parent / "mini_clip"


@dataclass(frozen=True)
class Measured:
    """What CLIP says of one output: cosines, from -1 to 1, higher is closer.

    Attributes:
        objects: With each of the theme's objects, in Table 1's order.
        attributes: With each of the theme's attributes, in Table 1's order.
        label: With the reference's whole label ("red car").
        truncated: Whether a description was longer than the text tower reads.
    """

    objects: tuple[float, ...]
    attributes: tuple[float, ...]
    label: float
    truncated: bool = False


class ClipJudge:
    """Judges pictures and descriptions by their closeness to the options' texts."""

    outputs = frozenset(OUTPUTS)

    def __init__(
        self,
        checkpoint: str = MINI_CLIP,
        revision: str = "main",
        device: str | None = None,
        forward_batch_size: int = 32,
    ) -> None:
        """Load a checkpoint.

        Args:
            checkpoint: "mini-clip", a name on the Hub, or a folder.
            revision: Of a name on the Hub.
            device: As torch names it; by default a GPU if there is one.
            forward_batch_size: Outputs in one forward pass.

        Raises:
            OSError: There is no such checkpoint, or none with safetensors.
        """
        mini = checkpoint == MINI_CLIP
        source = str(_MINI_CLIP_FOLDER) if mini else checkpoint
        shown = Path(source).name if Path(source).is_dir() and not mini else checkpoint
        self.name = "clip" if mini else f"clip-{safe_name(shown)}"
        self.forward_batch_size = forward_batch_size
        self._device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        with no_progress_bar():
            model = CLIPModel.from_pretrained(
                source, revision=revision, dtype=torch.float32, use_safetensors=True
            )
        self._model = model.train(False).to(self._device)
        self._tokenizer = CLIPTokenizer.from_pretrained(source, revision=revision)
        # the PIL processor, whether or not torchvision is installed: their pixels differ
        self._processor = CLIPImageProcessorPil.from_pretrained(source, revision=revision)
        self._texts: dict[str, torch.Tensor] = {}
        self._length = int(self._model.text_model.config.max_position_embeddings)
        self._record = {
            "checkpoint": shown,
            "revision": getattr(self._model.config, "_commit_hash", None),
            "weights_sha256": weights_digest(Path(source)),
            "dtype": "float32",
            "image_processor": type(self._processor).__name__,
        }

    def record(self) -> dict[str, Any]:
        """Return checkpoint, revision, digest of local weights, and versions."""
        libraries = ("torch", "transformers", "pillow")
        versions = {name: importlib.metadata.version(name) for name in libraries}
        return {**self._record, "versions": versions}

    def judge(
        self, predictions: Sequence[Output], references: Sequence[Reference], output: OutputKind
    ) -> list[Verdict]:
        """Pick the closest object and attribute for each output.

        A picture that cannot be read and an empty description are unscored.
        """
        measured = self.measure(predictions, references, output)
        return [verdict(m, r) for m, r in zip(measured, references, strict=True)]

    def measure(
        self, predictions: Sequence[Output], references: Sequence[Reference], output: OutputKind
    ) -> list[Measured | str]:
        """Return each output's cosines with its theme's options, or why there are none.

        Raises:
            ValueError: A reference, or the kind of output, is not one of the benchmark's.
        """
        choose("output", output, OUTPUTS)
        if len(predictions) != len(references):
            raise ValueError(
                f"references must be as many as predictions ({len(predictions)}), "
                f"got {len(references)}"
            )
        themes = [check_reference(reference) for reference in references]
        labels = [_label(t, r) for t, r in zip(themes, references, strict=True)]
        self._embed_texts([text for theme in themes for text in _options(theme)] + labels)
        results: list[Measured | str] = []
        with torch.inference_mode():
            embedded = (
                self._pictures(predictions) if output == "image" else self._words(predictions)
            )
            for (vector, note), theme, label in zip(embedded, themes, labels, strict=True):
                if vector is None:
                    results.append(note)
                    continue
                options = torch.stack([self._texts[text] for text in (*_options(theme), label)])
                cosines = (options @ vector).tolist()
                count = len(theme.objects)
                results.append(
                    Measured(
                        tuple(cosines[:count]),
                        tuple(cosines[count:-1]),
                        cosines[-1],
                        truncated=bool(note),
                    )
                )
        return results

    def _embed_texts(self, texts: Sequence[str]) -> None:
        """Embed the options and labels that were not met before."""
        new = [text for text in dict.fromkeys(texts) if text not in self._texts]
        for start in range(0, len(new), 128):
            part = new[start : start + 128]
            with torch.inference_mode():
                vectors, _ = self._encode(part)
            self._texts.update(zip(part, vectors, strict=True))

    def _words(self, texts: Sequence[Output]) -> Iterator[tuple[torch.Tensor | None, str]]:
        """Yield each description's vector and, if it had to be cut, a note."""
        for start in range(0, len(texts), self.forward_batch_size):
            part = [str(text or "") for text in texts[start : start + self.forward_batch_size]]
            told = [text for text in part if text.strip()]
            vectors, cut = self._encode(told) if told else (torch.empty(0), [])
            found = iter(zip(vectors, cut, strict=True))
            for text in part:
                if text.strip():
                    vector, was_cut = next(found)
                    yield vector, "truncated" if was_cut else ""
                else:
                    yield None, "empty description"

    def _pictures(self, pictures: Sequence[Output]) -> Iterator[tuple[torch.Tensor | None, str]]:
        """Yield each picture's vector, or why it has none; decode ahead of the forward pass."""
        size = self.forward_batch_size
        parts = [pictures[start : start + size] for start in range(0, len(pictures), size)]
        with ThreadPoolExecutor(1) as reader:
            ahead = reader.submit(self._read, parts[0]) if parts else None
            for number in range(len(parts)):
                assert ahead is not None
                pixels, problems = ahead.result()
                if number + 1 < len(parts):
                    ahead = reader.submit(self._read, parts[number + 1])
                vectors = iter(self._look(pixels)) if pixels is not None else iter(())
                for problem in problems:
                    yield (None, problem) if problem else (next(vectors), "")

    def _read(self, pictures: Sequence[Output]) -> tuple[torch.Tensor | None, list[str]]:
        """Return pixels (readable pictures, 3, height, width), and each picture's problem."""
        pixels, problems = [], []
        for picture in pictures:
            try:
                inputs = self._processor(open_picture(picture), return_tensors="pt")
                pixels.append(inputs["pixel_values"])
                problems.append("")
            except UNREADABLE as error:
                problems.append(why_unreadable(picture, error))
        return (torch.cat(pixels) if pixels else None), problems

    def _look(self, pixels: torch.Tensor) -> torch.Tensor:
        features = self._model.get_image_features(pixel_values=pixels.to(self._device))
        return _unit(features)

    def _encode(self, texts: Sequence[str]) -> tuple[torch.Tensor, list[bool]]:
        """Return texts' vectors, and which texts were cut; the end token always stays."""
        # special tokens in a model's text are text: an end token there would end the reading
        encoded = self._tokenizer(list(texts), split_special_tokens=True, verbose=False)[
            "input_ids"
        ]
        end, pad = self._tokenizer.eos_token_id, self._tokenizer.pad_token_id
        cut = [len(ids) > self._length for ids in encoded]
        kept = [
            [*ids[: self._length - 1], end] if len(ids) > self._length else ids for ids in encoded
        ]
        width = max(len(ids) for ids in kept)
        ids = torch.tensor([row + [pad] * (width - len(row)) for row in kept])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in kept])
        features = self._model.get_text_features(
            input_ids=ids.to(self._device), attention_mask=mask.to(self._device)
        )
        return _unit(features), cut


def verdict(measured: Measured | str, reference: Reference) -> Verdict:
    """Return the closest object and attribute as a verdict; of equals, the first."""
    if isinstance(measured, str):
        return unscored(measured)
    theme = check_reference(reference)
    if not all(map(math.isfinite, (*measured.objects, *measured.attributes))):
        return unscored("the checkpoint gives no number for this output")
    raw: dict[str, Any] = {
        "objects": [round(cosine, 4) for cosine in measured.objects],
        "attributes": [round(cosine, 4) for cosine in measured.attributes],
    }
    if measured.truncated:
        raw["truncated"] = True
    return grade(
        reference,
        theme.objects[_closest(measured.objects)],
        theme.attributes[_closest(measured.attributes)],
        raw=raw,
    )


def _closest(cosines: Sequence[float]) -> int:
    return max(range(len(cosines)), key=cosines.__getitem__)


def _options(theme: Theme) -> list[str]:
    """Return the texts of a theme's objects and, after them, of its attributes."""
    return [theme.text(word) for word in (*theme.objects, *theme.attributes)]


def _label(theme: Theme, reference: Reference) -> str:
    return f"{theme.text(reference['attribute'])} {theme.text(reference['object'])}"


def _unit(features: Any) -> torch.Tensor:
    """Return unit vectors, from whatever the installed release gives: a tensor or an object."""
    vectors = features if isinstance(features, torch.Tensor) else features.pooler_output
    return torch.nn.functional.normalize(vectors.float(), dim=-1).cpu()
