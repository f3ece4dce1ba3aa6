"""A report's page as tests read it: its tables, its data, its addresses."""

import base64
import gzip
import json
from contextlib import contextmanager
from html.parser import HTMLParser

import pytest
from cobsat.hub_cards.leaderboard_charts import board_charts


class Page(HTMLParser):
    """The page's tables as lists of cells, its JSON blocks, and every address in it.

    `details` is what the pages of its examples show besides, in the order of the examples.
    """

    def __init__(self, path):
        super().__init__()
        self.rows, self.blocks, self.addresses, self.policy, self.text = [], [], [], "", []
        self.details, self._packed = [], None
        self._cell = self._block = None
        self.source = path.read_text("utf-8")
        self.feed(self.source)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.addresses += [values[name] for name in ("src", "href", "action") if name in values]
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self._cell = []
        if tag == "script" and values.get("type") == "application/json":
            self._block = []
        if tag == "script" and values.get("type") == "text/plain":
            self._packed = []

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(" ".join("".join(self._cell).split()))
            self._cell = None
        if tag == "script" and self._block is not None:
            self.blocks.append(json.loads("".join(self._block)))
            self._block = None
        if tag == "script" and self._packed is not None:
            self.details += json.loads(gzip.decompress(base64.b64decode("".join(self._packed))))
            self._packed = None

    def handle_data(self, data):
        self.text.append(data)
        if self._cell is not None:
            self._cell.append(data)
        if self._block is not None:
            self._block.append(data)
        if self._packed is not None:
            self._packed.append(data)

    def says(self, words):
        return words in " ".join("".join(self.text).split())


@contextmanager
def without_plots():
    """Draw no plots in reports that are written meanwhile, and one in leaderboards."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("report", "page"):
            patch.setattr(f"cobsat.hub_cards.{module}.charts", lambda runs, judge: [])
        patch.setattr("cobsat.hub_cards.leaderboard.board_charts", lambda board: [])
        # The page takes its legend from its last plot: one is left to it.
        patch.setattr(
            "cobsat.hub_cards.leaderboard_page.board_charts", lambda board: board_charts(board)[1:2]
        )
        yield
