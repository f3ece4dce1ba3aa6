"""What a Hub keeps: repositories, their commits and files; and how it reads cards."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass, field
from typing import Any

import yaml

LARGE = 10 * 2**20
"""Bytes from which a file of text is a large file, too; a binary one always is."""

ATTRIBUTES = b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"
_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")


class HubRefusalError(Exception):
    """An answer other than 200: its status, and what the Hub's headers say."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


@dataclass(frozen=True)
class Blob:
    """A file of a commit; `title` is that of the last commit that changed it."""

    data: bytes
    large: bool
    title: str

    @property
    def sha256(self) -> str:
        """The digest by which large files go."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def oid(self) -> str:
        """The digest by which git goes: of a large file, that of the pointer that stands for it."""
        if not self.large:
            return git_hash(self.data)
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\n"
        return git_hash(f"{pointer}size {len(self.data)}\n".encode())

    @property
    def etag(self) -> str:
        """What downloads are known by."""
        return self.sha256 if self.large else self.oid


def git_hash(data: bytes) -> str:
    """Return what `git hash-object` says of a file."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@dataclass(frozen=True)
class Commit:
    """A state of a repository."""

    sha: str
    title: str
    files: dict[str, Blob]


@dataclass
class Repo:
    """A repository: as the Hub makes it, a new one has one commit."""

    kind: str
    name: str
    private: bool
    sdk: str | None = None
    commits: list[Commit] = field(default_factory=list)

    def __post_init__(self) -> None:
        first = {".gitattributes": ATTRIBUTES}
        if self.kind == "space":
            title = self.name.partition("/")[2]
            first["README.md"] = f"---\ntitle: {title}\nemoji: x\nsdk: {self.sdk}\n---\n".encode()
        made = {path: Blob(data, False, "initial commit") for path, data in first.items()}
        self.commit("initial commit", made)

    @property
    def files(self) -> dict[str, Blob]:
        """The files of the branch main."""
        return self.commits[-1].files

    def commit(self, title: str, files: dict[str, Blob]) -> str:
        """Add a commit and return its digest."""
        told = [title, str(len(self.commits)), *(f"{p} {b.oid}" for p, b in sorted(files.items()))]
        sha = hashlib.sha1("\n".join(told).encode()).hexdigest()
        self.commits.append(Commit(sha, title, files))
        return sha

    def at(self, revision: str) -> Commit:
        """Return a commit by its digest, or that of main."""
        if revision == "main":
            return self.commits[-1]
        for commit in self.commits:
            if commit.sha == revision:
                return commit
        raise HubRefusalError(404, "Invalid rev id", "RevisionNotFound")

    def upload_mode(self, file: dict[str, Any]) -> dict[str, Any]:
        """Return how a file is to be sent, as the endpoint `preupload` tells it."""
        sample = base64.b64decode(file["sample"])
        large = file["size"] > LARGE or b"\0" in sample or not _is_text(sample)
        there = self.files.get(file["path"])
        mode = "lfs" if large else "regular"
        oid = there.etag if there else None
        return {"path": file["path"], "uploadMode": mode, "shouldIgnore": False, "oid": oid}

    def take(self, lines: list[dict[str, Any]], objects: dict[str, bytes]) -> str:
        """Make a commit of the lines that the endpoint `commit` takes, and return its digest."""
        header = lines[0]["value"]
        parent = header.get("parentCommit")
        if parent and parent != self.commits[-1].sha:
            raise HubRefusalError(412, "A commit has happened since. Please refresh and try again.")
        title, files = header["summary"], dict(self.files)
        for line in lines[1:]:
            value, path = line["value"], line["value"]["path"]
            if line["key"] == "file":
                files[path] = Blob(base64.b64decode(value["content"]), False, title)
            elif line["key"] == "lfsFile":
                if value["oid"] not in objects:
                    raise HubRefusalError(400, f"the large file of {path} was not uploaded")
                files[path] = Blob(objects[value["oid"]], True, title)
            elif line["key"] == "deletedFile":
                if files.pop(path, None) is None:
                    raise HubRefusalError(
                        404, "A file with this name doesn't exist", "EntryNotFound"
                    )
            else:
                raise HubRefusalError(501, f"this server knows no {line['key']}")
        return self.commit(title, files)


def _is_text(sample: bytes) -> bool:
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return error.start > len(sample) - 4  # cut in the middle of a character
    return True


def tree(commit: Commit, folder: str, recursive: bool, expand: bool) -> list[dict[str, Any]]:
    """Return a folder's entries as the endpoints `tree` and `paths-info` tell them."""
    prefix = f"{folder.strip('/')}/" if folder.strip("/") else ""
    found: dict[str, dict[str, Any]] = {}
    for path, blob in sorted(commit.files.items()):
        if not path.startswith(prefix):
            continue
        parents = path.removeprefix(prefix).split("/")[:-1]
        for depth in range(len(parents) if recursive else min(1, len(parents))):
            name = prefix + "/".join(parents[: depth + 1])
            found.setdefault(
                name, {"type": "directory", "path": name, "oid": git_hash(name.encode()), "size": 0}
            )
        if recursive or not parents:
            found[path] = _entry(path, blob, expand)
    if not found and prefix:
        raise HubRefusalError(404, f"{folder} does not exist on main", "EntryNotFound")
    return list(found.values())


def _entry(path: str, blob: Blob, expand: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "file", "path": path, "size": len(blob.data), "oid": blob.oid}
    if blob.large:
        entry["lfs"] = {"oid": blob.sha256, "size": len(blob.data), "pointerSize": 134}
    if expand:
        last = {"id": git_hash(blob.title.encode()), "title": blob.title}
        entry["lastCommit"] = {**last, "date": "2026-01-01T00:00:00.000Z"}
    return entry


def card_faults(card: str, kind: str) -> tuple[list[str], list[str]]:
    """Return what the Hub refuses in a card's metadata, and what it warns of."""
    match = re.match(r"\s*---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(\r?\n|$)", card, re.DOTALL)
    if match is None:
        return [], ["empty or missing yaml metadata in repo card"]
    try:
        data = yaml.safe_load(match[1])
    except yaml.YAMLError as error:
        return [f"YAML metadata must be valid, got {error}"], []
    if not isinstance(data, dict):
        return ["YAML metadata must be keys and values"], []
    errors = []
    if kind == "space":
        errors += [f'"{key}" is required' for key in ("title", "sdk") if not data.get(key)]
    bases = data.get("base_model") or []
    for base in [bases] if isinstance(bases, str) else bases:
        if not _NAME.fullmatch(base):
            errors.append(f'"base_model" with value "{base}" is not valid. Use a model id.')
    for tag in data.get("tags") or []:
        if not isinstance(tag, str):
            errors.append(f'"tags" must be strings, got {tag!r}')
    return errors + _index_faults(data.get("model-index") or []), []


def _index_faults(index: list[dict[str, Any]]) -> list[str]:
    errors = []
    for model in index:
        for result in model["results"]:
            for part, keys in (("task", ("type",)), ("dataset", ("type", "name"))):
                errors += [f'"{part}.{k}" is required' for k in keys if not result[part].get(k)]
            for metric in result["metrics"]:
                errors += [
                    f'"metrics.{k}" is required' for k in ("type", "value") if k not in metric
                ]
    return errors
