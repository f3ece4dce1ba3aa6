"""People's votes in a TouchStone run: `labels/PERSON.csv`, a table that any spreadsheet opens.

    id,vote,output
    touchstone-mini-101,win,3f2c9a51b0de4c77
    touchstone-mini-102,tie,90ab13c2d4e5f607

A vote is `win`, `tie` or `loss`: the model's answer is better than the reference answer, as good,
or worse. The columns id and vote suffice; an empty vote is not given yet, and the last row of an id
counts. `cobsat label` writes `output` too, the digest of the answer: a vote on another answer than
the one that is there now does not count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

from cobsat.spec import nearest

from .label_table import add_rows, read_rows
from .touchstone_agreement import Vote

__all__ = ["VOTES", "VoteLabel", "add_votes", "read_votes"]

NEEDED: Final = ("id", "vote")
VOTES: Final[tuple[Vote, ...]] = get_args(Vote)


@dataclass(frozen=True)
class VoteLabel:
    """What a person says of one answer.

    Attributes:
        id: The example's id.
        vote: Their vote.
        output: Digest of the answer that the person looked at, where it was written down.
    """

    id: str
    vote: Vote
    output: str | None = None


def read_votes(path: Path, ids: Collection[str]) -> tuple[dict[str, VoteLabel], list[str]]:
    """Return a person's votes by id, and what was wrong without being an error.

    Args:
        path: The table.
        ids: Those of the run's examples.

    Raises:
        ValueError: It is no such table, or a row's id or vote is unknown; the message says in
            which line.
    """
    rows, problems = read_rows(path, NEEDED)
    found = {}
    for row, where in rows:
        if row["id"] not in ids:
            raise ValueError(
                f"{where}: id must be an example's of this run, got {row['id'][:200]!r}"
            )
        found[row["id"]] = VoteLabel(
            row["id"], _vote(row["vote"], where), row.get("output") or None
        )
    return found, problems


def add_votes(path: Path, votes: Iterable[VoteLabel]) -> None:
    """Append votes, all in one step; what this returned from is on disk.

    Raises:
        ValueError: The file is no table of votes, or not in UTF-8.
    """
    add_rows(
        path,
        NEEDED,
        ({"id": vote.id, "vote": vote.vote, "output": vote.output or ""} for vote in votes),
    )


def _vote(cell: str, where: str) -> Vote:
    said = cell.lower()
    if said in VOTES:
        return said
    raise ValueError(
        f"{where}: vote must be one of {', '.join(VOTES)}, got {cell[:200]!r}"
        f"{nearest(said[:200], VOTES)}"
    )
