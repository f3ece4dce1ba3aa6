"""The documentation is true: what it tells a reader to do works, and prints what it shows.

Every fenced block of every page is run, in order, in one folder a page; `docs_reader.py` says what
is not, and why. Each command's arguments are read by its own parser in any case.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import datasets
import docs_commands
import pytest
import torch
from chat_server import ChatServer
from docs_pages import PAGES, ROOT, blocks, spans
from docs_reader import NOT_RUN, Reader
from docs_shell import Command, run_bash
from docs_world import World, answer
from hub_server import HubServer

LONG = (
    "README.md",
    "docs/add-a-theme.md",
    "docs/evaluate-an-api.md",
    "docs/evaluate-a-model.md",
    "docs/fine-tuning.md",
    "docs/models.md",
    "docs/publishing.md",
    "docs/touchstone.md",
)
"""Pages whose reading takes more than ten seconds."""

ELSEWHERE = {
    "--config-settings": "pip's",
    "--data-parallel-size": "vLLM's",
    "--tensor-parallel-size": "vLLM's",
}
"""Options of programs that are not here."""

pytestmark = [
    # TRL and transformers read each other's names of before the last release
    pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.*:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*use_reentrant.*:UserWarning"),
    # what opens pictures for the pipeline of transformers
    pytest.mark.filterwarnings("ignore:.*decoding and encoding capabilities of TorchVision.*"),
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(answer) as running:
        yield running


@pytest.fixture(scope="module")
def hub() -> Iterator[HubServer]:
    with HubServer() as running:
        yield running


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to read a page in, with caches of its own."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "datasets"))
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    before, threads = set(sys.modules), torch.get_num_threads()
    torch.set_num_threads(1)
    yield folder
    torch.set_num_threads(threads)
    for name in set(sys.modules) - before:  # the page's own modules
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=[pytest.mark.slow] if p in LONG else []) for p in PAGES]
)
def test_a_page_can_be_followed(
    page: str, here: Path, world: World, server: ChatServer, hub: HubServer
) -> None:
    Reader(page, here, world, server, hub).read()


@pytest.mark.parametrize("page", PAGES)
def test_every_command_is_one_that_there_is(page: str, tmp_path: Path) -> None:
    def read(command: Command) -> tuple[int, str]:
        docs_commands.check(command)
        return 0, "SOMETHING"

    for block in blocks(page):
        if block.language == "bash":
            try:
                run_bash(block.text, tmp_path, {}, read)
            except Exception as error:
                raise AssertionError(f"{block}: {error}") from error


@pytest.mark.parametrize("page", PAGES)
def test_every_option_in_a_sentence_is_one_that_there_is(page: str) -> None:
    every = docs_commands.all_options() | ELSEWHERE.keys()
    for span in spans(page):
        words = span.text.split()
        named = {word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)}
        if words[0] in docs_commands.PROGRAMS and named:
            launched = words[words.index("-m") :] if "-m" in words else words
            known = docs_commands.options_of(words) | ELSEWHERE.keys()
            if launched is not words:
                known |= every
            assert named <= known, f"{span}: no option of it is {sorted(named - known)}"
        elif words[0].startswith("--"):
            assert named <= every, f"{span}: no option of anything is {sorted(named - every)}"


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    text = PAGES[page].read_text("utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if "://" in target:
            continue
        there = (PAGES[page].parent / path).resolve() if path else PAGES[page]
        assert there.exists(), f"{page}: {target}"
        assert there.is_relative_to(ROOT), f"{page}: {target}"
        if anchor:
            heads = re.findall(r"^#+ (.*)$", there.read_text("utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
            assert anchor in slugs, f"{page}: {target}"


def test_the_index_has_every_page() -> None:
    text = PAGES["docs/README.md"].read_text("utf-8")
    for page in PAGES:
        name = page.removeprefix("docs/")
        if page.startswith("docs/") and name != "README.md":
            assert f"({name})" in text, f"docs/README.md has no link to {name}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cobsat predict --model copy --config color_i-2shot --limitt 3", "--limitt"),
        ("cobsat predic --help", "did you mean 'predict'"),
        ("no_such_program", "program in the documentation"),
        ("pip install 'cobsat[nothing]'", "extra of cobsat must be one of"),
        ("make nothing", "make nothing"),
        ("cobsat train --model_name_or_pth x --output_dir y", "did you mean"),
        ("accelerate launch --num_process 8 -m cobsat.train.sft_qwen_vl", "num_process"),
        ("false", "exit code 1"),
    ],
)
def test_what_is_wrong_is_found(text: str, message: str, tmp_path: Path) -> None:
    def read(command: Command) -> tuple[int, str]:
        docs_commands.check(command)
        return 0, ""

    with pytest.raises(Exception, match=message):
        run_bash(text, tmp_path, {}, read)


def test_each_reason_not_to_run_a_program_is_needed() -> None:
    said = "\n".join(block.text for page in PAGES for block in blocks(page))
    for program in NOT_RUN:
        assert re.search(rf"^{program} ", said, re.MULTILINE), f"no page says {program}"
