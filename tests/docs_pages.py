"""What the pages of documentation hold: fenced blocks, and code in the midst of a sentence.

    for block in blocks(PAGES["docs/scaling.md"]): ...

A page is read by markdown-it, as the sites that show it do.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parent.parent
PAGES = {
    path.relative_to(ROOT).as_posix(): path
    for path in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").glob("*.md")),
    )
}
"""Every page, by its path in the repository."""


@dataclass(frozen=True)
class Block:
    """A fenced block: where it begins, in which language, and what it says."""

    page: str
    line: int
    language: str
    text: str

    @property
    def file(self) -> str | None:
        """The file that a block is, which its first line names: `# my_model.py`."""
        mark, _, name = self.text.partition("\n")[0].partition(" ")
        return name if mark == "#" and name.endswith(".py") and " " not in name else None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Span:
    """Code in the midst of a sentence or in a table's cell."""

    page: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.text}"


def blocks(page: str) -> list[Block]:
    """Return a page's fenced blocks, in order."""
    tokens = MarkdownIt("commonmark").enable("table").parse(PAGES[page].read_text("utf-8"))
    return [
        Block(page, (token.map or [0])[0] + 2, token.info.strip(), token.content)
        for token in tokens
        if token.type in ("fence", "code_block")
    ]


def spans(page: str) -> list[Span]:
    """Return a page's code spans, in order; the line is that of their paragraph."""
    found = []
    line = 0
    for token in MarkdownIt("commonmark").enable("table").parse(PAGES[page].read_text("utf-8")):
        line = token.map[0] + 1 if token.map else line
        found += [
            Span(page, line, " ".join(child.content.split()))
            for child in token.children or ()
            if child.type == "code_inline"
        ]
    return found
