"""What judging pictures with CLIP costs, at ViT-B/32's true size with random weights.

python benchmarks/clip_judge.py [PICTURES OF EACH THEME]

200 shipped pictures (512 px), 40 of each theme, and their options are judged, as ratios of speeds:
1. over the released way: one picture and its 23 texts in each call of the whole model;
2. over the bare image tower: its forward pass alone, in batches, on pixels that are there already.
The judge reads the files, embeds the options anew, and must answer as the released way does.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import cobsat
import torch
from cobsat.examples import Reference
from cobsat.metrics.clip_judge import ClipJudge
from cobsat.train.mini_clip_model import build_tokenizer, label_text
from PIL import Image
from ratios import at_least, in_turns
from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel
from transformers.utils import logging

EACH = 40
"""Pictures of each theme."""
BARE_BATCH = 20
BEYOND_RELEASED = 2.8
OF_BARE = 0.95


class Part:
    """One theme's pictures, judged in three ways."""

    def __init__(self, theme: str, judge: ClipJudge, each: int) -> None:
        self.judge = judge
        self.theme = cobsat.THEMES[theme]
        labels = [label for label in cobsat.image_source("rendered").paths if label[0] == theme]
        labels = labels[:: len(labels) // each][:each]
        self.labels = [(attribute, object_) for _, attribute, object_ in labels]
        self.paths = [cobsat.image_source("rendered").paths[label] for label in labels]
        self.references: list[Reference] = [
            {"task": f"{theme}_i", "object": object_, "attribute": attribute}
            for attribute, object_ in self.labels
        ]
        self.pixels = torch.cat([self._pixels(path) for path in self.paths])
        self.ours: list[tuple[str | None, str | None]] = []
        self.theirs: list[tuple[str | None, str | None]] = []

    def _pixels(self, path: str) -> torch.Tensor:
        with Image.open(path) as file:
            picture = file.convert("RGB")
        pixels: torch.Tensor = self.judge.encoder.processor(picture, return_tensors="pt")[
            "pixel_values"
        ]
        return pixels

    def judged(self) -> None:
        """Judge as `cobsat judge` does; each theme's options are met for the first time."""
        verdicts = self.judge.judge(self.paths, self.references, "image")
        self.ours = [(verdict.object, verdict.attribute) for verdict in verdicts]

    def bare(self) -> None:
        """Run the image tower alone."""
        with torch.inference_mode():
            for pixels in self.pixels.split(BARE_BATCH):
                self.judge.encoder.model.get_image_features(pixel_values=pixels)

    def released(self) -> None:
        """Judge as the authors' code does: options, object, attribute and label with each."""
        options = [self.theme.text(w) for w in (*self.theme.objects, *self.theme.attributes)]
        encoder, count = self.judge.encoder, len(self.theme.objects)
        self.theirs = []
        for path, (attribute, object_) in zip(self.paths, self.labels, strict=True):
            label = label_text(self.theme.name, attribute, object_)
            texts = [*options, self.theme.text(object_), self.theme.text(attribute), label]
            inputs = encoder.tokenizer(texts, padding=True, return_tensors="pt")
            with torch.inference_mode():
                found = encoder.model(**inputs, pixel_values=self._pixels(path)).logits_per_image[0]
            self.theirs.append(
                (
                    self.theme.objects[int(found[:count].argmax())],
                    self.theme.attributes[int(found[count : len(options)].argmax())],
                )
            )


def make_checkpoint(folder: Path) -> None:
    """Save a random ViT-B/32 whose tokenizer knows Table 1's words."""
    tokenizer = build_tokenizer(
        [
            label_text(theme.name, attribute, object_)
            for theme in cobsat.THEMES.values()
            for attribute in theme.attributes
            for object_ in theme.objects
        ]
    )
    config = CLIPConfig()  # the defaults are ViT-B/32's
    for name in ("bos_token_id", "eos_token_id", "pad_token_id"):
        setattr(config.text_config, name, getattr(tokenizer, name))
    torch.manual_seed(0)
    CLIPModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    CLIPImageProcessorPil().save_pretrained(folder)


def main(each: int = EACH) -> bool:
    """Measure, print, and return whether all bounds are kept."""
    logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as folder:
        make_checkpoint(Path(folder))
        judge = ClipJudge(folder, device="cpu")
    parts = [Part(theme, judge, each) for theme in cobsat.THEMES]
    judge.encoder.pictures(parts[0].paths[:8])  # the first pass makes ready what all use
    rounds = [{"ours": p.judged, "bare": p.bare, "released": p.released} for p in parts]
    seconds = in_turns(rounds)
    same = all(part.ours == part.theirs for part in parts)
    print(
        f"CLIP judge, ViT-B/32, {each * len(parts)} pictures on {torch.get_num_threads()} threads; "
        f"{'the same answers as' if same else 'OTHER ANSWERS THAN'} the released way"
    )
    kept = [
        at_least(BEYOND_RELEASED, "speed over the released way",
                 seconds["released"], seconds["ours"]),
        at_least(OF_BARE, "speed over the bare image tower", seconds["bare"], seconds["ours"]),
    ]  # fmt: skip
    return same and all(kept)


if __name__ == "__main__":
    sys.exit(not main(*map(int, sys.argv[1:])))
