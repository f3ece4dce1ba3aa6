"""A page on which two replies of a judge become a score: the module's Space on the Hub.

It shows what a judge is asked in both rounds, to be put to any language model, and reads what that
one replies.

python app.py
"""

from __future__ import annotations

from cobsat.metrics.text_askers import Said
from cobsat.metrics.touchstone_judge import dialogue_verdict
from cobsat.metrics.touchstone_prompts import ROUNDS, dialogue_chat
from cobsat.touchstone.questions import Reference


def judge(
    annotation: str, question: str, reference_answer: str, answer: str, first: str, second: str
) -> tuple[str, str, str]:
    """Return what the judge is asked in both rounds, and what its replies are worth.

    >>> *_, verdict = judge("A red car.", "What is it?", "A car.", "A red car.", "7 9", "8 7")
    >>> verdict
    'The answer has 8.5, the reference answer 7.'
    """
    reference: Reference = {
        "id": "",
        "question": question,
        "annotation": annotation,
        "reference_answer": reference_answer,
        "categories": [],
        "subtask": "",
    }
    asked = [dialogue_chat(reference, answer, order)[-1]["content"] for order in ROUNDS]
    said: dict[str, Said] = {ROUNDS[0]: Said(first), ROUNDS[1]: Said(second)}
    verdict = dialogue_verdict(said)
    if verdict.answer is None:
        return asked[0], asked[1], f"No score: {verdict.reason}"
    return (
        asked[0],
        asked[1],
        f"The answer has {verdict.answer:g}, the reference answer {verdict.reference:g}.",
    )


def main() -> None:
    """Serve the page."""
    import gradio

    gradio.Interface(
        fn=judge,
        inputs=[
            gradio.Textbox("A red car on a bridge.", label="Annotation"),
            gradio.Textbox("What is it?", label="Question"),
            gradio.Textbox("A red car.", label="Reference answer"),
            gradio.Textbox("A car.", label="Answer"),
            gradio.Textbox("8 7", label="The judge's reply to round 1"),
            gradio.Textbox("7 8", label="The judge's reply to round 2"),
        ],
        outputs=[
            gradio.Textbox(label="Round 1"),
            gradio.Textbox(label="Round 2"),
            gradio.Textbox(label="Marks"),
        ],
        title="TouchStone",
    ).launch()


if __name__ == "__main__":
    main()
