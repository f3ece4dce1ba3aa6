"""Several processes that share one run's work: who this one is, and how they meet.

    cobsat predict … --processes 8                          # eight on this machine
    torchrun --nproc-per-node 8 -m cobsat.cli predict …     # the same, and over several machines

torchrun says in the environment who is who; accelerate's `PartialState`, and with it torch, is
imported only then. Work is dealt out once, at the start: processes meet there and at the end, and
know nothing of each other in between. On a machine with GPUs each takes one of its own, so that
the device "cuda" means another one in each.
"""

from __future__ import annotations

import atexit
import logging
import os
import socket
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any, Final, TypeVar, cast

__all__ = ["ONE", "Processes", "join", "must_start", "rank", "start"]

_PATIENCE: Final = timedelta(days=365)
"""How long a process waits for others: they may draw pictures for days. A dead one is noticed at
once, by its closed connection."""

_MEETING: Final = timedelta(minutes=10)
"""How long it waits for them at the start, where a dead launcher closes no connection."""

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Processes:
    """This process among those that share the work.

    Attributes:
        index: Its number, from 0: its rank.
        count: How many there are.
        on_machine: How many of them are on this machine.
    """

    index: int = 0
    count: int = 1
    on_machine: int = 1

    @property
    def first(self) -> bool:
        """Whether this is the one that locks, merges and speaks for all."""
        return self.index == 0

    def gather(self, value: _Item) -> list[_Item]:
        """Return each process's value, in the order of their numbers, in all of them."""
        if self.count == 1:
            return [value]
        from torch.distributed import all_gather_object

        gathered: list[Any] = [None] * self.count
        with self._all_there():
            all_gather_object(gathered, value, group=_patient())
        return gathered

    def share(self, value: _Item) -> _Item:
        """Return the first process's value, in all of them."""
        if self.count == 1:
            return value
        from torch.distributed import broadcast_object_list

        shared: list[Any] = [value if self.first else None]
        with self._all_there():
            broadcast_object_list(shared, src=0, group=_patient())
        return cast(_Item, shared[0])

    def wait(self) -> None:
        """Wait until all are here."""
        self.gather(None)

    @contextmanager
    def first_alone(self) -> Iterator[None]:
        """Let the first process do something before the others begin: its mistakes are told once.

        What it downloads is there for the others.
        """
        if not self.first:
            self.wait()
        yield
        if self.first:
            self.wait()

    def deal(self, items: Iterable[_Item], size: int) -> Iterator[_Item]:
        """Yield this process's share of what all have in the same order: batches in turns.

        They are the batches that one process would make, so that what a batch's company changes
        in the last digit of a number is the same.

        >>> list(Processes(1, 2).deal("abcdefgh", 3))
        ['d', 'e', 'f']
        """
        for number, item in enumerate(items):
            if number // size % self.count == self.index:
                yield item

    def check_devices(self, options: Mapping[str, Any]) -> None:
        """Check that a model's or judge's options leave each process its own GPU.

        Raises:
            ValueError: One spreads the model over all GPUs, or names one for all.
        """
        for name, value in options.items():
            if self.on_machine == 1 or value is None:
                continue
            if name.endswith("device_map"):
                raise ValueError(
                    f"{name} must be left out with {self.on_machine} processes on a machine, got "
                    f"{value!r}: each has one GPU, and {name} spreads over all; for that, run one "
                    "process a machine (torchrun --nproc-per-node 1)"
                )
            if name.endswith("device") and ":" in str(value):
                raise ValueError(
                    f"{name} must name no single GPU with {self.on_machine} processes on a "
                    f"machine, got {value!r}: leave it out, and each takes its own"
                )

    @contextmanager
    def _all_there(self) -> Iterator[None]:
        """Say once that a process has ended, which the others notice when they meet."""
        try:
            yield
        except RuntimeError as error:
            if not self.first:
                sys.exit(2)
            raise RuntimeError(
                f"all {self.count} processes must come to the end of their work, got one that "
                "ended before: what they finished is kept, give the same command again"
            ) from error


ONE: Final = Processes()
"""A process that works alone."""


def join(asked: int | None = None) -> Processes:
    """Meet the other processes that were started with this one, if there are any.

    Args:
        asked: How many the user means.

    Raises:
        ValueError: There are not as many.
    """
    here = _joined() if _started() else ONE
    with here.first_alone():
        if asked not in (None, here.count):
            raise ValueError(
                f"processes must be as many as asked for ({asked}), got {here.count}: torchrun "
                f"--nproc-per-node {asked} -m cobsat.cli …, or no launcher and --processes {asked}"
            )
    return here


def must_start(asked: int | None) -> bool:
    """Return whether a command is to start the processes that it is asked for."""
    return asked is not None and asked > 1 and not _started()


def rank() -> int | None:
    """Return this process's number as its launcher says; None if it works alone."""
    return int(os.environ["RANK"]) if _started() else None


def start(count: int, arguments: Sequence[str]) -> int:
    """Run a command of `cobsat` in several processes on this machine, with torch's launcher.

    Returns:
        The exit code of the first that failed, or 0.

    Raises:
        RuntimeError: One was killed.
        KeyboardInterrupt: The command was stopped.
    """
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    logging.disable(logging.CRITICAL)  # the processes speak for themselves
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // count)))
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=count,
        run_id="cobsat",
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        max_restarts=0,
    )
    # -P: the working directory is no place to look for the package.
    command = elastic_launch(config, sys.executable)
    try:
        command("-P", "-m", "cobsat.cli", *arguments)
    except SignalException as stopped:
        raise KeyboardInterrupt from stopped
    except ChildFailedError as failed:
        index, failure = failed.get_first_failure()
        if failure.exitcode > 0:
            return int(failure.exitcode)
        raise RuntimeError(
            f"all {count} processes must come to the end of their work, got one that was killed "
            f"(rank {index}, {failure.signal_name()}): what they finished is kept, give the same "
            "command again"
        ) from failed
    return 0


def _started() -> bool:
    return "LOCAL_RANK" in os.environ and int(os.environ.get("WORLD_SIZE", "1")) > 1


@cache
def _patient() -> Any:
    """Return the group of all processes in which each waits as long as it takes."""
    from torch.distributed import new_group

    return new_group(backend="gloo", timeout=_PATIENCE)


@cache
def _joined() -> Processes:
    """Meet the others for the first time, and say how many there are."""
    import torch
    from accelerate import PartialState

    # PartialState sets it where it is not set, with a warning.
    os.environ.setdefault("OMP_NUM_THREADS", str(torch.get_num_threads()))
    # cpu: they meet over plain connections, which may be idle for as long as they like, while
    # NCCL's would hold the GPUs and time out.
    state = PartialState(cpu=True, backend="gloo", timeout=_MEETING)
    atexit.register(state.destroy_process_group)
    if torch.cuda.is_available():
        torch.cuda.set_device(state.local_process_index % torch.cuda.device_count())
    here = Processes(state.process_index, state.num_processes)
    machine = (socket.gethostname(), os.environ.get("GROUP_RANK"))
    there = here.gather((machine, os.getpid()))
    machines = [name for name, _ in there]
    if here.first:
        meant = int(os.environ["WORLD_SIZE"])
        if not meant == here.count == len(set(there)):
            raise RuntimeError(f"processes must be {meant}, got {len(set(there))}")
        many = len(set(machines))
        where = f" on {many} machines" if many > 1 else ""
        print(f"{here.count} processes{where} share the work", file=sys.stderr)
    return Processes(here.index, here.count, machines.count(machine))
