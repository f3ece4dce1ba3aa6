"""What a report says about runs: their settings, scores and verdicts, read and checked.

A report stands on the run folder alone (`cobsat.RunFolder`): `run.json`, the predictions, and for
each judge its verdicts and its scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cobsat import Example, ImageSource, Prediction, RunFolder, RunSettings, Verdict
from cobsat.images import image_source
from cobsat.layout import LABELS
from cobsat.run_examples import run_examples
from cobsat.run_folder import safe_name

from .report_intervals import with_intervals
from .report_scores import Scores, read_scores


@dataclass(frozen=True)
class Run:
    """One run, as far as it has come.

    Attributes:
        label: What tells it from the other runs of the report.
        scores, verdicts: By judge.
        source: Its pictures; without paths where they cannot be had any more.
        notices: What a reader must know before trusting the numbers.
    """

    folder: RunFolder
    label: str
    settings: RunSettings
    predictions: Mapping[str, Prediction]
    scores: Mapping[str, Scores]
    verdicts: Mapping[str, Mapping[str, Verdict]]
    source: ImageSource
    notices: tuple[str, ...]

    def examples(self) -> Iterator[Example]:
        """Yield the run's examples, each once, in order."""
        return run_examples(self.settings, self.source)


def read_run(path: Path) -> Run:
    """Read a run folder that has been judged at least once.

    Raises:
        FileNotFoundError: It is no run folder, or has no scores yet.
        ValueError: Its settings or scores are not what `cobsat` writes.
    """
    folder = RunFolder(path)
    settings = folder.settings()
    judges = [judge for judge in folder.judges() if safe_name(judge) == judge]
    if not judges:
        raise FileNotFoundError(
            f"{path} must have scores, got none: judge it first with `cobsat judge {path}`"
        )
    scores = {judge: read_scores(folder.scores_path(judge), judge) for judge in judges}
    predictions, problems = folder.predictions()
    verdicts: dict[str, dict[str, Verdict]] = {}
    notices: list[str] = [_broken(problems)] if problems else []
    for judge in judges:
        verdicts[judge], problems = folder.verdicts(judge)
        notices += [_broken(problems)] if problems else []
    source, trouble = _source(settings)
    notices += [trouble] if trouble else []
    scores = {
        judge: with_intervals(
            of_judge, run_examples(settings, source), predictions, verdicts[judge]
        )
        for judge, of_judge in scores.items()
    }
    notices += _partial(folder, settings, source, predictions, verdicts)
    return Run(
        folder=folder,
        label=path.resolve().name,
        settings=settings,
        predictions=predictions,
        scores=scores,
        verdicts=verdicts,
        source=source,
        notices=tuple(notices),
    )


def check_comparable(paths: Sequence[Path]) -> None:
    """Check that runs may stand in one table.

    Raises:
        FileNotFoundError: One is no run folder.
        ValueError: They ran on different pictures, or one is named twice; the message says which.
    """
    resolved = [path.resolve() for path in paths]
    for path in resolved:
        if resolved.count(path) > 1:
            raise ValueError(f"runs must differ, got {path} twice")
    settings = [RunFolder(path).settings() for path in paths]
    for path, other in zip(paths[1:], settings[1:], strict=True):
        if _pictures_of(settings[0]) != _pictures_of(other):
            raise ValueError(
                f"runs of one report must be on the same pictures, got "
                f"{_named(paths[0], settings[0])} and {_named(path, other)}: their scores cannot "
                "be compared, write a report for each"
            )


def _source(settings: RunSettings) -> tuple[ImageSource, str]:
    """Return a run's pictures, or a source without paths and the reason."""
    try:
        source = image_source(settings.images)
    except OSError as error:
        reason = f"they cannot be had here: {error}"
    else:
        if not settings.image_digest or source.digest == settings.image_digest:
            return source, ""
        reason = (
            f"{settings.images!r} has digest {source.digest[:12]} here, the run had "
            f"{settings.image_digest[:12]}"
        )
    nothing = dict.fromkeys(LABELS, "")
    empty = ImageSource(Path(settings.images).name, settings.image_digest, nothing, nothing)
    return empty, f"The prompts' pictures are not shown: {reason}."


def _partial(
    folder: RunFolder,
    settings: RunSettings,
    source: ImageSource,
    predictions: Mapping[str, Prediction],
    verdicts: Mapping[str, Mapping[str, Verdict]],
) -> list[str]:
    notices = []
    what = "outputs" if settings.samples > 1 else "examples"
    ids = {example["id"] for example in run_examples(settings, source)}
    missing = len(ids - predictions.keys())
    if missing:
        notices.append(
            f"Partial: {missing:,} of {len(ids):,} {what} have no prediction yet and are in no "
            "score (cobsat predict goes on where it stopped)."
        )
    foreign = len(predictions.keys() - ids)
    if foreign:
        notices.append(f"{foreign:,} predictions belong to no example of this run; not shown.")
    for judge, found in verdicts.items():
        unjudged = len((ids & predictions.keys()) - found.keys())
        if unjudged:
            notices.append(
                f"Partial: {unjudged:,} predictions have no verdict by {judge} "
                "and are in none of its scores (cobsat judge goes on where it stopped)."
            )
    unfinished = {p.stem for p in (folder.path / "verdicts").glob("*.jsonl")} - verdicts.keys()
    if unfinished:
        notices.append(
            f"Not shown: {', '.join(sorted(unfinished))} has verdicts but no scores yet "
            "(cobsat judge goes on where it stopped)."
        )
    return notices


def _broken(problems: Sequence[str]) -> str:
    lines = "1 broken line was" if len(problems) == 1 else f"{len(problems):,} broken lines were"
    return f"{lines} left out ({problems[0]}{', …' if len(problems) > 1 else ''})."


def _pictures_of(settings: RunSettings) -> str:
    return settings.image_digest or settings.images


def _named(path: Path, settings: RunSettings) -> str:
    digest = settings.image_digest[:12]
    return f"{settings.images}{f' ({digest})' if digest else ''} in {path}"
