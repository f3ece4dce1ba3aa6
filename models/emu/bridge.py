"""What Emu has beside a language model: a picture becomes embeddings, a state the next of them.

Source: Sun et al. 2023, Sec. 2. All tokens of an EVA tower, normed, are what the causal former
attends to: the decoder of a T5 over learned tokens, each of which sees only those before it. One
linear layer makes embeddings of the language model of what it gives. In the other direction one
more linear layer, the regression head, makes of a state of the language model the next embedding of
a picture that is being drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import T5Config
from transformers.models.t5.modeling_t5 import T5Stack

from ..eva_tower import config_of, eva_tower, features
from ..port_options import sizes_of

__all__ = ["Bridge", "BridgeSizes"]


@dataclass(frozen=True)
class BridgeSizes:
    """Sizes of a bridge; those with a default are told by no tensor.

    Attributes:
        image_size: Pixels of a side.
        causal_tokens: Embeddings that a picture has.
        language_width: Of each of them.
        former_heads: Of the causal former's attention, each of `former_head_width`.
        former_buckets: Kinds of distance that it tells apart, up to `former_max_distance`.
        final_norm_eps: Of the norm after the tower.
    """

    image_size: int
    patch_size: int
    vision_width: int
    vision_layers: int
    vision_mlp_width: int
    causal_tokens: int
    former_width: int
    former_layers: int
    former_heads: int
    former_head_width: int
    former_mlp_width: int
    former_buckets: int
    language_width: int
    vision_heads: int = 16
    vision_norm_eps: float = 1e-6
    final_norm_eps: float = 1e-6
    former_norm_eps: float = 1e-6
    former_max_distance: int = 128

    @property
    def tokens(self) -> int:
        """Embeddings that a picture has."""
        return self.causal_tokens

    @property
    def drawn_width(self) -> int:
        """Width of what a picture is drawn from."""
        return self.language_width

    def config(self) -> dict[str, Any]:
        """Return the sizes as plain JSON."""
        return asdict(self)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> BridgeSizes:
        """Return the sizes that a config holds.

        Raises:
            ValueError: It does not hold exactly these.
        """
        return sizes_of(cls, config, "Emu's bridge")


class Bridge(nn.Module):
    """Emu's tower, causal former and regression head; no weights of its own until loaded.

    Args:
        sizes: Their sizes.
    """

    def __init__(self, sizes: BridgeSizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.tower = eva_tower(config_of(sizes), sizes.final_norm_eps)
        self.tokens = nn.Parameter(torch.zeros(1, sizes.causal_tokens, sizes.former_width))
        self.former = _causal_former(sizes)
        self.to_language = nn.Linear(sizes.former_width, sizes.language_width)
        self.regression = nn.Linear(sizes.language_width, sizes.language_width, bias=False)

    @torch.inference_mode()
    def read(self, pixels: Tensor) -> Tensor:
        """Return pictures as embeddings: (pictures, causal tokens, language width).

        Args:
            pixels: As `picture_values` gives them, of shape (pictures, 3, side, side).
        """
        return self.condense(self.see(pixels))

    @torch.inference_mode()
    def see(self, pixels: Tensor) -> Tensor:
        """Return all that the tower sees, normed: (pictures, 1 + patches, vision width)."""
        seen: Tensor = self.tower.post_layernorm(features(self.tower, pixels.to(self.tokens)))
        return seen

    @torch.inference_mode()
    def condense(self, seen: Tensor) -> Tensor:
        """Return the embeddings of pictures, from what `see` gave."""
        given = self.tokens.expand(len(seen), -1, -1)
        formed = self.former(inputs_embeds=given, encoder_hidden_states=seen, use_cache=False)
        embeddings: Tensor = self.to_language(formed.last_hidden_state)
        return embeddings

    @torch.inference_mode()
    def regress(self, states: Tensor) -> Tensor:
        """Return the embeddings of a picture that follow states of the language model."""
        following: Tensor = self.regression(states.to(self.regression.weight))
        return following

    def enter(self, drawn: Tensor) -> Tensor:
        """Return embeddings that were regressed as the language model reads them: as they are."""
        return drawn


def _causal_former(sizes: BridgeSizes) -> Any:
    """Return a T5 decoder whose cross-attention reads the tower's width, and that has no words."""
    config = T5Config(
        vocab_size=1,
        eos_token_id=None,
        d_model=sizes.former_width,
        d_kv=sizes.former_head_width,
        d_ff=sizes.former_mlp_width,
        num_layers=sizes.former_layers,
        num_heads=sizes.former_heads,
        relative_attention_num_buckets=sizes.former_buckets,
        relative_attention_max_distance=sizes.former_max_distance,
        layer_norm_epsilon=sizes.former_norm_eps,
        feed_forward_proj="relu",
        is_decoder=True,
        is_encoder_decoder=False,
    )
    stack: Any = T5Stack(config)
    stack.set_input_embeddings(nn.Identity())
    inner = sizes.former_heads * sizes.former_head_width
    for block in stack.block:
        attention = block.layer[1].EncDecAttention
        attention.k = nn.Linear(sizes.vision_width, inner, bias=False)
        attention.v = nn.Linear(sizes.vision_width, inner, bias=False)
    return stack.eval()
