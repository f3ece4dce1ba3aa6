"""What cards are made of: a parser of Markdown reads back what was put in, whatever it was."""

import pytest
import yaml
from cobsat.card_parts import (
    fenced,
    front_matter,
    markdown_cell,
    shown_value,
    table,
    table_again,
    visible,
)
from huggingface_hub import ModelCardData, RepoCard
from markdown_it import MarkdownIt

TEXTS = [
    "plain", "a|b", "\\|", "\\", "`code`", "**bold** _it_ ~~s~~", "[x](http://e.vil)",
    "![x](y.png)",
    "<script>alert(1)</script>", "&amp; &lt;", "<!-- cobsat:end -->", "www.e.vil http://e.vil",
    "me@e.vil", "# head", "- item", "1. item", "$x$", ":smile:", "---", "|---|", "{{ x }}",
]  # fmt: skip
MARKDOWN = MarkdownIt("gfm-like", {"linkify": False}).disable("linkify")


def cells(lines):
    """Return the texts of a table's cells as a reader sees them, and fail on anything but text."""
    found = []
    for token in MARKDOWN.parse("\n".join(lines)):
        if token.type == "inline":
            assert {part.type for part in token.children} <= {"text", "text_special"}
            found.append("".join(part.content for part in token.children))
    return found


def test_every_text_is_its_own_in_a_cell():
    rows = [[markdown_cell(text), markdown_cell(text[::-1])] for text in TEXTS]
    lines = table(("one", "two"), rows, numbers=1)
    shown = [text for pair in TEXTS for text in (pair, pair[::-1])]
    assert cells(lines) == ["one", "two", *shown]
    assert cells(table_again("\n".join(lines))) == ["one", "two", *shown]  # as a file holds it


def test_a_row_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="a row must have 2 cells, got 1"):
        table(("one", "two"), [["a", "b"], ["c"]])


def test_no_command_ends_its_block():
    lines = fenced("cobsat run \x1b[2J\n```\n# x <!-- cobsat:end -->")
    (block,) = [t for t in MARKDOWN.parse("\n".join(lines)) if t.type == "fence"]
    assert block.info == "bash"
    assert block.content == "cobsat run \\x1b[2J\n'''\n# x < !-- cobsat:end -->\n"


def test_metadata_are_read_back():
    data = ModelCardData(tags=["a: b", "# c", "\u202e"], license="mit", base_model="org/x")
    text = front_matter(data) + "# Title\n"
    assert RepoCard(text).data.to_dict() == data.to_dict()
    assert yaml.safe_load(text.split("---\n")[1])["tags"] == ["a: b", "# c", "\u202e"]


def test_values_name_no_folder_of_this_machine():
    assert [shown_value(v) for v in ("/home/me/a_b", "org/x", None, 0.5)] == [
        r"a\_b", "org/x", "None", "0.5",
    ]  # fmt: skip
    assert visible("a\r\nb\u2066") == "a\nb\\u2066"
