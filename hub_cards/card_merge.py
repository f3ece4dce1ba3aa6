"""Our part of a card that people write: put in, put anew, and nothing else touched. Pure functions.

In the text our part stands between two comments, and in the metadata too; every byte outside them
is kept. The metadata are edited as text: a YAML library would lose comments, order and quotes.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any, Final

import yaml
from huggingface_hub.repocard import REGEX_YAML_BLOCK

__all__ = ["BEGIN", "END", "has_part", "merged", "read_card"]

BEGIN: Final = "<!-- cobsat:begin -->"
END: Final = "<!-- cobsat:end -->"

_INDEX: Final = "model-index"
_YAML_BEGIN, _YAML_END = "# cobsat:begin", "# cobsat:end"
_WITHIN: Final = "# cobsat:begin, within the list"
"""Begins our part of a list in brackets; it stands behind what others wrote in that line."""

_LINE_END: Final = r"[ \t]*(?:\r\n|\r|\n|\Z)"
_YAML_PART: Final = re.compile(
    rf"(?:^[ \t]*{_YAML_BEGIN}| {_WITHIN}){_LINE_END}.*?^[ \t]*{_YAML_END}{_LINE_END}",
    re.MULTILINE | re.DOTALL,
)
_BOM: Final = "\ufeff"


def has_part(text: str) -> bool:
    """Return whether a card has a part of ours."""
    return BEGIN in text or END in text


def read_card(data: bytes, where: object) -> str:
    """Return a card's text, line ends and byte order mark as they are.

    Raises:
        ValueError: It is not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{where} must be a card in UTF-8, got {error}") from error


def merged(card: str, part: str, index: list[dict[str, Any]], where: object = "card") -> str:
    """Return a card with our part of its text and of its `model-index` put in, or put anew.

    Args:
        card: The card as it is.
        part: Our part of the text, without the comments, lines ended by line feeds.
        index: Our part of `model-index`, as `huggingface_hub` writes it; empty for none.
        where: What the card is called in messages.

    Raises:
        ValueError: Its metadata are no YAML of keys and values, its `model-index` is no list, or
            our comments do not stand in pairs. Nothing is guessed.
    """
    mark = _BOM if card.startswith(_BOM) else ""
    text = card[len(mark) :]
    newline = _newline(text)
    block = REGEX_YAML_BLOCK.search(text)
    if block is None:
        head = "" if not index else f"---\n{_top_level(index)}---\n"
        body = text
    else:
        start, end = block.span(2)
        written = text[block.start() : start]
        head = written + _with_index(text[start:end], index, newline, where)
        head += text[end : block.end()]
        body = text[block.end() :]
    if block is None:
        head = head.replace("\n", newline)
    return mark + head + _with_part(body, part, newline, where)


def _newline(text: str) -> str:
    pairs = text.count("\r\n")
    alone = text.count("\n") - pairs
    if pairs > alone:
        return "\r\n"
    return "\r" if not pairs and not alone and "\r" in text else "\n"


def _with_part(body: str, part: str, newline: str, where: object) -> str:
    ours = f"{BEGIN}\n{part.strip()}\n{END}".replace("\n", newline)
    begins, ends = body.count(BEGIN), body.count(END)
    if (begins, ends) == (1, 1) and body.index(BEGIN) < body.index(END):
        return body[: body.index(BEGIN)] + ours + body[body.index(END) + len(END) :]
    if begins or ends:
        raise ValueError(
            f"{where} must have {BEGIN} and {END} once each and in this order, or neither, got "
            f"{begins} and {ends}: remove them and what is between, and give the command again"
        )
    gap = newline if body.endswith(newline) else 2 * newline
    gap = gap if body else ""
    return f"{body}{gap}{ours}{newline}"


