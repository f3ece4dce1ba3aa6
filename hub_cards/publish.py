"""`cobsat publish`: datasets, metrics, cards, reports and models, to the Hugging Face Hub.

    cobsat publish dataset export --to my-org/cobsat
    cobsat publish metrics cobsat_clip --to my-org
    cobsat publish card runs/NAME --to my-org/my-model
    cobsat publish report runs/A runs/B --to my-org/my-report
    cobsat publish model runs/tuned --to my-org/my-model-lora

Each shows what it would upload and asks. Only what has changed is sent; stopped at any moment, the
same command goes on.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from cobsat.command_line import say
from cobsat.spec import choose
from huggingface_hub.utils._validators import validate_repo_id

from .publish_files import check_keys
from .publish_hub import Hub, address, carry_out, connect, look
from .publish_plan import Kind, Publication, planned, shown, summary

__all__ = ["app", "main"]

_HELP: Final = """Publish a dataset, metrics, a card, a report or a model on the Hugging Face Hub.

Needs a token that may write: `hf auth login`, or HF_TOKEN.
Shows what it would upload and asks; --dry-run shows it only.
Only what has changed is sent, and the same command goes on where a stopped one was.
Keys, caches and half-written files never go.
"""

_To = Annotated[str, typer.Option("--to", metavar="ORG/NAME", help="The repository on the Hub.")]
_Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
_DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be done, and do nothing.")
]
_Private = Annotated[
    bool, typer.Option("--private", help="Only you, or your organization, can see it.")
]
_May = Annotated[
    bool,
    typer.Option(
        "--i-have-the-right-to",
        help="Publish pictures of others (official ones, a folder's): you have the right to.",
    ),
]
_Runs = Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, judged already.")]


@dataclass(frozen=True)
class _Way:
    """How it is done: as the options say."""

    yes: bool
    dry_run: bool
    private: bool


def main(arguments: Sequence[str]) -> None:
    """Publish what the arguments say.

    Raises:
        ConnectionError: The Hub cannot be reached, or HF_HUB_OFFLINE forbids it.
        PermissionError: There is no token that may write, or pictures are others'.
        ValueError: Something is not what it must be; the message says what.
    """
    given = list(arguments) or ["--help"]
    if app()(given, prog_name="cobsat publish", standalone_mode=False) == 130:
        raise KeyboardInterrupt  # typer has made an exit code of it


def app() -> typer.Typer:
    """Return the command with its five parts."""
    made = typer.Typer(add_completion=False, pretty_exceptions_enable=False, help=_HELP)
    for command in (dataset, metrics, card, report, model):
        made.command()(command)
    return made


def dataset(
    folder: Annotated[Path, typer.Argument(help="What `cobsat export --out FOLDER` wrote.")],
    to: _To,
    yes: _Yes = False,
    dry_run: _DryRun = False,
    private: _Private = False,
    may: _May = False,
) -> None:
    """Publish an export as a dataset: load_dataset("ORG/NAME", "color_i-2shot") then loads it.

    What is in data/ there and not in the export is deleted.
    Pictures of others (an export with --images) need --i-have-the-right-to.
    """
    from .publish_kinds import dataset as made

    way = _Way(yes, dry_run, private)
    with _publishing(to, "dataset", way) as (hub, _):
        _publish(hub, [made(folder, to, may)], way)


def metrics(
    to: Annotated[
        str, typer.Option("--to", metavar="ORG", help="Whose Spaces they become: ORG/METRIC.")
    ],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[METRIC]...", help="Their names. Default: all.")
    ] = None,
    requirement: Annotated[
        str | None,
        typer.Option(help="What pip installs in the Space for this package [default: cobsat]."),
    ] = None,
    yes: _Yes = False,
    dry_run: _DryRun = False,
    private: _Private = False,
) -> None:
    """Publish `evaluate` modules, each as a Space: evaluate.load("ORG/cobsat_clip") then loads it.

    Who loads one needs this package, as its requirements.txt says.
    Where `pip install cobsat` does not find it: --requirement 'cobsat @ git+https://…'.
    """
    from cobsat.metrics.registry import metric_names  # takes seconds to import

    from .publish_kinds import metric

    if "/" in to.strip("/"):
        raise ValueError(
            f"--to must be an organization or a user, got {to!r}: a module is loaded by the name "
            "of its Space, so that is ORG/METRIC"
        )
    known = metric_names()
    chosen = [choose("metric", name, known) for name in dict.fromkeys(names or known)]
    repos = {name: f"{to.strip('/')}/{name}" for name in chosen}
    way = _Way(yes, dry_run, private)
    with _publishing(repos[chosen[0]], "space", way) as (hub, _):
        _publish(hub, [metric(name, repo, requirement) for name, repo in repos.items()], way)


def card(
    runs: _Runs,
    to: _To,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BENCHMARK=ORG/NAME",
            help="The Hub dataset that scores are of, cobsat=… or touchstone=…; may be repeated.",
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(help="Of a tuned model: a run of its base, on the same prompts."),
    ] = None,
    yes: _Yes = False,
    dry_run: _DryRun = False,
    private: _Private = False,
    may: _May = False,
) -> None:
    """Write a model's card from its runs into its repository, as `cobsat card` writes it.

    Of a README that is there only our part, between two comments, is put in or put anew.
    The scores go into its metadata, and into .eval_results/.
    """
    from .card import dataset_names
    from .publish_kinds import card as made

    named = dataset_names(dataset or ())
    way = _Way(yes, dry_run, private)
    with _publishing(to, "model", way) as (hub, scratch):
        wanted = made(hub, runs, to, may, scratch, datasets=named, base=base)
        _publish(hub, [wanted], way)


def report(
    runs: _Runs,
    to: _To,
    yes: _Yes = False,
    dry_run: _DryRun = False,
    private: _Private = False,
    may: _May = False,
) -> None:
    """Publish the report of one or several runs as a static Space, with the pictures they made.

    It shows the prompts' pictures, too: those of others need --i-have-the-right-to.
    """
    from .publish_kinds import report as made

    way = _Way(yes, dry_run, private)
    with _publishing(to, "space", way) as (hub, scratch):
        _publish(hub, [made(hub, runs, to, may, scratch)], way)


def model(
    folder: Annotated[Path, typer.Argument(help="What `cobsat train` or `cobsat convert` made.")],
    to: _To,
    yes: _Yes = False,
    dry_run: _DryRun = False,
    private: _Private = False,
    may: _May = False,
) -> None:
    """Publish a tuned model, an adapter or a converted checkpoint: weights, settings and README.

    Checkpoints of the training, its logs and the trainer's pickled arguments stay here.
    A README that people have changed on the Hub is kept.
    Mind the licence of what it was made from.
    """
    from .publish_kinds import model as made

    way = _Way(yes, dry_run, private)
    with _publishing(to, "model", way) as (hub, _):
        _publish(hub, [made(hub, folder, to, may)], way)


@contextmanager
def _publishing(repo: str, kind: Kind, way: _Way) -> Iterator[tuple[Hub, Path]]:
    """Give the Hub and a folder to write into; what may stop it comes first."""
    validate_repo_id(repo)
    if "/" not in repo:
        raise ValueError(f"--to must be ORG/NAME, got {repo!r}")
    if not way.yes and not way.dry_run and not sys.stdin.isatty():
        raise ValueError(
            "publishing must be confirmed, got no terminal to ask at: give --yes, or --dry-run to "
            "see what would be done"
        )
    hub = connect(repo, kind)
    with tempfile.TemporaryDirectory(prefix="cobsat-publish-") as scratch:
        yield hub, Path(scratch)


def _publish(hub: Hub, wanted: Sequence[Publication], way: _Way) -> None:
    for publication in wanted:
        check_keys(publication.files)
    plans = [planned(p, p.seen or look(hub, p.repo, p.kind)) for p in wanted]
    for plan in plans:
        say("\n".join(shown(plan, way.private)))
    todo = [p for p in plans if not p.is_empty or (way.private and not p.there.private)]
    say(summary(plans) if todo else "all is there already")
    if way.dry_run:
        return
    if todo and not way.yes and not _agreed(f"Publish as {hub.user}?"):
        say("nothing was published")
        return
    for plan in plans:
        if plan in todo:
            carry_out(hub, plan, way.private)
        say(address(plan.publication.repo, plan.publication.kind))


def _agreed(question: str) -> bool:
    """Ask; the end of the input, and Ctrl-C, are a no."""
    try:
        return typer.confirm(question)
    except typer.Abort:
        say()
        return False
