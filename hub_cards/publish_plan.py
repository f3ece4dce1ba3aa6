"""What a repository is to hold, what it holds, and what that comes to. Pure, but for reading files.

A small file is told by the digest that git gives it, a large one by its SHA-256: both stand in the
Hub's listing, so that nothing is downloaded to see what has changed.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from huggingface_hub.utils.sha import git_hash, sha_fileobj

from .publish_files import Source, matches
from .text import visible

__all__ = [
    "Kind",
    "Plan",
    "Publication",
    "Remote",
    "There",
    "batches",
    "planned",
    "shown",
    "summary",
]

Kind: TypeAlias = Literal["model", "dataset", "space"]

MOST: Final = 20
"""Lines of one kind of change that are shown."""
FILES: Final = 200
BYTES: Final = 50 * 2**20
"""So many files, and so many bytes of small ones, go into one commit."""
LARGE: Final = 10 * 2**20
"""Bytes from which a file is sent beside the commit, whatever is in it."""
KEPT: Final = ".gitattributes"
"""The Hub's own file of a repository."""
LAST: Final = ("README.md", "index.html")
"""What says what else there is, and so goes last."""


@dataclass(frozen=True)
class Publication:
    """What a repository is to hold.

    Attributes:
        repo: ORG/NAME.
        title: The commit's.
        files: By their path in the repository.
        owned: Patterns of what is ours alone: what matches and is not in `files` is deleted.
        sdk: A Space's.
        left_out: Files that stay at home.
        notes: What a user should know before they say yes.
        seen: What the repository held when `files` were made, if they stand on it.
    """

    repo: str
    kind: Kind
    title: str
    files: Mapping[str, Source]
    owned: tuple[str, ...] = ()
    sdk: str | None = None
    left_out: Sequence[str] = ()
    notes: tuple[str, ...] = ()
    seen: There | None = None


@dataclass(frozen=True)
class Remote:
    """A file of a repository: its SHA-256 if it is a large one, else what git calls it by."""

    size: int
    digest: str
    large: bool = False


@dataclass(frozen=True)
class There:
    """What a repository holds; `head` is its last commit, None where there is no repository."""

    head: str | None = None
    private: bool = False
    files: Mapping[str, Remote] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """What is to be done, as paths in the repository."""

    publication: Publication
    there: There
    new: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    deleted: tuple[str, ...]

    @property
    def sent(self) -> tuple[str, ...]:
        """What is uploaded, in the order in which it goes."""
        paths = sorted(self.new + self.changed)
        return tuple(sorted(paths, key=lambda path: path in LAST))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.sent and not self.deleted and self.there.head is not None


def planned(publication: Publication, there: There) -> Plan:
    """Return what makes a repository hold what it is to."""
    files = publication.files
    rest = [path for path in there.files if path not in files and path != KEPT]
    new = [path for path in files if path not in there.files]
    same = {path for path in files if path in there.files and _same(files[path], there.files[path])}
    return Plan(
        publication,
        there,
        tuple(sorted(new)),
        tuple(sorted(path for path in files if path in there.files and path not in same)),
        tuple(sorted(same)),
        tuple(sorted(path for path in rest if matches(path, publication.owned))),
    )


def shown(plan: Plan, private: bool = False) -> list[str]:
    """Return a plan as lines for people."""
    publication, there = plan.publication, plan.there
    what = publication.kind if publication.sdk is None else f"{publication.sdk} {publication.kind}"
    state = "new" if there.head is None else "there"
    hidden = "private" if private or there.private else "public"
    if there.head is not None and private and not there.private:
        hidden = "public, to be private"
    lines = [f"{publication.repo} ({what}, {state}, {hidden})"]
    for label in ("new", "changed", "deleted"):
        paths = sorted(getattr(plan, label), key=lambda path: (path.count("/"), path))
        for path in paths[:MOST]:
            there_size = there.files[path].size if path in there.files else 0
            bytes_ = size(publication.files[path]) if label != "deleted" else there_size
            lines.append(f"  {label:<8} {_path(path)}  {_bytes(bytes_)}")
        if len(paths) > MOST:
            lines.append(f"  {label:<8} … and {len(paths) - MOST:,} more")
    if plan.unchanged:
        lines.append(f"  {'same':<8} {_files(len(plan.unchanged))}")
    if publication.left_out:
        named = ", ".join(map(_path, publication.left_out[:5]))
        more = len(publication.left_out) - 5
        lines.append(f"  {'stays':<8} {named}{f' and {more:,} more' if more > 0 else ''}")
    return [*lines, *(f"  note: {note}" for note in publication.notes)]


def summary(plans: Sequence[Plan]) -> str:
    """Return in a line what plans come to."""
    sent = [size(plan.publication.files[path]) for plan in plans for path in plan.sent]
    deleted = sum(len(plan.deleted) for plan in plans)
    text = f"{_files(len(sent))} to upload, {_bytes(sum(sent))}"
    return text + (f"; {_files(deleted)} to delete" if deleted else "")


def batches(plan: Plan) -> Iterator[tuple[list[str], list[str]]]:
    """Yield what goes into each commit, as paths to upload and to delete, deletions with the last.

    What was committed need not be sent again when a later one fails.
    """
    batch: list[str] = []
    bytes_ = 0
    for path in plan.sent:
        more = size(plan.publication.files[path])
        more = more if more <= LARGE else 0
        if batch and (len(batch) >= FILES or bytes_ + more > BYTES):
            yield batch, []
            batch, bytes_ = [], 0
        batch.append(path)
        bytes_ += more
    if batch or plan.deleted:
        yield batch, list(plan.deleted)


def size(source: Source) -> int:
    """Return a file's bytes."""
    return len(source) if isinstance(source, bytes) else source.stat().st_size


def _same(source: Source, remote: Remote) -> bool:
    if size(source) != remote.size:
        return False
    with io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb") as file:
        if remote.large:
            return sha_fileobj(file).hex() == remote.digest
        return git_hash(file.read()) == remote.digest


def _path(path: str) -> str:
    return re.sub(r"\s", " ", visible(path))


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"


def _bytes(count: float) -> str:
    if count < 1000:
        return f"{count:.0f} byte{'' if count == 1 else 's'}"
    for unit in ("kB", "MB"):
        count /= 1000
        if count < 1000:
            return f"{count:.3g} {unit}"
    return f"{count / 1000:.3g} GB"