def _with_index(front: str, index: list[dict[str, Any]], newline: str, where: object) -> str:
    """Return front matter with our results in its `model-index`; others' stay as they are."""
    begins, ends = (len(re.findall(rf"{mark}\b", front)) for mark in (_YAML_BEGIN, _YAML_END))
    # What ends the block is not part of it: as a whole line, our part is taken out without a trace.
    lines, parts = _YAML_PART.subn("", front + newline)
    if not begins == ends == parts <= 1:
        raise ValueError(
            f"metadata of {where} must have the comments {_YAML_BEGIN} and {_YAML_END} once each, "
            "or neither: remove them and what is between, and give the command again"
        )
    others = lines[: -len(newline)] if lines.endswith(newline) else lines
    entry = _index_entry(others, where)
    if not index:
        return others
    if entry is None:
        return _joined(others, _top_level(index).replace("\n", newline), newline)
    key, node = entry
    if isinstance(node, yaml.SequenceNode) and node.flow_style:
        return _in_brackets(others, node, index, newline)
    indent, end = "", int(key.end_mark.index)
    if isinstance(node, yaml.SequenceNode):
        indent, end = " " * node.start_mark.column, _last(node)  # where others' items have a dash
    ours = textwrap.indent(_items(index), indent).replace("\n", newline)
    place = _line_end(others, end, newline)
    before, after = others[:place], others[place:]
    return _joined(before, ours, newline) + after


def _in_brackets(front: str, node: Any, index: list[dict[str, Any]], newline: str) -> str:
    """Return front matter with our results behind others' in a list such as `[]` or `[{…}]`.

    A YAML list in brackets may have line ends and comments between its items.
    """
    place = int(node.end_mark.index) - 1
    behind = front[node.value[-1].end_mark.index : place] if node.value else ""
    is_open = node.value and "," not in re.sub(r"#[^\r\n]*", "", behind)
    flow = yaml.safe_dump(
        index, default_flow_style=True, sort_keys=False, width=10**6, allow_unicode=False
    )
    items = flow.strip().removeprefix("[").removesuffix("]")
    lines = [f" {_WITHIN}", f"  {', ' if is_open else ''}{items}", f"  {_YAML_END}", ""]
    return front[:place] + newline.join(lines) + front[place:]


def _joined(before: str, ours: str, newline: str) -> str:
    """Return text and our whole lines after it; the last line's end is the front matter's own."""
    ours = ours.removesuffix(newline)
    return f"{before}{newline}{ours}" if before.strip() else before + ours


def _index_entry(front: str, where: object) -> tuple[Any, Any] | None:
    """Return the key and the value of others' results, None if there are none."""
    try:
        root = yaml.compose(front, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        said = " ".join(str(error).split())
        raise ValueError(f"metadata of {where} must be YAML, got {said}") from error
    if root is None:
        return None
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise ValueError(f"metadata of {where} must be YAML keys and values, one a line")
    found = [(key, value) for key, value in root.value if key.value == _INDEX]
    if not found:
        return None
    (key, node), *more = found
    is_list = isinstance(node, yaml.SequenceNode) or (
        isinstance(node, yaml.ScalarNode) and node.start_mark.index == node.end_mark.index
    )
    if more or not is_list or node.start_mark.index < key.end_mark.index:  # an alias stands before
        raise ValueError(
            f"{_INDEX} of {where} must be there once, a list of results, got another form: write "
            "it so, or remove it, and give the command again"
        )
    return key, node


def _last(node: Any) -> int:
    """Return where the last value of a node ends; a block itself ends after comments and blanks."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _last(last[1] if isinstance(last, tuple) else last)


def _line_end(text: str, place: int, newline: str) -> int:
    """Return where the line of a place ends: a comment behind a value stays with it."""
    if place and text[place - 1] in "\r\n":  # a block of text: its line end is its own
        return len(text[:place].rstrip("\r\n"))
    found = text.find(newline, place)
    return len(text) if found < 0 else found


def _top_level(index: list[dict[str, Any]]) -> str:
    return f"{_YAML_BEGIN}\n{_INDEX}:\n{_dumped(index)}{_YAML_END}\n"


def _items(index: list[dict[str, Any]]) -> str:
    return f"{_YAML_BEGIN}\n{_dumped(index)}{_YAML_END}\n"


def _dumped(index: list[dict[str, Any]]) -> str:
    """Return results as YAML of one line a value, in ASCII."""
    return str(yaml.safe_dump(index, sort_keys=False, width=10**6, allow_unicode=False))
