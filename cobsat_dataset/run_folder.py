"""The run folder: what a run leaves on disk, as plain files that a person can open.

    runs/NAME/
      run.json              what ran (`RunSettings`)
      predictions.jsonl     one `Prediction` a line
      images/               generated pictures
      verdicts/JUDGE.jsonl  one `Verdict` a line
      scores/JUDGE.json     what `cobsat.metrics` made of them
      report.html, plots/   what `cobsat.hub_cards` made of them

Lines are appended while a run lasts. A half-written last line, which a killed process leaves, is
dropped and its example is done again; a broken line elsewhere is left out, counted and named. Lines
may come in any order; an id that comes twice has its first line, or, if that is an error, the next.
Where several processes write a file, each appends to a shard of it (`shards.py`).
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeVar

from .line_files import Appender, Order, replace_lines, sharing
from .processes import ONE, Processes
from .shards import shard_paths

__all__ = ["Prediction", "RunFolder", "RunSettings", "Verdict"]


@dataclass(frozen=True)
class Prediction:
    """What a model gave for one example.

    Attributes:
        id: The example's id.
        status: "ok", "error" (nothing usable came) or "blocked" (the model refused by a filter).
        text: The description, if there is one.
        image: Path of the picture, relative to the run folder, if there is one.
        image_sha256: SHA-256 of the picture's file.
        reason: Why the status is not "ok".
        finish_reason: Why a text ended ("stop", "length"), where the model says so.
        seconds: Time the model took, per example.
        usage: Tokens and the like, where the model says so.
        extra: What else the adapter wants kept: a first round's reply, a model's own id.
    """

    id: str
    status: Literal["ok", "error", "blocked"]
    text: str | None = None
    image: str | None = None
    image_sha256: str | None = None
    reason: str | None = None
    finish_reason: str | None = None
    seconds: float | None = None
    usage: dict[str, float] | None = None
    extra: dict[str, Any] | None = None


@dataclass(frozen=True)
class Verdict:
    """What a judge says of one output.

    Attributes:
        id: The example's id.
        status: "scored" when both questions have an answer, "unscored" when the judge gave none,
            "error" when the judge's call failed: then nothing is known, and it is judged again.
        object: The option that the judge saw as the object (a word of Table 1), if any.
        attribute: The option that it saw as the attribute, if any.
        object_correct: Whether it is the reference's; None without an answer.
        attribute_correct: Whether it is the reference's; None without an answer.
        reason: Why the status is not "scored".
        raw: The judge's raw replies, or its similarities.
    """

    id: str
    status: Literal["scored", "unscored", "error"]
    object: str | None = None
    attribute: str | None = None
    object_correct: bool | None = None
    attribute_correct: bool | None = None
    reason: str | None = None
    raw: dict[str, Any] | None = None

    @property
    def correct(self) -> bool:
        """Whether object and attribute are both right (Sec. 4.2)."""
        return bool(self.object_correct and self.attribute_correct)


@dataclass(frozen=True)
class RunSettings:
    """What ran: enough to make the same examples again, and to refuse another run's folder.

    Attributes:
        model: The adapter's name, as given to `cobsat predict --model`.
        configs: Config names ("color_i-2shot"), in order.
        split: "test", "ft_test", …
        output: "image", "description" or "answer".
        prompt_type: One of `cobsat.spec.PROMPT_TYPES`.
        instructions_for: Whose wordings of App. A.1 are used.
        seed: Seed of the prompt lists.
        images: The image source as given: "rendered", "official" or a folder.
        image_digest: SHA-256 over its 500 pictures.
        limit: Only the first so many examples of each config, if set.
        samples: Outputs for each example, named by `samples.sample_id`.
        asked_for: The kind of output that the prompts ask for, where the model makes another of it
            (a picture of its own description); else empty.
        benchmark: "cobsat" or "touchstone". Of the latter, `configs` are `touchstone`,
            `touchstone-mini`, or one of their categories (`touchstone-mini-recognition`), `output`
            is "answer", and `images` names the file of the questions.
        model_options: The adapter's options, its seed and its record of itself.
        versions: Versions of Python, cobsat and the libraries that took part.
    """

    model: str
    configs: tuple[str, ...]
    split: str = "test"
    output: str = "image"
    prompt_type: str = "default"
    instructions_for: str = "neutral"
    seed: int = 123
    images: str = "rendered"
    image_digest: str = ""
    limit: int | None = None
    samples: int = 1
    asked_for: str = ""
    benchmark: str = "cobsat"
    model_options: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)


class Line(Protocol):
    """What a line of a run's files is: a data class that says so much at least."""

    @property
    def id(self) -> str:
        """The example's id."""

    @property
    def status(self) -> str:
        """Where it is "error", another line of the same id may take its place."""


