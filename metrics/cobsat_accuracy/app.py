"""A page on which a vision-language model is asked about a picture: the module's Space on the Hub.

python app.py
"""

from __future__ import annotations

from functools import lru_cache

from cobsat.examples import Reference
from cobsat.metrics.llava_judge import MINI_LLAVA, LlavaJudge
from cobsat.spec import TASKS, THEMES
from PIL import Image


@lru_cache(maxsize=1)
def _judge(checkpoint: str) -> LlavaJudge:
    return LlavaJudge(checkpoint)


def answers(picture: Image.Image, theme: str, checkpoint: str = MINI_LLAVA) -> tuple[str, str, str]:
    """Return the object and the attribute that the judge sees, and its raw replies."""
    spec = THEMES[theme]
    any_label: Reference = {
        "task": next(name for name, task in TASKS.items() if task.theme is spec),
        "object": spec.objects[0],
        "attribute": spec.attributes[0],
    }
    (verdict,) = _judge(checkpoint).judge([picture], [any_label], "image")
    raw = verdict.raw or {}
    replies = "; ".join(f"{kind}: {raw[kind].get('reply')!r}" for kind in ("object", "attribute")
                        if kind in raw)  # fmt: skip
    none = "no clear answer"
    return verdict.object or none, verdict.attribute or none, replies or str(verdict.reason)


def main() -> None:
    """Serve the page."""
    import gradio

    gradio.Interface(
        fn=answers,
        inputs=[
            gradio.Image(type="pil", label="Picture"),
            gradio.Dropdown(list(THEMES), label="Theme"),
            gradio.Textbox(MINI_LLAVA, label="Checkpoint"),
        ],
        outputs=[
            gradio.Textbox(label="Object"),
            gradio.Textbox(label="Attribute"),
            gradio.Textbox(label="What it said"),
        ],
        title="CoBSAT accuracy",
    ).launch()


if __name__ == "__main__":
    main()
