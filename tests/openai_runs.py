"""Runs of the model `openai` against a server of the tests."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chat_server import Call, ChatServer, Response
from cobsat import Example, Options, Prediction, RunSettings, examples
from cobsat.models import load_model
from cobsat.models.predict import predict
from cobsat.models.settings import run_settings
from PIL import Image

CONFIG = "color_i-2shot"
KEY = "sk-secret-0123456789"
NUMBERS = [f"{CONFIG}-test-{number:04d}" for number in range(1000)]


def model_at(server: ChatServer, **options: Any) -> Any:
    return load_model("openai", **{"model": "tiny", "base_url": server.url, **options})


def rows(pictures: Path, **options: Any) -> list[Example]:
    chosen = {"output": "description", "images": str(pictures), **options}
    return examples(CONFIG, "test", Options(**chosen))


def settings_for(
    model: Any, pictures: Path, limit: int, output: str = "description", **options: Any
) -> RunSettings:
    chosen = Options(output=output, images=str(pictures), **options)
    return run_settings("openai", model, {"model": "tiny"}, (CONFIG,), "test", chosen, limit)


def run(
    answer: Callable[[Call], Response], pictures: Path, out: Path, limit: int = 1,
    output: str = "description", prompt_type: str = "default", **options: Any,
) -> tuple[list[Prediction], ChatServer]:  # fmt: skip
    """Run a model against a server that answers by a function."""
    with ChatServer(answer) as server:
        model = model_at(server, **options)
        settings = settings_for(model, pictures, limit, output, prompt_type=prompt_type)
        folder = predict(model, settings, out, stop_after=0)
    predictions = folder.predictions()[0]
    return [predictions[name] for name in NUMBERS[:limit]], server


def png(size: tuple[int, int] = (3, 2)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, (9, 8, 7)).save(buffer, format="PNG")
    return buffer.getvalue()


PNG_64 = base64.b64encode(png()).decode()
PNG_URL = f"data:image/png;base64,{PNG_64}"