_Line = TypeVar("_Line", bound=Line)

_MAY_GROW: Final = ("limit", "samples")
"""Settings with which a run goes on when they grow; no limit is the largest."""


class RunFolder:
    """Reads and appends to one run's folder."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._predictions: tuple[Any, tuple[dict[str, Prediction], list[str]]] | None = None

    @property
    def predictions_path(self) -> Path:
        """`predictions.jsonl`."""
        return self.path / "predictions.jsonl"

    def verdicts_path(self, judge: str) -> Path:
        """`verdicts/JUDGE.jsonl`; slashes of a model's name become `--`."""
        return self.path / "verdicts" / f"{safe_name(judge)}.jsonl"

    def scores_path(self, judge: str) -> Path:
        """`scores/JUDGE.json`."""
        return self.path / "scores" / f"{safe_name(judge)}.json"

    def judges(self) -> list[str]:
        """Return the (safe) names of the judges that have scores here.

        LLaVA's come first, as in the paper, CLIP's and `mention` last.
        """
        names = (path.stem for path in (self.path / "scores").glob("*.json"))
        last = ("clip", "mention")
        return sorted(names, key=lambda n: (n.startswith(last), not n.startswith("llava"), n))

    def settings(self) -> RunSettings:
        """Read `run.json`.

        Raises:
            FileNotFoundError: There is none.
            ValueError: It is not a run's.
        """
        target = self.path / "run.json"
        if not self.path.exists():
            raise FileNotFoundError(f"{self.path} must be a run folder, got no such folder")
        if not target.exists():
            raise FileNotFoundError(f"{self.path} must be a run folder, got one without run.json")
        try:
            data = json.loads(target.read_text("utf-8"))
            data["configs"] = tuple(data["configs"])
            return RunSettings(**data)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{target} must be a run's settings, got {error}") from error

    def start(self, settings: RunSettings) -> None:
        """Write `run.json`, or check that the folder belongs to this very run.

        Its limit and its samples may grow: the run then goes on.

        Raises:
            ValueError: The folder holds another run; the message names what differs.
        """
        if not (self.path / "run.json").exists():
            self.path.mkdir(parents=True, exist_ok=True)
            write_json(self.path / "run.json", asdict(settings))
            return
        old = self.settings()
        there = json.loads(json.dumps(asdict(old)))
        here = json.loads(json.dumps(asdict(settings)))
        may_differ = ("versions", *_MAY_GROW)
        differing = [k for k in here if k not in may_differ and here[k] != there.get(k)]
        if differing:
            told = (each for k in differing for each in _told(k, there.get(k), here[k]))
            what = "; ".join(dict.fromkeys(told))  # an option may stand in the model's record too
            raise ValueError(
                f"{self.path} must be a new folder or this run's own, got another run's "
                f"({what}): name another folder with --out"
            )
        grown = {key: here[key] for key in _MAY_GROW if here[key] != there.get(key)}
        for key, now in grown.items():
            before = there.get(key)
            if now is not None and (before is None or now < before):
                least = "none, as" if before is None else f"{before} or more, as"
                raise ValueError(
                    f"{key} must be {least} the run in {self.path} began, got {now}: name "
                    "another folder with --out"
                )
        if grown:
            write_json(self.path / "run.json", asdict(replace(old, **grown)))

    def predictions(self) -> tuple[dict[str, Prediction], list[str]]:
        """Return predictions by id, and what was wrong; files that are as they were are not read.

        Who is given them changes nothing in them.
        """
        state = _state(self.predictions_path)
        if self._predictions is None or self._predictions[0] != state:
            self._predictions = state, _read(self.predictions_path, Prediction)
        return self._predictions[1]

    def verdicts(self, judge: str) -> tuple[dict[str, Verdict], list[str]]:
        """Return one judge's verdicts by id, and what was wrong."""
        return self.verdicts_of(judge, Verdict)

    def verdicts_of(self, judge: str, kind: type[_Line]) -> tuple[dict[str, _Line], list[str]]:
        """Return one judge's verdicts, lines of another kind than `Verdict`, likewise."""
        return _read(self.verdicts_path(judge), kind)

    @contextmanager
    def append_predictions(
        self, processes: Processes = ONE, order: Order = tuple
    ) -> Iterator[Appender]:
        """Open `predictions.jsonl` for appending, its half-written last line dropped.

        Of several processes each opens its shard; all must come here, and at the end the shards
        are merged. So are those that a killed job left.
        """
        with sharing(self.predictions_path, processes, order) as appender:
            yield appender

    @contextmanager
    def append_verdicts(
        self, judge: str, processes: Processes = ONE, order: Order = tuple
    ) -> Iterator[Appender]:
        """Open `verdicts/JUDGE.jsonl` in the same way."""
        with sharing(self.verdicts_path(judge), processes, order) as appender:
            yield appender

    def replace_verdicts(self, judge: str, verdicts: Iterable[Line]) -> None:
        """Write a judge's verdicts in one step in place of all that are there."""
        replace_lines(self.verdicts_path(judge), verdicts)  # type: ignore[arg-type]


