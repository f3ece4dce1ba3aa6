"""Text of others: what is hidden is spelt out, what is long is cut, and JSON ends no script."""

import doctest
import json

import pytest
from cobsat.hub_cards import html_page, text


@pytest.mark.parametrize("module", [html_page, text])
def test_doctests(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_keeps_every_letter_of_every_script():
    kept = "a\tb\nc é 漢字 العربية 🙂 👩\u200d👩\u200d👧"
    assert text.visible(kept) == kept


def test_no_control_character_is_left():
    everything = "".join(map(chr, range(0x3000))) + "\ud800\udfff\ufeff\uffff"
    shown = text.visible(everything)
    assert not [c for c in shown if c < " " and c not in "\n\t"]
    assert not set(shown) & set("\x7f\x85\u200f\u202e\u2066\u2028\ufeff\uffff\ud800")
    shown.encode("utf-8")


def test_json_comes_back_as_it_was_and_ends_no_script():
    data = {"</script>": ["<!--", "&amp;", "\u2028", '"', "\\", "]]>", "é"]}
    block = html_page.json_block(data)
    assert not set(block) & set("<>&\u2028\u2029")
    assert json.loads(block) == data
