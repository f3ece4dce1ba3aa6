"""Random language models whose replies have the form of a trained one's: `tiny` of every port.

Each token is of a kind, and what follows a token of one kind is of the next. A kind has a direction
of its own in the tables of words, stronger than all else; which token of a kind it is, the random
layers between decide, from the whole prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import torch
import transformers

__all__ = ["LETTERS", "depend_on_the_prompt", "letter_kind", "speak_in_order", "tiny_llama_words"]

LETTERS: Final = 5
"""Letters of a reply's text."""

_STRONG: Final = 30.0
_CLEAR: Final = 12.0


def speak_in_order(model: Any, kinds: Sequence[int], steps: int) -> None:
    """Give a causal language model tables of words by which it replies in order.

    Args:
        model: The model; its hidden width is larger than `steps`.
        kinds: Of each token: 0 for what a reply follows, then 1, 2, … in a reply's order.
        steps: How many kinds something follows; the last kind, the end, is not among them.
    """
    table, head = model.get_input_embeddings().weight, model.get_output_embeddings().weight
    inputs, outputs = torch.randn(2, *table.shape)
    inputs[:, :steps] = 0
    outputs[:, :steps] = 0
    for number, kind in enumerate(kinds):
        if kind < steps:
            inputs[number, kind] = _STRONG
        if kind > 0:
            outputs[number, kind - 1] = _CLEAR
    with torch.no_grad():
        table.copy_(inputs)
        head.copy_(outputs)


@torch.no_grad()
def depend_on_the_prompt(model: Any, steps: int, looking: float = 1.0) -> None:
    """Leave the order of a reply to the tables, and all else to layers that look far back.

    Args:
        model: A language model of LLaMA's kind, after `speak_in_order`.
        steps: As given to that.
        looking: How much more attention has to say than it would.
    """
    for layer in model.model.layers:
        attention = layer.self_attn
        for weight in (attention.q_proj.weight, attention.k_proj.weight, attention.o_proj.weight):
            weight *= looking
        attention.o_proj.weight[:steps] = 0
        layer.mlp.down_proj.weight[:steps] = 0
    model.get_output_embeddings().weight[:, steps:] *= 0.15


def letter_kind(name: str) -> int:
    """Return a token's place in a reply of letters: 1 to 5 for a small one, else 0.

    >>> letter_kind("a"), letter_kind("e"), letter_kind("A"), letter_kind("ab")
    (3, 2, 0, 0)
    """
    return 1 + ord(name) % LETTERS if len(name) == 1 and "a" <= name <= "z" else 0


def tiny_llama_words(*more: str) -> Any:
    """Return LLaMA's tokenizer, of single letters and tokens that only a reply may hold."""
    letters = ["\u2581", *(chr(code) for code in range(33, 127))]
    words = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *letters, *more]
    return transformers.LlamaTokenizer(vocab={w: n for n, w in enumerate(words)}, merges=[])
