"""The EVA image tower of BLIP-2's relatives, from `Blip2VisionModel`: SEED-LLaMA's, Emu's, Emu2's.

Source: EVA-CLIP's ViT-g as the projects publish it, and transformers' `Blip2VisionModel`, which is
the same network but for two things. Published checkpoints keep the biases of queries and values as
two vectors (keys have none), here they are one; and the norm after the last block belongs to the
project around the tower, with an epsilon of its own. In EVA-CLIP's 4B, which Emu2 has, the norms
of a block come after its attention and its MLP, and none follows the last block.

Sizes are read from the checkpoint's tensors. What no tensor tells is an argument: the number of
heads.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from transformers import Blip2VisionConfig, Blip2VisionModel
from transformers.models.blip_2.modeling_blip_2 import Blip2EncoderLayer

from .conversion import Rules, renamed

__all__ = ["TowerSizes", "config_of", "eva_config", "eva_state", "eva_tower", "features"]

_RULES: Rules = (
    (r"cls_token", "embeddings.class_embedding"),
    (r"pos_embed", "embeddings.position_embedding"),
    (r"patch_embed\.proj\.(weight|bias)", r"embeddings.patch_embedding.\1"),
    (r"blocks\.(\d+)\.norm([12])\.(weight|bias)", r"encoder.layers.\1.layer_norm\2.\3"),
    (r"blocks\.(\d+)\.attn\.qkv\.(weight|bias)", r"encoder.layers.\1.self_attn.qkv.\2"),
    (r"blocks\.(\d+)\.attn\.proj\.(weight|bias)", r"encoder.layers.\1.self_attn.projection.\2"),
    (r"blocks\.(\d+)\.mlp\.fc([12])\.(weight|bias)", r"encoder.layers.\1.mlp.fc\2.\3"),
)


class TowerSizes(Protocol):
    """The sizes of a tower, as those of a system hold them."""

    @property
    def image_size(self) -> int: ...  # noqa: D102
    @property
    def patch_size(self) -> int: ...  # noqa: D102
    @property
    def vision_width(self) -> int: ...  # noqa: D102
    @property
    def vision_layers(self) -> int: ...  # noqa: D102
    @property
    def vision_heads(self) -> int: ...  # noqa: D102
    @property
    def vision_mlp_width(self) -> int: ...  # noqa: D102
    @property
    def vision_norm_eps(self) -> float: ...  # noqa: D102


def config_of(sizes: TowerSizes) -> Blip2VisionConfig:
    """Return the config of a tower."""
    return Blip2VisionConfig(
        hidden_size=sizes.vision_width,
        intermediate_size=sizes.vision_mlp_width,
        num_hidden_layers=sizes.vision_layers,
        num_attention_heads=sizes.vision_heads,
        image_size=sizes.image_size,
        patch_size=sizes.patch_size,
        layer_norm_eps=sizes.vision_norm_eps,
        qkv_bias=True,
    )


def eva_config(state: Mapping[str, Tensor], heads: int, norm_eps: float) -> Blip2VisionConfig:
    """Return the sizes of a tower, read from its published tensors.

    Args:
        state: The tower's tensors by their published names, without a prefix.
        heads: Of its attention.
        norm_eps: Of the norms inside its blocks.

    Raises:
        ValueError: The tensors are not those of such a tower.
    """
    patches = state.get("patch_embed.proj.weight")
    places = state.get("pos_embed")
    if patches is None or places is None:
        raise ValueError(
            "an EVA tower must have patch_embed.proj.weight and pos_embed, got "
            f"{', '.join(sorted(state)[:3]) or 'no tensors'}, …"
        )
    width, patch = patches.shape[0], patches.shape[-1]
    side = math.isqrt(places.shape[1] - 1)
    if side * side != places.shape[1] - 1:
        raise ValueError(
            f"pos_embed must have a place for the class and a square of patches, got "
            f"{places.shape[1]} places"
        )
    if width % heads:
        raise ValueError(f"heads must divide the tower's width {width}, got {heads}")
    return Blip2VisionConfig(
        hidden_size=width,
        intermediate_size=state["blocks.0.mlp.fc1.weight"].shape[0],
        num_hidden_layers=1 + max(int(k.split(".")[1]) for k in state if k.startswith("blocks.")),
        num_attention_heads=heads,
        image_size=side * patch,
        patch_size=patch,
        layer_norm_eps=norm_eps,
        qkv_bias=True,
    )


def eva_state(
    state: Mapping[str, Tensor], norm: Mapping[str, Tensor] | None = None
) -> dict[str, Tensor]:
    """Return a tower's tensors by the names of `Blip2VisionModel`.

    Args:
        state: The tower's tensors by their published names, without a prefix.
        norm: `weight` and `bias` of the norm that follows it, if one does.

    Raises:
        ValueError: A tensor is none of such a tower's.
    """
    fused = dict(state)
    for name in [name for name in state if name.endswith(".attn.q_bias")]:
        block = name.removesuffix("q_bias")
        query, value = fused.pop(name), fused.pop(f"{block}v_bias", None)
        if value is None:
            raise ValueError(f"an EVA tower must have {block}v_bias beside {name}, got none")
        fused[f"{block}qkv.bias"] = torch.cat([query, torch.zeros_like(query), value])
    ours = renamed(fused, _RULES, what="an EVA tower")
    return ours | {f"post_layernorm.{name}": tensor for name, tensor in (norm or {}).items()}


def eva_tower(
    config: Blip2VisionConfig, final_norm_eps: float | None, post_norm: bool = False
) -> Any:
    """Return a tower without weights of its own yet.

    Args:
        config: Its sizes.
        final_norm_eps: Of the norm that follows it; None for none.
        post_norm: Whether the norms of a block come after its attention and its MLP.
    """
    tower: Any = Blip2VisionModel(config)
    if final_norm_eps is None:
        tower.post_layernorm = nn.Identity()
    else:
        tower.post_layernorm.eps = final_norm_eps
    if post_norm:
        sizes: Any = config
        blocks = [_PostNormBlock(sizes) for _ in tower.encoder.layers]
        tower.encoder.layers = nn.ModuleList(blocks)
    return tower.eval()


class _PostNormBlock(Blip2EncoderLayer):  # type: ignore[no-untyped-call]
    """A block whose norms come after its attention and its MLP."""

    def forward(self, hidden_states: Tensor, **kwargs: Any) -> Tensor:
        attended = self.self_attn(hidden_states=hidden_states, **kwargs)[0]
        hidden_states = hidden_states + self.layer_norm1(attended)
        changed: Tensor = hidden_states + self.layer_norm2(self.mlp(hidden_states))
        return changed


def features(tower: Any, pixels: Tensor) -> Tensor:
    """Return all tokens before the final norm, the class first: (batch, 1 + patches, width)."""
    hidden: Tensor = tower.encoder(inputs_embeds=tower.embeddings(pixels)).last_hidden_state
    return hidden
