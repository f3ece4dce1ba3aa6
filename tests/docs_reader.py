"""A reader who does what a page of documentation says, block by block, in one folder.

Shell commands run in bash (`docs_shell.py`), `cobsat` and Python in this process. A Python block
whose first line names a file is written there, or into the table that it names. What the page says
is printed must be printed. The tables below say where the reader does otherwise than the page says;
there is no other exception.
"""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import sys
import webbrowser
from pathlib import Path
from typing import Any
from unittest import mock

import docs_commands
from chat_server import ChatServer
from cobsat.cli import main as cobsat
from docs_checkout import Checkout
from docs_pages import PAGES, Block, blocks
from docs_shell import Command, run_bash
from docs_world import STANDS_FOR, Person, World
from hub_server import HubServer

NOT_RUN = {
    "hf": "downloads from the Hub",
    "make": "installs, or runs for minutes; what it calls is tested for itself",
    "pip": "installs",
    "vllm": "wants a GPU",
}
"""Programs whose arguments are read (`docs_commands.py`), and why they are not run."""

_ONE_STEP = (
    "--max_steps=1", "--gradient_accumulation_steps=1", "--per_device_train_batch_size=1",
    "--dataset_config=color_i-2shot",
)  # fmt: skip

_SMALL = ("--model-option", "height=64", "--model-option", "width=64", "--model-option", "steps=1")
_SMALL_DRAW = ("--model-option", "draw.height=64", "--model-option", "draw.width=64")
_TINY = ("--images", "official")  # as they stand in this world: of 8 by 8 pixels

LESS = (
    (r"^cobsat (run|predict) (?!.*--limit).*--config (all|color_\*)", ("--limit=1",)),
    (r"^cobsat (run|predict) (?!.*--limit)(?!.*--config (all|color_\*))", ("--limit=2",)),
    (r"^cobsat (run|predict) .*--model transformers ", ("--model-option", "max_new_tokens=8")),
    (r"^cobsat run (?!.*--(judge|limit)).*--output description", ("--judge", "mention")),
    (r"^cobsat run (?!.*--(judge|limit|output))", ("--judge", "clip")),
    (r"^cobsat run (?!.*--images).*--model (transformers|diffusers) ", _TINY),
    (r"^cobsat (run|predict) .*--model (seed_llama|gill|emu2?) ", ("--model-option", "steps=2")),
    (
        r"^cobsat (run|predict) (?!--model transformers).*checkpoint=checkpoints",
        ("--model-option", "max_new_tokens=40"),
    ),
    (r"^cobsat judge .*checkpoint=Qwen/Qwen3", ("--judge-option", "max_tokens=8")),
    (r"^cobsat run .*--model diffusers ", _SMALL),
    (r"^cobsat run .*draw=diffusers ", _SMALL_DRAW),
    (r"^cobsat table4 (?!.*--limit)", ("--limit=1", "--model-option", "max_new_tokens=8")),
    (r"^cobsat train ", _ONE_STEP),
    (r"^cobsat train (?!.*--images)", _TINY),
    (r"^cobsat export (?!.*--config)", ("--config", "color_i-2shot")),
)
"""What a command is given more, by patterns, so that it does less."""

SHORTER = {
    "README.md": (
        ('split="test", output="description")', 'split="test[:8]", output="description")'),
        ('split="test", data_files', 'split="test[:8]", data_files'),
    ),
}
"""Page → what its Python says, and what is run in its place, to do less."""

_SIZE = re.compile(r"[\d.,]+ (bytes|kB|MB)")
"""Of a file that is sent: another one with each change to a page."""

_EXPORTED = "exported"

SERVERS = ("http://localhost:8000/v1", "http://HOST:8000/v1")
"""Addresses in the documentation, in whose place stands a server on loopback, as for OpenAI's."""

ONLINE = ("README.md", "docs/publishing.md")
"""Pages whose reader has the Hub, in whose place stands a server on loopback."""

CHECKOUTS = ("docs/add-a-theme.md",)
"""Pages that change the package: their reader works in a copy of the checkout."""

BEFORE: dict[str, str] = {
    "README.md": """
        cobsat predict --model oracle --config 'color_*-2shot' --config all-4shot --out runs/oracle
        cobsat predict --model copy --config color_i-2shot --out runs/NAME
        cobsat predict --model copy --config color_i-2shot --out runs/A
        cobsat predict --model copy --config color_ii-2shot --out runs/B
        cobsat predict --model oracle --config touchstone-mini --out runs/another
        for run in oracle NAME A B; do cobsat judge runs/$run --judge clip; done
        cobsat judge runs/another --judge touchstone --judge-option model=gpt-4
        cobsat card runs/NAME --out README.md
    """,
    "docs/touchstone.md": """
        cobsat predict --model oracle --config touchstone-mini --out runs/another
        cobsat judge runs/another --judge touchstone --judge-option model=gpt-4
        for run in A B C; do
          cobsat predict --model openai --model-option model=$run --config touchstone-mini \\
            --limit 6 --out runs/$run
        done
        for run in B C; do
          cobsat judge runs/$run --judge touchstone --judge-option model=gpt-4
        done
    """,
    "docs/publishing.md": """
        cobsat train --model_name_or_path Qwen/Qwen2.5-VL-7B-Instruct --output_dir runs/tuned
    """,
}
"""Page → what its reader has done before, elsewhere."""


