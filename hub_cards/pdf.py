"""A report as a typeset document: plain blocks in, a PDF out, by Typst (`templates/report.typ`).

Every text reaches Typst as data, never as its markup, and every figure as vectors. Fonts are those
that Typst and matplotlib bring, so that the same report gives the same bytes anywhere, offline.
"""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from .charts import Chart, caption, described
from .plots import chart_files, chart_inches
from .plots_style import COLUMN
from .text import shorten, visible

__all__ = [
    "Block",
    "Code",
    "Document",
    "Facts",
    "Figure",
    "Items",
    "Section",
    "Table",
    "Text",
    "need_typst",
    "typeset",
]

_TEMPLATE: Final = Path(__file__).parent / "templates" / "report.typ"
_LONG_WORD: Final = re.compile(r"(\S{24})(?=\S)")
LONGEST: Final = 600
"""Characters of a text that the document keeps; the run folder has the whole."""


@dataclass(frozen=True)
class Text:
    """A paragraph; a notice is set apart."""

    text: str
    notice: bool = False
    kind: str = "text"


@dataclass(frozen=True)
class Items:
    """A list of short texts."""

    items: tuple[str, ...]
    kind: str = "items"


@dataclass(frozen=True)
class Facts:
    """Names and values."""

    facts: tuple[tuple[str, str], ...]
    kind: str = "facts"


@dataclass(frozen=True)
class Table:
    """A table; a cell's second line stands small below its first.

    Attributes:
        heads: Of the columns; the first `words` of them are words, the others numbers.
        strong: Rows that stand out, by number.
    """

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    strong: tuple[int, ...] = ()
    kind: str = "table"


@dataclass(frozen=True)
class Code:
    """Lines to give a shell."""

    code: str
    kind: str = "code"


@dataclass(frozen=True)
class Figure:
    """A chart."""

    chart: Chart
    kind: str = "figure"


Block: TypeAlias = Text | Items | Facts | Table | Code | Figure


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    title: str
    blocks: tuple[Block, ...]
    level: int = 1


@dataclass(frozen=True)
class Document:
    """What is typeset."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]


def need_typst() -> Any:
    """Return the module `typst`.

    Raises:
        ImportError: It is not installed.
    """
    try:
        import typst
    except ImportError as error:
        raise ImportError(
            "--pdf needs the package typst, which is not installed: pip install 'cobsat[pdf]'"
        ) from error
    return typst


def typeset(document: Document, *, form: str = "pdf") -> bytes:
    """Return a document as the bytes of a PDF.

    Args:
        document: The document.
        form: "png" for a picture of a document of one page.

    Raises:
        ImportError: Typst is not installed.
    """
    typst = need_typst()
    import matplotlib

    fonts = typst.Fonts(
        include_system_fonts=False,
        include_embedded_fonts=True,
        font_paths=[str(Path(matplotlib.get_data_path()) / "fonts" / "ttf")],
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "report.typ").write_bytes(_TEMPLATE.read_bytes())
        data = _plain(document, folder)
        (folder / "data.json").write_text(json.dumps(data, ensure_ascii=True), "utf-8")
        compiled: bytes | list[bytes] = typst.compile(
            str(folder / "report.typ"), root=str(folder), font_paths=fonts, format=form, timestamp=0
        )
    return compiled if isinstance(compiled, bytes) else compiled[0]


def _plain(document: Document, folder: Path) -> dict[str, Any]:
    """Return a document as JSON that the template reads, its figures written into a folder."""
    count = 0
    sections = []
    for section in document.sections:
        blocks = []
        for block in section.blocks:
            if isinstance(block, Figure):
                count += 1
                blocks.append(_figure(block.chart, folder / f"figure{count}.svg"))
            else:
                blocks.append(_shown(asdict(block)))
        sections.append(
            {"title": _word(section.title), "level": section.level, "blocks": _paired(blocks)}
        )
    return {
        "title": _word(document.title), "subtitle": _word(document.subtitle), "sections": sections,
    }  # fmt: skip


def _paired(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return blocks in which figures of one column that follow each other are side by side."""
    found: list[dict[str, Any]] = []
    for block in blocks:
        before = found[-1] if found else {}
        if _is_narrow(before) and _is_narrow(block):
            found[-1] = {"kind": "pair", "figures": [before, block]}
        else:
            found.append(block)
    return found


def _is_narrow(block: dict[str, Any]) -> bool:
    return block.get("kind") == "figure" and block["inches"] <= COLUMN


def _figure(chart: Chart, path: Path) -> dict[str, Any]:
    path.write_bytes(chart_files(chart, ("svg",))["svg"])
    words = " ".join(described(chart, panel) for panel in chart.panels)
    return {
        "kind": "figure", "path": path.name, "title": _word(chart.title),
        "caption": _word(caption(chart)), "alt": visible(words), "inches": chart_inches(chart),
    }  # fmt: skip


def _shown(value: Any) -> Any:
    """Return a block's fields with every text made fit to be shown."""
    if isinstance(value, dict):
        code = value.get("kind") == "code"
        return {k: visible(v) if code and k == "code" else _shown(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(item) for item in value]
    return _word(value) if isinstance(value, str) else value


def _word(text: str) -> str:
    """Return a text without hidden signs, whose long words may be broken."""
    return _LONG_WORD.sub("\\1\u200b", visible(shorten(text, LONGEST)))
