"""The language model of Qwen-VL-Chat: Qwen2's architecture, and what it does to long prompts.

Source: Bai et al., "Qwen Technical Report" (2023), Sec. 2.3, and the published code's behaviour.
The model was trained on 2,048 tokens, which eight pictures and their texts exceed. So, with
`seq_length` tokens in training,

- the rotary embedding's base grows with the length of a prompt (dynamic NTK), in steps, and stays
  what it is for the tokens that are generated after it;
- a query at position i beyond `seq_length` is multiplied by log(i) / log(seq_length) (log-n).

Each row of a batch goes by its own length and positions, whatever padding it has.
"""

from __future__ import annotations

import math
from typing import Any, Final

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface, Qwen2Config, Qwen2ForCausalLM
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

__all__ = ["QwenVLLanguageModel", "QwenVLTextConfig", "language_model", "log_n", "ntk_alpha"]

ATTENTION: Final = "qwen_vl_log_n"


def ntk_alpha(tokens: int, seq_length: int) -> int:
    """Return how far the rotary base is stretched for a prompt: 1, 3, 7, 15, ….

    >>> [ntk_alpha(tokens, 2048) for tokens in (1, 2047, 2048, 2049, 4096, 4097)]
    [1, 1, 1, 3, 3, 7]
    """
    return max(int(2 ** math.ceil(math.log2(tokens / seq_length) + 1)) - 1, 1)


def log_n(positions: Tensor, seq_length: int) -> Tensor:
    """Return by what queries at positions, the first of which is 0, are multiplied."""
    place = (positions + 1).float()
    return (place.log() / math.log(seq_length)).clamp(min=1)


class QwenVLTextConfig(Qwen2Config):  # type: ignore[no-untyped-call]
    """Qwen2's config, and the number of tokens in training."""

    model_type = "qwen_vl_chat_text"
    seq_length: int = 2048


class PromptRotary(nn.Module):
    """Rotary embedding whose base goes by the length of each row's prompt.

    A forward that begins at position 0 is a prompt; those that follow it belong to the same rows.
    """

    def __init__(self, config: QwenVLTextConfig) -> None:
        super().__init__()
        rope: Any = config.rope_parameters
        self._theta = float(rope["rope_theta"])
        self._width = config.hidden_size // config.num_attention_heads
        self._seq_length = config.seq_length
        self._alphas: list[int] = [1]

    def forward(self, hidden: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Return cosines and sines of shape (rows, tokens, head width)."""
        if not int(position_ids[0, 0]):
            lengths = (position_ids.amax(dim=-1) + 1).tolist()
            self._alphas = [ntk_alpha(length, self._seq_length) for length in lengths]
        # In float32 and made anew each time: a table would be rounded with the weights.
        alphas = torch.tensor(self._alphas, device=hidden.device, dtype=torch.float32)
        bases = self._theta * alphas ** (self._width / (self._width - 2))
        steps = torch.arange(0, self._width, 2, device=hidden.device, dtype=torch.float32)
        frequencies = 1 / bases[:, None] ** (steps / self._width)
        angles = position_ids[..., None].float() * frequencies[:, None]
        both = torch.cat([angles, angles], dim=-1)
        return both.cos().to(hidden.dtype), both.sin().to(hidden.dtype)


def _log_n_attention(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None,
    *, position_ids: Tensor, **kwargs: Any,
) -> tuple[Tensor, None]:  # fmt: skip
    """Attend as SDPA does, with queries (rows, heads, tokens, width) raised by their positions."""
    config: Any = module.config
    raised = log_n(position_ids, config.seq_length)[:, None, :, None].to(query.dtype)
    return sdpa_attention_forward(module, query * raised, key, value, attention_mask, **kwargs)


# Where transformers looks attention up by a config's name of it; a mask is looked up likewise.
AttentionInterface.register(ATTENTION, _log_n_attention)
AttentionMaskInterface.register(ATTENTION, sdpa_mask)


class QwenVLLanguageModel(Qwen2ForCausalLM):  # type: ignore[no-untyped-call]
    """The language model; `language_model` and `from_pretrained` make one."""

    config_class = QwenVLTextConfig

    def __init__(self, config: QwenVLTextConfig) -> None:
        config._attn_implementation = ATTENTION
        super().__init__(config)
        rotary: Any = PromptRotary(config)
        self.model.rotary_emb = rotary


def language_model(config: QwenVLTextConfig) -> Any:
    """Return a language model without weights of its own yet."""
    model: Any = QwenVLLanguageModel(config)
    return model.eval()
