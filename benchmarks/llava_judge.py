"""What judging pictures with a LLaVA costs, at a middle size with random weights.

python benchmarks/llava_judge.py [ROUNDS]

A LLaVA-1.5 of 336 px (576 tokens a picture; 26M parameters that see, 270M that speak) is asked both
questions about shipped pictures, as ratios of speeds within each round, of one picture each:
1. method "options", both questions in one pass, over two calls of `generate` of three new tokens;
2. the same over two calls of sixteen (with no new tokens at all, 2 would be the limit);
3. twenty copies of a picture over judging twenty: identical outputs are judged once.
A batch must give the answers of its pictures alone.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import cobsat
import torch
from cobsat.examples import Reference
from cobsat.metrics.llava_judge import LlavaJudge
from cobsat.metrics.questions import questions
from cobsat.run_folder import Verdict
from cobsat.train.mini_llava_model import CHAT_TEMPLATE, build_llama_tokenizer, prompt_texts
from PIL import Image
from ratios import at_least, in_turns
from transformers import (
    CLIPImageProcessorPil,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
)
from transformers.utils import logging

ROUNDS = 3
COPIES = 20
OVER_THREE = 1.6
OVER_SIXTEEN = 2.1
OVER_COPIES = 0.7 * COPIES
THEME = cobsat.THEMES["color"]
REFERENCE: Reference = {"task": "color_i", "object": "car", "attribute": "red"}


def make_checkpoint(folder: Path) -> None:
    """Save a random LLaVA-1.5 of a middle size, its head so sharp that answers differ."""
    tokenizer = build_llama_tokenizer(prompt_texts())
    tokenizer.model_max_length = 4096
    vision = {
        "model_type": "clip_vision_model", "image_size": 336, "patch_size": 14, "hidden_size": 512,
        "intermediate_size": 2048, "num_hidden_layers": 8, "num_attention_heads": 8,
    }  # fmt: skip
    text = {
        "model_type": "llama", "vocab_size": 32_000, "hidden_size": 1024,
        "intermediate_size": 2816, "num_hidden_layers": 16, "num_attention_heads": 16,
        "max_position_embeddings": 4096, "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id, "pad_token_id": None,
    }  # fmt: skip
    torch.manual_seed(0)
    config = LlavaConfig(
        vision_config=vision, text_config=text, vision_feature_layer=-2,
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
    )  # fmt: skip
    model = LlavaForConditionalGeneration(config)
    torch.nn.init.normal_(model.lm_head.weight, std=0.1)
    model.save_pretrained(folder)
    LlavaProcessor(
        image_processor=CLIPImageProcessorPil(
            size={"shortest_edge": 336}, crop_size={"height": 336, "width": 336}
        ),
        tokenizer=tokenizer, patch_size=14, vision_feature_select_strategy="default",
        num_additional_image_tokens=1, chat_template=CHAT_TEMPLATE,
    ).save_pretrained(folder)  # fmt: skip


class Round:
    """One picture, judged in four ways."""

    def __init__(self, judge: LlavaJudge, path: str, folder: Path) -> None:
        self.judge, self.path = judge, path
        self.copies = [str(folder / f"{number}{Path(path).suffix}") for number in range(COPIES)]
        for copy in self.copies:
            shutil.copy(path, copy)
        self.verdicts: list[Verdict] = []

    def options(self) -> None:
        """Judge the picture."""
        self.verdicts = self.judge.judge([self.path], [REFERENCE], "image")

    def twenty(self) -> None:
        """Judge twenty files that hold the same picture."""
        self.judge.judge(self.copies, [REFERENCE] * COPIES, "image")

    def three(self) -> None:
        """Ask twice for three tokens, as one does who takes replies."""
        self._generate(3)

    def sixteen(self) -> None:
        """Ask twice for sixteen tokens."""
        self._generate(16)

    def _generate(self, count: int) -> None:
        model, processor = self.judge.model.model, self.judge.model.processor
        for question in questions(THEME):
            with Image.open(self.path) as file:
                picture = file.convert("RGB")
            chat = [{"role": "user", "content": [
                {"type": "image", "image": picture},
                {"type": "text", "text": question.about_picture},
            ]}]  # fmt: skip
            inputs = processor.apply_chat_template(
                chat, add_generation_prompt=True, tokenize=True, return_dict=True,
                return_tensors="pt",
            )  # fmt: skip
            with torch.inference_mode():
                made = model.generate(**inputs, min_new_tokens=count, max_new_tokens=count)
            assert made.shape[1] == inputs["input_ids"].shape[1] + count


def same_in_a_batch(judge: LlavaJudge, rounds: list[Round]) -> bool:
    """Return whether the pictures together get the answers that each got alone."""
    together = judge.judge([r.path for r in rounds], [REFERENCE] * len(rounds), "image")
    alone = [verdict for r in rounds for verdict in r.verdicts]
    return [(v.object, v.attribute) for v in together] == [(v.object, v.attribute) for v in alone]


def main(count: int = ROUNDS) -> bool:
    """Measure, print, and return whether all bounds are kept."""
    logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_checkpoint(folder / "model")
        judge = LlavaJudge(
            str(folder / "model"), "options", device="cpu", dtype="float32", least_mass=0.0
        )
        paths = cobsat.image_source("rendered").paths
        chosen = [path for label, path in paths.items() if label[0] == THEME.name][:: 100 // count]
        rounds = []
        for number, path in enumerate(chosen[:count]):
            (folder / str(number)).mkdir()
            rounds.append(Round(judge, path, folder / str(number)))
        rounds[0].options()  # the first pass makes ready what all use
        ways = ("options", "three", "sixteen")
        seconds = in_turns([{way: getattr(r, way) for way in ways} for r in rounds])
        copies = in_turns([{"one": rounds[0].options, "twenty": rounds[0].twenty}])
        same = same_in_a_batch(judge, rounds)
    print(
        f"LLaVA judge, {count} pictures on {torch.get_num_threads()} threads, shared prefix: "
        f"{judge.record()['shared_prefix']}; "
        f"{'the same answers' if same else 'OTHER ANSWERS'} in a batch"
    )
    twenty_alone = [COPIES * second for second in copies["one"]]
    kept = [
        at_least(OVER_THREE, "options over generating three tokens",
                 seconds["three"], seconds["options"]),
        at_least(OVER_SIXTEEN, "options over generating sixteen tokens",
                 seconds["sixteen"], seconds["options"]),
        at_least(OVER_COPIES, f"{COPIES} copies of one picture over judging {COPIES}",
                 twenty_alone, copies["twenty"]),
    ]  # fmt: skip
    return same and bool(judge.record()["shared_prefix"]) and all(kept)


if __name__ == "__main__":
    sys.exit(not main(*map(int, sys.argv[1:])))
