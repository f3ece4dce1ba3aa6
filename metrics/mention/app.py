"""A page on which a description is judged by the words in it: the module's Space on the Hub.

python app.py
"""

from __future__ import annotations

from cobsat.metrics.word_forms import find_mentions
from cobsat.spec import THEMES


def judge(description: str, theme: str) -> str:
    """Return what a description names, in a sentence.

    >>> judge("A swimming cat and a dog.", "action")
    'Names cat, dog; and swim.'
    """
    found = find_mentions(description, theme)
    objects = ", ".join(found.objects) or f"no {THEMES[theme].object_kind} of the ten"
    attributes = ", ".join(found.attributes) or f"no {theme} of the ten"
    return f"Names {objects}; and {attributes}."


def main() -> None:
    """Serve the page."""
    import gradio

    gradio.Interface(
        fn=judge,
        inputs=[gradio.Textbox(label="Description"), gradio.Dropdown(list(THEMES), label="Theme")],
        outputs=gradio.Textbox(label="Verdict"),
        title="CoBSAT mention",
    ).launch()


if __name__ == "__main__":
    main()
