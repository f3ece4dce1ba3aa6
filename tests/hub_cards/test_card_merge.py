"""`--merge`: our part goes in and is put anew, and not a byte of others changes."""

import pytest
import yaml
from cobsat.hub_cards.card_merge import BEGIN, END, merged
from huggingface_hub import ModelCard


def index(value):
    metrics = [{"type": "accuracy", "value": value}]
    dataset = {"type": "cobsat", "name": "CoBSAT", "config": "color_i-2shot"}
    return [{"name": "m", "results": [
        {"task": {"type": "text-to-image"}, "dataset": dataset, "metrics": metrics}]}]  # fmt: skip


OTHERS = """model-index:
  - name: theirs   # kept
    results:
    - task: {type: x}
      dataset: {type: y, name: z}
      metrics:
      - {type: f1, value: 0.50}
"""
FLOW = (
    "{name: theirs, results: [{task: {type: x}, dataset: {type: y, name: 'z'}, "
    "metrics: [{type: f1, value: 0.50}]}]}"
)
CARDS = {
    "empty": "",
    "no front matter": "# Title\n\nwords",
    "no line end": "# Title",
    "comments": "---\n# a comment\nlicense:   mit # why\n\n\ntags: [a,   'b']\n---\n# T\n",
    "CRLF": "---\r\nlicense: mit\r\n---\r\n# T\r\n\r\nwords\r\n",
    "CRLF with others": f"---\n{OTHERS}license: mit\n---\n# T\n".replace("\n", "\r\n"),
    "tabs": "---\nlicense: 'mit\t' #\ttab\n---\n\tcode\n\ttabs\n",
    "unknown keys": "---\nodd_key: {a: [1, 2]}\nlicense: mit\n---\nx\n",
    "others at the end": f"---\nlicense: mit\n{OTHERS}---\nx\n",
    "others at the start": f"---\n{OTHERS}# between\nlicense: mit\n---\nx\n",
    "byte order mark": "\ufeff---\nlicense: mit\n---\nx\n",
    "rule in the text": "---\nlicense: mit\n---\nx\n\n---\n\ny\n",
    "nothing in brackets": "---\nmodel-index: []  # none yet\nlicense: mit\n---\nx\n",
    "nothing, on two lines": "---\nmodel-index: [ # none\n  ]\nlicense: mit\n---\nx\n",
    "nothing in brackets, CRLF": "---\r\nlicense: mit\r\nmodel-index: []\r\n---\r\nx\r\n",
    "nothing behind the key": "---\nmodel-index:  # none\nlicense: mit\n---\nx\n",
    "nothing behind the last key": "---\nlicense: mit\nmodel-index:\n---\nx\n",
    "others in brackets": f"---\nmodel-index: [{FLOW}]\nlicense: mit\n---\nx\n",
    "others in brackets, a comma last": f"---\nmodel-index: [\n  {FLOW},  # a, b\n  ]\nx: 1\n---\n",
    "others in brackets, a comment last": f"---\nmodel-index: [ {FLOW}  # a, b\n]\nx: 1\n---\ny\n",
}


def without_ours(card):
    """Take our lines out again, by a way of its own: line by line."""
    kept, ours = [], False
    for line in card.splitlines(keepends=True):
        before, begins, _ = line.partition(" # cobsat:begin, within the list")
        if begins:
            kept.append(before)
        ours = ours or bool(begins) or line.strip() in (BEGIN, "# cobsat:begin")
        if not ours:
            kept.append(line)
        ours = ours and line.strip() not in (END, "# cobsat:end")
    return "".join(kept)


@pytest.mark.parametrize("name", CARDS)
def test_every_other_byte_stays(name):
    card = CARDS[name]
    new = merged(card, "## Ours\n\nwords", index(0.25))
    left = without_ours(new)
    if card.removeprefix("\ufeff").startswith("---"):
        assert left.startswith(card)
        assert not left.removeprefix(card).strip()  # an empty line before our part, no more
    else:
        assert left.replace("---\n---\n", "", 1).strip() == card.strip()
    read = ModelCard(new.removeprefix("\ufeff"))
    values = [result.metric_value for result in read.data.eval_results]
    assert values == ([0.5, 0.25] if "others" in name else [0.25])
    if "CRLF" in name:
        assert new.count("\n") == new.count("\r\n")


@pytest.mark.parametrize("name", CARDS)
def test_a_second_time_only_our_part_changes(name):
    once = merged(CARDS[name], "## Ours\n\nold", index(0.25))
    assert merged(once, "## Ours\n\nold", index(0.25)) == once
    twice = merged(once, "## Ours\n\nnew words", index(0.75))
    assert without_ours(twice) == without_ours(once)
    assert "new words" in twice
    assert "old" not in twice
    values = [r.metric_value for r in ModelCard(twice.removeprefix("\ufeff")).data.eval_results]
    assert values[-1] == 0.75
    assert 0.25 not in values
    assert merged(twice, "## Ours\n\nold", index(0.25)) == once


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ("---\na: [\n---\nx\n", "must be YAML"),
        ("---\n- a\n---\nx\n", "keys and values"),
        ("---\nmodel-index: 7\n---\nx\n", "another form"),
        ("---\nmodel-index: null\n---\nx\n", "another form"),
        ("---\nmodel-index: {a: b}\n---\nx\n", "another form"),
        ("---\na: &b []\nmodel-index: *b\n---\nx\n", "another form"),
        ("---\nmodel-index: []\nmodel-index: []\n---\nx\n", "another form"),
        ("---\nmodel-index: [ # cobsat:begin, within the list\n]\n---\nx\n", "once each"),
        (f"x\n{BEGIN}\n", "once each"),
        (f"{END}\n{BEGIN}\n", "once each"),
        ("---\n# cobsat:begin\na: b\n---\nx\n", "once each"),
    ],
)
def test_what_is_not_clear_is_refused(card, message):
    with pytest.raises(ValueError, match=message):
        merged(card, "x", index(0.5))


def test_what_is_written_is_plain_yaml():
    new = merged("---\nlicense: mit\n---\n", "x", index(0.5))
    assert yaml.safe_load(new.split("---")[1])["model-index"] == index(0.5)
