"""What one person looks at and says, item by item; blind: an item tells only what it shows.

`label.py` is the command, `label_server.py` the page's server. What the items are, and where a
verdict goes, say `label_outputs.py` (CoBSAT) and `label_answers.py` (TouchStone).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

__all__ = ["Item", "Said", "Session"]

Said: TypeAlias = dict[str, str]
"""What a person says of an item, question by question."""


class Item(Protocol):
    """One thing to look at."""

    @property
    def pictures(self) -> Sequence[Path]:
        """The files of its pictures."""

    def shown(self) -> dict[str, Any]:
        """Return what the page may know of it: nothing that tells an answer."""

    def check(self, said: Mapping[str, Any]) -> Said:
        """Return what a person says of it, all else left out.

        Raises:
            KeyError: A question has no answer.
            TypeError: An answer is no text.
            ValueError: An answer is none of the options.
        """


_Item = TypeVar("_Item", bound=Item)


class Session(Generic[_Item]):
    """What one person has looked at and said; several threads may ask at once.

    Attributes:
        items: What there is to look at, in order.
        path: Where the verdicts go.
        page: The name of the page that shows the items.
    """

    def __init__(
        self,
        items: Sequence[_Item],
        path: Path,
        page: str,
        save: Callable[[_Item, Said], None],
        before: Mapping[int, Said],
    ) -> None:
        """Take up where the person stopped.

        Args:
            items: What there is to look at, in order.
            path: Where the verdicts go, as a person is told.
            page: The name of the page that shows the items, among `templates/`.
            save: Writes down what a person says of an item.
            before: What they said already, by the item's number.
        """
        self.items = items
        self.path = path
        self.page = page
        self._save = save
        self._lock = threading.Lock()
        self._said = dict(before)

    def progress(self) -> dict[str, int]:
        """Return how many items are labelled, of how many, and the first that is not."""
        with self._lock:
            return self._progress()

    def _progress(self) -> dict[str, int]:
        count = len(self.items)
        left = (number for number in range(count) if number not in self._said)
        return {"done": len(self._said), "of": count, "next": next(left, count)}

    def item(self, number: int) -> dict[str, Any]:
        """Return what the page may know of one item.

        Raises:
            IndexError: There is no such item.
        """
        item = self._item(number)
        with self._lock:
            return {
                **item.shown(),
                "number": number,
                "pictures": len(item.pictures),
                "said": self._said.get(number),
                **self._progress(),
            }

    def picture(self, number: int, place: int) -> Path:
        """Return the file of one of an item's pictures.

        Raises:
            IndexError: There is no such item, or picture.
        """
        pictures = self._item(number).pictures
        if not 0 <= place < len(pictures):
            raise IndexError(f"picture must be below {len(pictures)}, got {place}")
        return pictures[place]

    def answer(self, number: int, said: Mapping[str, Any]) -> dict[str, int]:
        """Save what the person says of an item, and return the progress.

        Raises:
            IndexError: There is no such item.
            KeyError: A question has no answer.
            TypeError: An answer is no text.
            ValueError: An answer is none of the item's options.
            OSError: It could not be saved.
        """
        item = self._item(number)
        checked = item.check(said)
        with self._lock:
            self._save(item, checked)
            self._said[number] = checked
            return self._progress()

    def _item(self, number: int) -> _Item:
        if not 0 <= number < len(self.items):
            raise IndexError(f"number must be from 0 to {len(self.items) - 1}, got {number}")
        return self.items[number]
