"""A page on which a judge's reply becomes a degree of hallucination: the module's Space on the Hub.

It shows what a judge is asked, to be put to any language model, and reads what that one replies.

python app.py
"""

from __future__ import annotations

from cobsat.metrics.text_askers import Said
from cobsat.metrics.touchstone_hallucination_judge import hallucination_verdict
from cobsat.metrics.touchstone_prompts import hallucination_chat
from cobsat.touchstone.questions import Reference


def judge(annotation: str, description: str, reply: str) -> tuple[str, str]:
    """Return what the judge is asked, and what its reply is worth.

    >>> judge("A red car.", "A red car and a dog.", "4")[1]
    'Degree 4 of 10, in 6 words.'
    """
    reference: Reference = {
        "id": "",
        "question": "",
        "annotation": annotation,
        "reference_answer": "",
        "categories": [],
        "subtask": "",
    }
    asked = hallucination_chat(reference, description)[-1]["content"]
    verdict = hallucination_verdict(description, Said(reply))
    if verdict.degree is None:
        return asked, f"No degree: {verdict.reason}"
    return asked, f"Degree {verdict.degree:g} of 10, in {verdict.words} words."


def main() -> None:
    """Serve the page."""
    import gradio

    gradio.Interface(
        fn=judge,
        inputs=[
            gradio.Textbox("A red car on a bridge.", label="Annotation"),
            gradio.Textbox("A red car and a dog.", label="Description"),
            gradio.Textbox("4", label="The judge's reply"),
        ],
        outputs=[gradio.Textbox(label="What it is asked"), gradio.Textbox(label="Degree")],
        title="TouchStone hallucination",
    ).launch()


if __name__ == "__main__":
    main()
