"""The judge `llava`: Sec. 4.2's two questions, asked of a vision-language model.

    judge = LlavaJudge()                             # mini-llava, which ships with the package
    judge = LlavaJudge("llava-hf/llava-1.5-13b-hf")  # the paper's judge
    judge = LlavaJudge("Qwen/Qwen2.5-VL-7B-Instruct", method="options")

Any image-text-to-text checkpoint of `transformers`. Method "generate" is the paper's: greedy
replies, read by `replies.py`. Method "options" scores the ten option numbers in one forward pass
that both questions share, which takes about half the time.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import torch
from cobsat.checkpoints import check_checkpoint, weights_digest
from cobsat.examples import Reference
from cobsat.run_folder import Verdict, safe_name
from cobsat.spec import OUTPUTS, THEMES, Theme, choose

from .choices import Answer, choice_verdict
from .grading import check_reference, unscored
from .layouts import choose_layout
from .pictures import UNREADABLE, Output, open_picture, why_unreadable
from .prompt_ids import Prompt, Prompter
from .protocol import OutputKind
from .questions import WORDINGS, Question, Wording, prompts_digest, questions
from .replies import Unclear, read_reply
from .vision_language import Reply, VisionLanguageModel, halving, sample_picture

__all__ = ["METHODS", "MINI_LLAVA", "LlavaJudge", "Method"]

MINI_LLAVA: Final = "mini-llava"
_MINI_LLAVA_FOLDER: Final = Path(__file__).parent / "mini_llava"

Method: TypeAlias = Literal["generate", "options"]
METHODS: Final[tuple[Method, ...]] = ("generate", "options")

_LONGEST_OPTION: Final = 8
"""Tokens of room that the method "options" leaves for an option's number and its end."""

_Answers: TypeAlias = tuple[Answer, Answer]
_Work: TypeAlias = tuple[Output, Theme]


