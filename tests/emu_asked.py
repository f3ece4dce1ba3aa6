"""What the tests of Emu and Emu2 under test ask, and look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from cobsat import Example
from cobsat.models.emu.system import Emu
from cobsat.models.spliced import Prompt
from ports import rows
from torch import Tensor


def described(pictures: Path, config: str = "color_i-2shot", **options: Any) -> list[Example]:
    given = {"instructions_for": "emu", **options}
    return rows(pictures, config, output="description", **given)


def spy(model: Any, monkeypatch: Any) -> list[Any]:
    """Return a list that fills with what the language model is asked."""
    given: list[Any] = []
    for name in ("text", "picture"):
        own = getattr(model._speaker, name)

        def answers(prompts: Any, own: Any = own) -> Any:
            given.extend(prompts)
            return own(prompts)

        monkeypatch.setattr(model._speaker, name, answers)
    return given


def plain_regression(emu: Emu, prompt: Prompt, pictures: list[Tensor]) -> Tensor:
    """The rule of what a picture is drawn from, the whole row anew for each and without a cache."""
    row = emu.embeddings(prompt, pictures)[None]
    drawn = []
    for _ in range(emu.vocabulary.count):
        with torch.inference_mode():
            hidden = emu.language_model.model(inputs_embeds=row).last_hidden_state
            drawn.append(emu.bridge.regress(hidden[:, -1:]))
            row = torch.cat([row, emu.bridge.enter(drawn[-1])], dim=1)
    return torch.cat(drawn, dim=1)


def seen(model: Any, row: Example) -> list[Tensor]:
    """Return the embeddings of a row's pictures, each encoded alone."""
    shown = [part["image"] for part in row["messages"][-1]["content"] if part["image"] is not None]
    return [model._system.read(model._seen._opened.open(image)) for image in shown]
