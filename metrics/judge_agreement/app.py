"""A page on which two lists of answers are compared: the module's Space on the Hub.

python app.py
"""

from __future__ import annotations

from cobsat.metrics.agreement import agreement


def compare(first: str, second: str) -> str:
    r"""Return how far two lists of answers agree, in a sentence.

    >>> compare("car\ncar\nhat\nhat", "car\nhat\nhat\nhat")
    'Consistent: 3 of 4 (75.0%); kappa 0.500, alpha 0.533.'
    """
    lists = [[line.strip() for line in text.strip().splitlines()] for text in (first, second)]
    if len(lists[0]) != len(lists[1]) or not lists[0]:
        return f"Both need as many answers, one a line: got {len(lists[0])} and {len(lists[1])}."
    found = agreement(*lists)
    same = sum(a == b for a, b in zip(*lists, strict=True))
    share = f"{same} of {found.ratio.n} ({same / found.ratio.n:.1%})"
    return f"Consistent: {share}; kappa {_number(found.kappa.value)}, alpha " + (
        f"{_number(found.alpha.value)}."
    )


def _number(value: float | None) -> str:
    return "cannot be told" if value is None else f"{value:.3f}"


def main() -> None:
    """Serve the page."""
    import gradio

    gradio.Interface(
        fn=compare,
        inputs=[
            gradio.Textbox(label="One judge's answers, one a line", lines=8),
            gradio.Textbox(label="The other's, in the same order", lines=8),
        ],
        outputs=gradio.Textbox(label="Agreement"),
        title="CoBSAT judge agreement",
    ).launch()


if __name__ == "__main__":
    main()
