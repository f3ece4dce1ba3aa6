"""A language model of `transformers`, as a judge needs it: chats in, greedy replies out.

Prompts are laid out by the checkpoint's chat template and padded on the left, so that batches give
what single prompts give. Where a template knows no system text, it stands before the user's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from cobsat.checkpoints import check_checkpoint, no_progress_bar, weights_digest
from jinja2 import TemplateError
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

from .touchstone_prompts import Turn
from .vision_language import end_ids, torch_dtype

__all__ = ["TextModel", "TextReply"]


@dataclass(frozen=True)
class TextReply:
    """What a model said, whether it was cut, and the tokens that it read and wrote."""

    text: str
    cut: bool
    usage: dict[str, float]


class TextModel:
    """A checkpoint with its tokenizer, or a pipeline "text-generation" that is made already.

    Args:
        source: A name on the Hub, a folder, or the pipeline; then no option is taken.
        revision: Of a name on the Hub.
        dtype: As torch names it; None: float32 on a CPU, the checkpoint's own elsewhere.
        device: As torch names it; None: a GPU if there is one.
        device_map: As accelerate takes it ("auto"), for a model that needs several GPUs.
        trust_remote_code: Whether code that comes with the checkpoint may run.

    Raises:
        OSError: There is no such checkpoint, or none with safetensors.
        ValueError: It is no language model, or has no chat template.
    """

    def __init__(
        self,
        source: Any,
        *,
        revision: str = "main",
        dtype: str | None = None,
        device: str | None = None,
        device_map: str | None = None,
        trust_remote_code: bool = False,
    ) -> None:
        if isinstance(source, str):
            self.tokenizer, model = _loaded(
                source, revision, dtype, device, device_map, trust_remote_code
            )
        else:
            self.tokenizer, model = source.tokenizer, source.model
        self.shown = _shown(source if isinstance(source, str) else str(model.name_or_path))
        if not getattr(self.tokenizer, "chat_template", None):
            raise ValueError(
                f"checkpoint must have a chat template, got {self.shown!r} without: take one that "
                "was tuned to follow instructions"
            )
        self._ends = end_ids(model, self.tokenizer)
        self.model: Any = model.train(False)
        self.device: torch.device = model.device
        self.context = int(
            getattr(model.config.get_text_config(), "max_position_embeddings", None) or 4096
        )
        self._system = self._knows_system()

    def record(self) -> dict[str, Any]:
        """Return checkpoint, commit, digest of the weights, and how chats are laid out."""
        return {
            "checkpoint": self.shown,
            "revision": getattr(self.model.config, "_commit_hash", None),
            "weights_sha256": weights_digest(Path(str(self.model.name_or_path))),
            "dtype": str(self.model.dtype).removeprefix("torch."),
            "system_text": "a turn of its own" if self._system else "before the user's",
        }

    def prompt(self, chat: Sequence[Turn]) -> list[int]:
        """Return a chat's tokens, up to where the reply begins."""
        ids: list[int] = self.tokenizer.apply_chat_template(
            self._turns(chat), add_generation_prompt=True, tokenize=True, return_dict=False
        )
        return ids

    def replies(
        self, prompts: Sequence[Sequence[int]], longest: int, stop: Sequence[str] = ()
    ) -> list[TextReply]:
        """Return the greedy reply to each prompt, up to where a stop begins."""
        width = max(map(len, prompts))
        pad = self._ends[0]
        rows = [[pad] * (width - len(ids)) + list(ids) for ids in prompts]
        mask = [[0] * (width - len(ids)) + [1] * len(ids) for ids in prompts]
        # the checkpoint's own settings might sample, or punish repetitions
        settings = GenerationConfig(  # type: ignore[no-untyped-call]
            do_sample=False, max_new_tokens=longest, eos_token_id=self._ends, pad_token_id=pad,
            stop_strings=list(stop) or None,
        )  # fmt: skip
        own, self.model.generation_config = self.model.generation_config, settings
        try:
            with torch.inference_mode():
                every = self.model.generate(
                    input_ids=torch.tensor(rows, device=self.device),
                    attention_mask=torch.tensor(mask, device=self.device),
                    tokenizer=self.tokenizer,
                )
        finally:
            self.model.generation_config = own
        return [
            self._reply(len(prompt), said, stop)
            for prompt, said in zip(prompts, every[:, width:].tolist(), strict=True)
        ]

    def _reply(self, read: int, said: Sequence[int], stop: Sequence[str]) -> TextReply:
        ended = next((n for n, token in enumerate(said) if token in self._ends), None)
        whole = str(self.tokenizer.decode(said[:ended], skip_special_tokens=True))
        at = min((whole.find(text) for text in stop if text in whole), default=None)
        written = len(said) if ended is None else ended + 1
        usage: dict[str, float] = {"input_tokens": read, "output_tokens": written}
        return TextReply(whole[:at], cut=ended is None and at is None, usage=usage)

    def _turns(self, chat: Sequence[Turn]) -> list[Turn]:
        if self._system:
            return list(chat)
        system = "".join(f"{t['content']}\n\n" for t in chat if t["role"] == "system")
        user = next(t["content"] for t in chat if t["role"] == "user")
        return [{"role": "user", "content": f"{system}{user}"}]

    def _knows_system(self) -> bool:
        """Return whether the chat template shows a system text, and does not refuse one."""
        told = "a system text that a template must show"
        chat = [{"role": "system", "content": told}, {"role": "user", "content": "hello"}]
        try:
            return told in self.tokenizer.apply_chat_template(chat, tokenize=False)
        except TemplateError:
            return False


def _loaded(
    source: str,
    revision: str,
    dtype: str | None,
    device: str | None,
    device_map: str | None,
    trust_remote_code: bool,
) -> tuple[Any, Any]:
    if device_map is not None and device is not None:
        raise ValueError(f"device must be left out with a device_map, got {device!r}")
    where = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    shared = {"revision": revision, "trust_remote_code": trust_remote_code}
    check_checkpoint(source, revision)
    tokenizer = AutoTokenizer.from_pretrained(source, **shared)
    with no_progress_bar():
        model: Any = AutoModelForCausalLM.from_pretrained(
            source,
            dtype=torch_dtype(dtype, where),
            device_map=device_map,
            use_safetensors=True,
            **shared,
        )
    return tokenizer, model if device_map is not None else model.to(where)


def _shown(source: str) -> str:
    """Return a checkpoint's name; of a folder its last part, for folders differ by machine."""
    return Path(source).resolve().name if Path(source).is_dir() else source