def safe_name(name: str) -> str:
    """Return a name that is one path component: `org/model` becomes `org--model`."""
    cleaned = "".join(c if c.isalnum() or c in "._-" else "--" for c in name)
    return cleaned.lstrip(".") or "unnamed"


def is_disk_full(error: BaseException) -> bool:
    """Return whether an error says that nothing more can be written (no space, a quota)."""
    full = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return isinstance(error, OSError) and error.errno in full


def write_json(path: Path, data: object) -> None:
    """Write JSON in one step, so that a killed process leaves the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    partial.write_text(text, encoding="utf-8", errors="backslashreplace")
    os.replace(partial, path)


def _read(path: Path, kind: type[_Line]) -> tuple[dict[str, _Line], list[str]]:
    """Return what a file and its shards hold, by id, and what was wrong."""
    records: dict[str, _Line] = {}
    problems: list[str] = []
    # Shards before the file itself: what is merged in the meantime is then there twice, not never.
    parts = [(f"{shard.parent.name}/{shard.name}", _bytes(shard)) for shard in shard_paths(path)]
    parts.insert(0, (path.name, _bytes(path)))
    known = {f.name for f in fields(kind)}  # type: ignore[arg-type]
    for name, data in parts:
        lines = data.split(b"\n")
        for number, line in enumerate(lines[:-1], start=1):  # the last is empty, or half-written
            try:
                given = json.loads(line.decode())  # from bytes it takes a quarter longer
                record = kind(**{k: v for k, v in given.items() if k in known})
                if not isinstance(record.id, str):
                    raise TypeError("id must be a string")
            except (ValueError, TypeError, AttributeError) as error:
                problems.append(f"{name}, line {number}: {error}")
                continue
            earlier = records.get(record.id)
            if earlier is None or earlier.status == "error":
                records[record.id] = record
    return records, problems


def _told(name: str, there: Any, here: Any) -> list[str]:
    """Return in words where two settings differ: of mappings, within them.

    >>> _told("model_options", {"options": {"steps": 5, "seed": 0}}, {"options": {"steps": 2}})
    ['steps: 5 there, 2 now', 'seed: 0 there, None now']
    """
    if isinstance(there, dict) and isinstance(here, dict):
        names = list(dict.fromkeys([*there, *here]))
        return [
            said
            for each in names
            if there.get(each) != here.get(each)
            for said in _told(each, there.get(each), here.get(each))
        ]
    return [f"{name}: {there!r} there, {here!r} now"]


def _state(path: Path) -> list[tuple[str, int, int, int]]:
    """Return what tells a file and its shards from changed ones: an added line makes one longer."""
    found = []
    for file in (path, *shard_paths(path)):
        with suppress(FileNotFoundError):
            there = file.stat()
            found.append((str(file), there.st_ino, there.st_size, there.st_mtime_ns))
    return found


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
