"""A value with its interval as a small line in a table's cell: SVG text, coloured by the page."""

from __future__ import annotations

from .charts import Value

__all__ = ["whisker_svg"]


def whisker_svg(value: Value, chance: float | None = None) -> str:
    """Return a value on a line from 0 to 1, with its interval and the chance level."""
    mark = band = ""
    if chance is not None:
        x = _number(100 * chance)
        mark = f'<line class="chance-tick" x1="{x}" x2="{x}" y1="1" y2="13"/>'
    if value.value is not None:
        low, high = value.interval or (value.value, value.value)
        x = _number(100 * value.value)
        band = (
            f'<rect class="span" x="{_number(100 * low)}" y="3" '
            f'width="{_number(100 * (high - low))}" height="8"/>'
            f'<line class="dot" x1="{x}" x2="{x}" y1="2" y2="12"/>'
        )
    return (
        '<svg class="whisker" viewBox="-2 0 104 14" aria-hidden="true">'
        f'<line class="track" x1="0" x2="100" y1="7" y2="7"/>{mark}{band}</svg>'
    )


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