class Reader:
    """One reader of one page."""

    def __init__(
        self, page: str, folder: Path, world: World, chat: ChatServer, hub: HubServer
    ) -> None:
        self.page = page
        self._folder = folder
        self._chat = chat
        self._hub = hub
        self._names: dict[str, Any] = {"__name__": "__main__"}
        self._environment: dict[str, str] = {"HOME": str(folder)}
        self._printed = ""
        self._altered = False
        self._people = 0
        self._said = io.StringIO()
        self._checkout = Checkout(folder) if page in CHECKOUTS else None
        text = PAGES[page].read_text("utf-8") + BEFORE.get(page, "")
        for name, needed in STANDS_FOR.items():
            if re.search(needed.where, text):
                world.put(name, folder)

    def read(self) -> None:
        """Do all that the page says.

        Raises:
            AssertionError: Something failed, or printed what the page does not say.
        """
        reading = {"bash": self._bash, "python": self._python, "text": self._compare}
        with self._hub.for_this_process() if self.page in ONLINE else contextlib.nullcontext():
            if before := BEFORE.get(self.page):
                self._bash(Block(self.page, 0, "bash", before))
            for block in blocks(self.page):
                assert block.language in reading, (
                    f"{block}: a fenced block must be bash, python or text, got {block.language!r}"
                )
                reading[block.language](block)

    def _bash(self, block: Block) -> None:
        self._altered = False
        self._said = io.StringIO()
        try:
            script = f"{block.text}\n{_EXPORTED}\n"
            self._printed = run_bash(script, self._folder, self._environment, self._command)
        except AssertionError as error:
            raise AssertionError(f"{block}: {error}\n{self._said.getvalue()}") from error

    def _python(self, block: Block) -> None:
        text = block.text
        if table := re.match(r"# at the end of (\w+) in (\S+)\n", text):
            assert self._checkout, f"{block}: only a checkout can be changed: CHECKOUTS"
            self._checkout.extend(table[2], table[1], text)
            return
        if block.file:
            self._write(block.file, text)
            return
        self._altered = False
        for old, new in SHORTER.get(self.page, ()):
            self._altered |= old in text
            text = text.replace(old, new)
        out = io.StringIO()
        code = compile("\n" * (block.line - 1) + text, str(PAGES[block.page]), "exec")
        with contextlib.redirect_stdout(out):
            exec(code, self._names)
        self._printed = out.getvalue()

    def _write(self, file: str, text: str) -> None:
        if self._checkout:
            self._checkout.write(file, text)
        else:
            (self._folder / file).parent.mkdir(parents=True, exist_ok=True)
            (self._folder / file).write_text(text, "utf-8")

    def _compare(self, block: Block) -> None:
        """Check that what the page shows was printed: its lines in order, `…` for what is left out.

        Raises:
            AssertionError: It was not, or the reader did otherwise than the page says.
        """
        assert not self._altered, f"{block}: shows what other commands than the page's printed"
        rest = _lines(self._printed.replace(self._hub.url, "https://huggingface.co"))
        for line in _lines(block.text):
            pattern = ".*".join(map(re.escape, line.split("…")))
            place = next((i for i, got in enumerate(rest) if re.fullmatch(pattern, got)), None)
            assert place is not None, f"{block}: {line!r} was not printed:\n{self._printed}"
            rest = rest[place + 1 :]

    def _command(self, command: Command) -> tuple[int, str]:
        """Run a command, or read its arguments; return its exit code and what it printed."""
        program = command.words[0]
        if program == _EXPORTED:  # what the reader's shell knows from now on
            self._environment = command.environment
            return 0, ""
        if self._checkout and program not in NOT_RUN:
            done = self._checkout.run(command.words)
            self._said.write(f"$ {command.line}\n{done.stdout}{done.stderr}")
            return done.returncode, done.stdout
        docs_commands.check(command)
        if program in NOT_RUN:
            return 0, ""
        words = list(command.words)
        more = [word for pattern, less in LESS if re.search(pattern, command.line) for word in less]
        self._altered |= bool(more)
        out = io.StringIO()
        with (
            contextlib.chdir(command.folder),
            mock.patch.dict("os.environ", self._variables(command)),
            mock.patch.object(webbrowser, "open", self._person(command).open),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(self._said),
        ):
            code = cobsat([*words[1:], *more]) if program == "cobsat" else _python(words[1:])
        self._said.write(f"$ {command.line}\n{out.getvalue()}")
        return code, out.getvalue()

    def _person(self, command: Command) -> Person:
        """Return who sits at the browser: another person for each page of labels."""
        self._people += command.words[:2] == ["cobsat", "label"]
        return Person(self._people)

    def _variables(self, command: Command) -> dict[str, str]:
        given = {n: v for n, v in command.environment.items() if n != "HOME"}
        if given.get("OPENAI_BASE_URL", SERVERS[0]) in SERVERS:
            given["OPENAI_BASE_URL"] = self._chat.url
        files = {
            "COBSAT_OFFICIAL_ZIP": self._folder / "datasets.zip",
            "COBSAT_TOUCHSTONE_TSV": self._folder / "touchstone_20230831.tsv",
        }
        given |= {name: str(file) for name, file in files.items() if file.exists()}
        return {**given, "OPENAI_API_KEY": "sk-none", "COLUMNS": "80"}


def _lines(text: str) -> list[str]:
    """Return the lines that say something, with single spaces, sizes of files made alike."""
    lines = (_SIZE.sub("so many bytes", " ".join(line.split())) for line in text.splitlines())
    return [line for line in lines if line]


def _python(words: list[str]) -> int:
    """Run `python -c CODE` or `python -m MODULE …`, here; return the exit code."""
    with mock.patch.object(sys, "argv", [words[1], *words[2:]]):
        try:
            if words[0] == "-c":
                exec(compile(words[1], "-c", "exec"), {"__name__": "__main__"})
            else:
                runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        except SystemExit as ended:
            return int(ended.code or 0)
    return 0