class LlavaJudge:
    """Judges pictures and descriptions by two multiple-choice questions.

    Attributes:
        model: The checkpoint.
    """

    outputs = frozenset(OUTPUTS)

    def __init__(
        self,
        checkpoint: str = MINI_LLAVA,
        method: Method = "generate",
        wording: Wording = "paper",
        revision: str = "main",
        dtype: str | None = None,
        device: str | None = None,
        forward_batch_size: int = 8,
        max_new_tokens: int = 32,
        least_mass: float = 0.1,
        trust_remote_code: bool = False,
    ) -> None:
        """Load a checkpoint.

        Args:
            checkpoint: "mini-llava", a name on the Hub, or a folder.
            method: "generate" (greedy replies, the paper's) or "options" (the option numbers'
                probabilities).
            wording: "paper" (Sec. 4.2) or "released" (the authors' code).
            revision: Of a name on the Hub.
            dtype: As torch names it; by default float32 on a CPU, the checkpoint's own elsewhere.
            device: As torch names it; by default a GPU if there is one.
            forward_batch_size: Outputs in one forward pass.
            max_new_tokens: Of a reply; one that is longer is cut, and read all the same.
            least_mass: "options" gives no answer where the ten numbers together are less likely.
            trust_remote_code: Whether code that comes with the checkpoint may run.

        Raises:
            OSError: There is no such checkpoint, or none with safetensors.
            ValueError: An option is not one of its choices, or the checkpoint cannot be asked.
        """
        choose("method", method, METHODS)
        choose("wording", wording, WORDINGS)
        if forward_batch_size < 1 or max_new_tokens < 1:
            raise ValueError(
                "forward_batch_size and max_new_tokens must be at least 1, got "
                f"{forward_batch_size} and {max_new_tokens}"
            )
        mini = checkpoint == MINI_LLAVA
        source = str(_MINI_LLAVA_FOLDER) if mini else check_checkpoint(checkpoint, revision)
        shown = Path(source).name if Path(source).is_dir() and not mini else checkpoint
        self.name = ("llava" if mini else safe_name(shown)) + (
            "-options" if method == "options" else ""
        )
        self.forward_batch_size = forward_batch_size
        self.batch_size = 4 * forward_batch_size
        self._method, self._longest, self._least_mass = method, max_new_tokens, least_mass
        self._questions = {name: questions(theme, wording) for name, theme in THEMES.items()}
        self.model = VisionLanguageModel(
            source,
            revision=revision,
            dtype=dtype,
            device=device,
            trust_remote_code=trust_remote_code,
        )
        self._answer_room = max_new_tokens if method == "generate" else _LONGEST_OPTION
        self._prompter, layout = self._make_prompter()
        self._record: dict[str, Any] = {
            "checkpoint": shown,
            "revision": getattr(self.model.model.config, "_commit_hash", None),
            "weights_sha256": weights_digest(Path(source)),
            "dtype": str(self.model.dtype).removeprefix("torch."),
            "method": method,
            "wording": wording,
            "prompts_sha256": prompts_digest(wording),
            "layout": layout,
            "image_processor": type(self.model.processor.image_processor).__name__,
        }
        example = self._prompter.about_picture(sample_picture(), self._questions["color"])
        if method == "generate":
            self._record["max_new_tokens"] = max_new_tokens
        else:
            self._record["least_mass"] = least_mass
            self._record["shared_prefix"] = self.model.check_sharing(example, self._prompter.tree)

    def record(self) -> dict[str, Any]:
        """Return checkpoint, method, wording, how prompts are laid out, and versions."""
        libraries = ("torch", "transformers", "pillow")
        versions = {name: importlib.metadata.version(name) for name in libraries}
        return {**self._record, "versions": versions}

    def judge(
        self, predictions: Sequence[Output], references: Sequence[Reference], output: OutputKind
    ) -> list[Verdict]:
        """Ask both questions about each output; of identical ones, once a theme.

        A picture that cannot be read and an empty description are unscored.

        Raises:
            ValueError: A reference, or the kind of output, is not one of the benchmark's.
            RuntimeError: The model fails, or memory does not suffice for a single output.
        """
        choose("output", output, OUTPUTS)
        if len(predictions) != len(references):
            raise ValueError(
                f"references must be as many as predictions ({len(predictions)}), "
                f"got {len(references)}"
            )
        themes = [check_reference(reference) for reference in references]
        keys = [
            (_digest(prediction, number, output), theme.name)
            for number, (prediction, theme) in enumerate(zip(predictions, themes, strict=True))
        ]
        work = dict(zip(keys, zip(predictions, themes, strict=True), strict=True))
        # prompts of one theme have one length, or nearly
        order = sorted(work, key=lambda key: list(THEMES).index(key[1]))
        found = dict(zip(order, self._answers([work[key] for key in order], output), strict=True))
        verdicts = []
        for key, reference in zip(keys, references, strict=True):
            answers, note = found[key]
            if answers is None:
                verdicts.append(unscored(note))
            else:
                truncated = note == "truncated"
                verdicts.append(choice_verdict(reference, *answers, truncated=truncated))
        return verdicts

    def _answers(
        self, work: Sequence[_Work], output: OutputKind
    ) -> Iterator[tuple[_Answers | None, str]]:
        """Yield both answers and a note, or why there are none; read ahead of the model."""
        size = self.forward_batch_size
        parts = [work[start : start + size] for start in range(0, len(work), size)]
        with ThreadPoolExecutor(1) as reader:
            ahead = reader.submit(self._prompts, parts[0], output) if parts else None
            for number, part in enumerate(parts):
                assert ahead is not None
                prompts = ahead.result()
                if number + 1 < len(parts):
                    ahead = reader.submit(self._prompts, parts[number + 1], output)
                whole = [
                    (prompt, self._questions[theme.name])
                    for prompt, (_, theme) in zip(prompts, part, strict=True)
                    if isinstance(prompt, Prompt)
                ]
                told = iter(halving(self._ask, whole) if whole else ())
                for prompt in prompts:
                    if isinstance(prompt, Prompt):
                        yield next(told), "truncated" if prompt.truncated else ""
                    else:
                        yield None, prompt

    def _prompts(self, part: Sequence[_Work], output: OutputKind) -> list[Prompt | str]:
        """Return each output's prompts, or why there are none."""
        make = self._picture_prompt if output == "image" else self._description_prompt
        return [make(prediction, self._questions[theme.name]) for prediction, theme in part]

    def _picture_prompt(self, picture: Output, asked: tuple[Question, Question]) -> Prompt | str:
        try:
            opened = open_picture(picture)
        except UNREADABLE as error:
            return why_unreadable(picture, error)
        try:
            prompt = self._prompter.about_picture(opened, asked)
        except (ValueError, ZeroDivisionError) as error:  # a shape that the processor refuses
            size = f"{opened.width}x{opened.height}"
            return f"image of {size} cannot be prepared: {type(error).__name__}"
        if max(map(len, prompt.ids)) + self._answer_room > self.model.context:
            return "picture and question are longer than what the checkpoint reads"
        return prompt

    def _description_prompt(
        self, description: Output, asked: tuple[Question, Question]
    ) -> Prompt | str:
        if not isinstance(description, str) or not description.strip():
            return "empty description"
        prompt = self._prompter.about_description(description, asked)
        return prompt or "the question alone is longer than what the checkpoint reads"

    def _ask(self, whole: Sequence[tuple[Prompt, tuple[Question, Question]]]) -> list[_Answers]:
        prompts = [prompt for prompt, _ in whole]
        if self._method == "generate":
            replies = self.model.generate(prompts, self._longest)
            return [
                (_read(one, asked[0]), _read(other, asked[1]))
                for (one, other), (_, asked) in zip(replies, whole, strict=True)
            ]
        chances = self.model.options(prompts, self._prompter.tree)
        return [(self._choose(one), self._choose(other)) for one, other in chances]

    def _choose(self, chances: torch.Tensor) -> Answer:
        mass = float(chances.sum())
        if not bool(torch.isfinite(chances).all()):
            return Answer(None, "the checkpoint gives no number for this output")
        if mass < self._least_mass:
            return Answer(
                None, "the judge would rather say something else", raw={"mass": round(mass, 4)}
            )
        choice = int(chances.argmax())
        probability = round(float(chances[choice]) / mass, 4)
        return Answer(
            choice + 1,
            raw={"choice": choice + 1, "probability": probability, "mass": round(mass, 4)},
        )

    def _make_prompter(self) -> tuple[Prompter, str]:
        """Return what makes prompts, and what the record calls their layout."""
        model = self.model
        config, processor = model.model.config, model.processor
        added = [str(token) for token in processor.tokenizer.added_tokens_decoder.values()]
        text_type = str(config.get_text_config().model_type)
        vision_type = str(getattr(getattr(config, "vision_config", None), "model_type", ""))
        kind = str(config.model_type)
        template = getattr(processor, "chat_template", None)
        template = None if template is None else str(template)
        layout = choose_layout(kind, text_type, vision_type, added, template)
        trained = layout or choose_layout(kind, text_type, vision_type, added, None)
        # LLaVA-1.5 pads pictures, LLaVA-NeXT cuts them into tiles
        pad = trained is not None and trained.name == "llava_v1" and kind == "llava"
        room = model.context - self._answer_room
        prompter = Prompter(processor, layout, model.image_token_id, room, pad=pad)
        if layout:
            return prompter, layout.name
        digest = hashlib.sha256((template or "").encode()).hexdigest()[:16]
        return prompter, f"chat template {digest}"


def _read(reply: Reply, question: Question) -> Answer:
    choice = read_reply(reply.text, len(question.options), question.options, cut=reply.cut)
    raw = {"reply": reply.text}
    return (
        Answer(None, choice.reason, raw=raw)
        if isinstance(choice, Unclear)
        else Answer(choice, raw=raw)
    )


def _digest(prediction: Output, number: int, output: OutputKind) -> str:
    """Return what is the same for identical outputs."""
    if output == "description":
        return str(prediction or "")
    if isinstance(prediction, bytes):
        return hashlib.sha256(prediction).hexdigest()
    if isinstance(prediction, str):
        try:
            with open(prediction, "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except (OSError, ValueError):  # it will be said why
            return prediction
    return f"picture {number}"
