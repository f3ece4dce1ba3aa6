"""A page on which a picture is judged by CLIP: the module's Space on the Hub.

python app.py
"""

from __future__ import annotations

from functools import lru_cache

from cobsat.examples import Reference
from cobsat.metrics.clip_judge import MINI_CLIP, ClipJudge
from cobsat.spec import TASKS, THEMES
from PIL import Image


@lru_cache(maxsize=1)
def _judge(checkpoint: str) -> ClipJudge:
    return ClipJudge(checkpoint)


def closeness(
    picture: Image.Image, theme: str, checkpoint: str = MINI_CLIP
) -> tuple[dict[str, float], dict[str, float]]:
    """Return a picture's cosines with the theme's objects and with its attributes."""
    spec = THEMES[theme]
    task = next(name for name, task in TASKS.items() if task.theme is spec)
    any_label: Reference = {
        "task": task,
        "object": spec.objects[0],
        "attribute": spec.attributes[0],
    }
    (measured,) = _judge(checkpoint).measure([picture], [any_label], "image")
    if isinstance(measured, str):
        raise ValueError(measured)
    return (
        dict(zip(spec.objects, measured.objects, strict=True)),
        dict(zip(spec.attributes, measured.attributes, strict=True)),
    )


def main() -> None:
    """Serve the page."""
    import gradio

    gradio.Interface(
        fn=closeness,
        inputs=[
            gradio.Image(type="pil", label="Picture"),
            gradio.Dropdown(list(THEMES), label="Theme"),
            gradio.Textbox(MINI_CLIP, label="Checkpoint"),
        ],
        outputs=[gradio.Label(label="Object"), gradio.Label(label="Attribute")],
        title="CoBSAT CLIP",
    ).launch()


if __name__ == "__main__":
    main()
