"""Puts a model to a benchmark's prompts and keeps what it gives in a run folder.

    cobsat predict --model copy --config color_i-2shot --config 'background_*-4shot' --out runs/NAME
    cobsat predict --model mini-vlm --config touchstone-mini

The same command again goes on where a killed run stopped. What a model fails at is kept as an
error with its reason, and asked again with `--retry-errors`; what fails for every example stops
the run. Several processes share a run, on one machine or on many (docs/scaling.md):

    cobsat predict … --processes 8
    torchrun --nproc-per-node 8 -m cobsat.models.predict …
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from cobsat import Example, ImageSource, Prediction, RunFolder, RunSettings
from cobsat.benchmarks import Choices, Material, benchmark, benchmark_of
from cobsat.card_parts import shorten
from cobsat.command_line import parse_options, say
from cobsat.processes import ONE, Processes, join
from cobsat.progress import Advance, progress
from cobsat.run_examples import config_examples, config_ids, run_source

from .asking import answers
from .ledger import Ledger
from .prompt_order import by_prefix
from .protocol import Model, UsesImageSource
from .registry import check_tiny, load_model
from .settings import (
    check_capabilities,
    check_samples,
    default_folder,
    model_options,
    own_instructions,
    run_size,
    with_model,
)
from .spending import Spending, usage_line

__all__ = ["predict"]

STOP_AFTER: Final = 20
MAX_PROBLEMS: Final = 5


def predict(
    model: Model,
    settings: RunSettings,
    out: RunFolder | str | PathLike[str],
    *,
    batch_size: int = 16,
    stop_after: int = STOP_AFTER,
    retry_errors: bool = False,
    spending: Spending | None = None,
    processes: Processes = ONE,
    watch: Callable[[int], Any] = lambda count: None,
) -> RunFolder:
    """Ask a model for all examples of a run that its folder does not have yet.

    Args:
        model: The adapter.
        settings: What to run; a folder that holds another run is refused.
        out: The run folder, made if need be.
        batch_size: Examples that the model is given at once; one that streams takes its own.
        stop_after: The run stops when so many examples in a row raise one and the same error, and
            these are not recorded; 0 records them all.
        retry_errors: Examples that are recorded as errors are asked again.
        spending: Counts what answers cost, and ends the run early where a limit is reached.
        processes: Those that share the run, all of which make this very call; each has a share.
        watch: Is told how many more examples are done, of this process's share.

    Raises:
        ValueError: The options do not go together, the folder is another run's, or the adapter
            breaks its contract.
        RuntimeError: The model fails at everything.
        OSError: The disk is full, for one; what was written stays.
    """
    if batch_size < 1:
        raise ValueError(f"batch_size must be 1 or more, got {batch_size}")
    check_capabilities(settings.model, model.capabilities, settings)
    benchmark(settings.benchmark).check(settings)
    source = run_source(settings)
    if settings.image_digest not in ("", source.digest):
        raise ValueError(
            f"images {settings.images} must be those that the run began with (digest "
            f"{settings.image_digest[:16]}…), got others (digest {source.digest[:16]}…)"
        )
    folder = out if isinstance(out, RunFolder) else RunFolder(out)
    with processes.first_alone():
        folder.start(settings)
    if isinstance(model, UsesImageSource) and isinstance(source, ImageSource):
        model.use_image_source(source)
    spending = spending or Spending()
    alike_together = getattr(model, "by_prefix", False)

    def order() -> Iterator[str]:
        return (row["id"] for row in _pending(settings, source, set(), alike_together))

    with folder.append_predictions(processes, order) as appender:
        there = folder.predictions()[0] if processes.first else {}
        spending.start(there.values())
        # One process reads for all: what they deal out must be the same to them.
        done = processes.share(
            {p.id for p in there.values() if not (retry_errors and p.status == "error")}
        )
        ledger = Ledger(folder.path, appender, stop_after, bool(done))
        rows = processes.deal(_pending(settings, source, done, alike_together), batch_size)
        for some in answers(model, rows, batch_size, spending):
            outputs = []
            for answer in some:
                ledger.hold(answer)
                outputs.append(answer.output)
            ledger.write()
            spending.add(outputs)
            watch(len(outputs))
        ledger.close(any(processes.gather(ledger.anything_there)))
    return folder


def _pending(
    settings: RunSettings, source: Material, done: set[str], alike_together: bool
) -> Iterator[Example]:
    """Yield the examples that are not done, each once: configs may overlap."""
    for config in settings.configs:
        if done.issuperset(config_ids(config, settings)):
            continue
        rows: Iterable[Example] = config_examples(config, settings, source)
        for row in by_prefix(rows) if alike_together else rows:
            if row["id"] not in done:
                done.add(row["id"])
                yield row


def command(
    model: Annotated[
        str,
        typer.Option(
            help="A name that `cobsat models` lists, or `mypackage.module:Class`: an adapter of "
            "your own (cobsat.models.protocol.Model)."
        ),
    ],
    config: Annotated[
        list[str],
        typer.Option(
            help="color_i-2shot, a quoted pattern such as 'background_*-4shot', or all-2shot for "
            "the ten tasks; touchstone-mini, touchstone, or one of their categories "
            "(touchstone-recognition); may be repeated."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="The run folder. Default: runs/, by model, output and configs."),
    ] = None,
    split: Annotated[str, typer.Option(help="test, ft_test, …")] = "test",
    output: Annotated[
        str | None,
        typer.Option(help="image (the default) or description; of TouchStone answer, its only."),
    ] = None,
    prompt_type: Annotated[
        str | None,
        typer.Option(
            help="default, misleading, exact, caption, instruct or cot; CoBSAT's, as are "
            "instructions and seed."
        ),
    ] = None,
    instructions_for: Annotated[
        str | None,
        typer.Option(
            help="Whose instructions of App. A.1: neutral, llava, qwen_vl, …. Default: the model's "
            "own in the paper, where it has any, else neutral."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the prompt lists. Default: 123.")
    ] = None,
    images: Annotated[
        str | None,
        typer.Option(
            help="rendered (the default), official, or a folder in the official layout. Of "
            "--config touchstone: official, or a TSV file of the official form."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Only the first so many examples of each config.", min=1)
    ] = None,
    samples: Annotated[
        int,
        typer.Option(
            help="Outputs for each example, drawn with seeds of their own; scores are then single, "
            "majority and best of all. The model must draw: do_sample=true, temperature=1, ….",
            min=1,
        ),
    ] = 1,
    many_images: Annotated[
        str | None,
        typer.Option(
            help="For a model that takes one picture: error, collage (all in one picture) or last."
        ),
    ] = None,
    lora: Annotated[
        str | None,
        typer.Option("--adapter", help="LoRA weights to merge into the checkpoint: a folder."),
    ] = None,
    tiny: Annotated[
        bool,
        typer.Option(
            "--tiny",
            help="Of the papers' systems: the real architecture in a few megabytes of random "
            "weights, to try the whole path without a checkpoint.",
        ),
    ] = False,
    batch_size: Annotated[int, typer.Option(help="Examples asked at once.", min=1)] = 16,
    model_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="An option of the model, such as seed=1; may be repeated, is kept in run.json. "
            "Secrets belong in environment variables.",
        ),
    ] = None,
    stop_after: Annotated[
        int,
        typer.Option(
            help="Stop when so many examples in a row raise the same error; 0: never.", min=0
        ),
    ] = STOP_AFTER,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Ask again what is recorded as an error.")
    ] = False,
    max_cost: Annotated[
        float | None,
        typer.Option(
            help="Stop before the run costs more, all sittings together; a higher limit goes on. "
            "Needs prices.",
            min=0,
        ),
    ] = None,
    price_in: Annotated[
        float | None, typer.Option(help="Price of a million input tokens.", min=0)
    ] = None,
    price_out: Annotated[
        float | None, typer.Option(help="Price of a million output tokens.", min=0)
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(
            help="So many processes share the run, each on a GPU of its own. Started on this "
            "machine, or, under torchrun, checked.",
            min=1,
        ),
    ] = None,
) -> Path:
    """Ask a model for pictures, descriptions or answers, and keep them in a run folder.

    The same command again goes on where a stopped run was.
    """
    here = join(processes)
    with here.first_alone():
        asked = benchmark_of(config)
        plan = asked.plan(
            Choices(tuple(config), split, output, prompt_type, instructions_for, seed, images)
        )
        given = parse_options(model_option or ())
        if many_images is not None:
            given["many_images"] = many_images
        if lora is not None:
            given["adapter"] = lora
        if tiny:
            given["tiny"] = check_tiny(model)
        here.check_devices(given)
        spending = Spending(max_cost, price_in, price_out)
        if max_cost is not None and here.count > 1:
            raise ValueError(
                f"max_cost must be left out with {here.count} processes, got {max_cost:g}: each "
                "would spend it; one process asks a server for many answers at once by itself"
            )
        check_samples(model, given, samples)
        adapter = load_model(model, **model_options(model, given, plan.output))
        wording = instructions_for or own_instructions(adapter, plan)
        plan = replace(plan, instructions_for=wording)
        settings = with_model(model, adapter, given, plan, limit, samples)
        asked.check(settings)
        check_capabilities(model, adapter.capabilities, settings)
    if here.first:
        _say_what_is_asked(settings, chosen_wording=instructions_for)
    folder = RunFolder(out or default_folder(settings, config))

    before = folder.predictions()[0] if here.first else {}
    done = sum(not (retry_errors and p.status == "error") for p in before.values())
    with _progress(model, run_size(settings), done, batch_size, here) as watch:
        predict(
            adapter, settings, folder, batch_size=batch_size, stop_after=stop_after,
            retry_errors=retry_errors, spending=spending, processes=here, watch=watch,
        )  # fmt: skip
    if not here.first:
        return folder.path
    predictions, problems = folder.predictions()
    if here.count > 1:  # each has counted its own
        spending = Spending(None, price_in, price_out)
        spending.start(predictions.values())
    _say(folder, predictions, spending)
    if len(predictions) < run_size(settings) and not spending.room():
        say(
            f"stopped before the run costs more than {max_cost:g}: give the same command with a "
            "higher --max-cost to go on",
            err=True,
        )
    for problem in problems[:MAX_PROBLEMS]:
        say(f"left out, and asked again: {problem}", err=True)
    if len(problems) > MAX_PROBLEMS:
        say(f"… and {len(problems) - MAX_PROBLEMS} more broken lines", err=True)
    return folder.path


def _progress(
    model: str, total: int, done: int, batch_size: int, here: Processes
) -> AbstractContextManager[Advance]:
    """Show how far a run is; of several processes, how far the first is with its share."""
    if here.count == 1:
        return progress(f"asking {model}", total, done)
    share = sum(1 for _ in here.deal(range(total - done), batch_size))
    title = f"asking {model} (the share of the first of {here.count} processes)"
    return progress(title, share, shown=here.first)


def _say_what_is_asked(settings: RunSettings, chosen_wording: str | None) -> None:
    """Say what the user did not choose, and should know."""
    wording = settings.instructions_for
    if wording != "neutral" and chosen_wording is None:
        say(
            f"instructions: those of {wording} in the paper (App. A.1); "
            "--instructions-for neutral asks in this package's words",
            err=True,
        )
    if caution := getattr(run_source(settings), "unverified", ""):
        say(
            f"warning: {settings.images} is not the official file ({caution}): scores on it are "
            "never shown beside official ones",
            err=True,
        )


def _say(folder: RunFolder, predictions: dict[str, Prediction], spending: Spending) -> None:
    statuses = Counter(prediction.status for prediction in predictions.values())
    counts = ", ".join(f"{statuses[s]:,} {s}" for s in ("ok", "error", "blocked") if statuses[s])
    say(f"{folder.path}: {len(predictions):,} predictions ({counts})")
    cut = sum(prediction.finish_reason == "length" for prediction in predictions.values())
    if cut:
        say(f"cut at the most tokens that a reply may have: {cut:,}", err=True)
    if statuses["error"]:
        reasons = Counter(p.reason for p in predictions.values() if p.status == "error")
        say(f"errors, most often: {shorten(str(reasons.most_common(1)[0][0]), 500)}", err=True)
        say("ask again what failed: the same command with --retry-errors", err=True)
    if used := usage_line(predictions.values(), spending):
        say(used)


if __name__ == "__main__":
    from cobsat.cli import main

    sys.exit(main(["predict", *sys.argv[1:]]))
