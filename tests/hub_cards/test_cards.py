"""One contract for every card that the repository ships or can write.

Metadata are read by the Hub's own classes, text by a Markdown parser, commands by the commands'
own parsers. A new folder with a card is held to it by being there; `card_makers.py` has the rest.
"""

from __future__ import annotations

import ast
import doctest
import json
import math
import re
import shlex
from dataclasses import dataclass
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import datasets
import pytest
import typer
import yaml
from card_makers import MAKERS, SHIPPED, kind_of, made
from cobsat.cli import COMMANDS, OWN_ARGUMENTS, load_command
from cobsat.command_line import parse_options
from cobsat.metrics.registry import JUDGES, judge_parameters
from cobsat.models.registry import MODELS, chosen_class
from huggingface_hub import DatasetCard, ModelCard, RepoCard, SpaceCard
from huggingface_hub._eval_results import parse_eval_result_entries
from huggingface_hub.repocard_data import model_index_to_eval_results
from huggingface_hub.utils._validators import validate_repo_id
from markdown_it import MarkdownIt
from markdown_it.token import Token

NAMES = [*SHIPPED, *MAKERS]
CLASSES = {"model": ModelCard, "dataset": DatasetCard, "metric": SpaceCard, "report": SpaceCard}
NEEDED = {
    "model": {"tags", "pipeline_tag"},
    "dataset": {"pretty_name", "language", "license", "task_categories", "size_categories", "tags",
                "configs", "dataset_info"},
    "metric": {"title", "emoji", "colorFrom", "colorTo", "sdk", "app_file", "tags", "description"},
    "report": {"title", "emoji", "colorFrom", "colorTo", "sdk", "app_file", "tags"},
}  # fmt: skip
SECTIONS = {
    "metric": {"How it works", "How to use", "Inputs", "Outputs", "Limits", "Citation"},
    "dataset": {"What it is for", "Rows", "Pictures", "Limits", "Sizes", "Citation"},
    "model": {"Limits"},
    "report": set(),
}
HUB_TASKS = {
    "any-to-any", "image-text-to-text", "text-to-image", "visual-question-answering",
    "zero-shot-image-classification",
}  # fmt: skip
"""Those of the Hub's tasks that ours are."""
LICENSES = {"apache-2.0", "mit", "other"}
COLORS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
MARKDOWN = MarkdownIt("commonmark").enable("table").enable("strikethrough")


@dataclass(frozen=True)
class Card:
    """A card: where it lies, its metadata as they are written, and its text."""

    kind: str
    path: Path
    data: dict[str, Any]
    text: str

    @property
    def tokens(self) -> list[Token]:
        """All tokens of its text, those within lines too."""
        flat: list[Token] = []
        for token in MARKDOWN.parse(self.text):
            flat += [token, *(token.children or [])]
        return flat

    def fences(self, language: str) -> list[str]:
        """Return its blocks of code in a language."""
        return [t.content for t in self.tokens if t.type == "fence" and t.info == language]


@pytest.fixture(scope="module")
def known() -> dict[str, Card]:
    """The cards that were made already."""
    return {}


@pytest.fixture
def card(request, known, tmp_path_factory, make_run) -> Card:
    """Return a card, written once a module."""
    name = request.param
    if name not in known:
        path = made(name, tmp_path_factory.mktemp("card"), make_run)
        raw = path.read_text("utf-8")
        read = CLASSES[kind_of(name)](raw)
        block = raw.split("---\n")[1]
        known[name] = Card(kind_of(name), path, yaml.safe_load(block), read.text)
        assert read.data.to_dict() == known[name].data, "the Hub's class reads what is written"
    return known[name]


each = pytest.mark.parametrize("card", NAMES, indirect=True)
each_model = pytest.mark.parametrize(
    "card", [name for name in NAMES if kind_of(name) == "model"], indirect=True
)
each_dataset = pytest.mark.parametrize(
    "card", [name for name in NAMES if kind_of(name) == "dataset"], indirect=True
)
each_space = pytest.mark.parametrize(
    "card", [name for name in NAMES if kind_of(name) in ("metric", "report")], indirect=True
)


def test_every_card_of_the_repository_is_held_to_it() -> None:
    kinds = {name: kind_of(name) for name in SHIPPED}
    assert {
        "models/mini_vlm",
        "models/mini_vlm_base",
        "metrics/mini_clip",
        "metrics/mini_llava",
    } == {name for name, kind in kinds.items() if kind == "model"}
    assert {"metrics/cobsat_clip", "metrics/touchstone"} <= {
        name for name, kind in kinds.items() if kind == "metric"
    }


# --- metadata ------------------------------------------------------------------------------------


@each
def test_metadata_have_what_their_kind_needs(card: Card) -> None:
    assert NEEDED[card.kind] <= set(card.data)
    assert not [key for key, value in card.data.items() if value in (None, "", [], {})]
    assert len(set(card.data["tags"])) == len(card.data["tags"]) > 0
    for tag in card.data["tags"]:
        assert isinstance(tag, str)
        assert re.fullmatch(r"[a-z0-9][a-z0-9_-]*", tag), tag


@each
def test_licence_tasks_and_languages_are_the_hubs(card: Card) -> None:
    if "license" in card.data:
        assert card.data["license"] in LICENSES
        assert ("license_name" in card.data) == (card.data["license"] == "other")
    tasks = [card.data.get("pipeline_tag"), *card.data.get("task_categories", [])]
    assert {task for task in tasks if task} <= HUB_TASKS
    lists = resources.files("datasets.utils") / "resources"
    for key, file in (("language", "languages"), ("size_categories", "size_categories")):
        allowed = json.loads((lists / f"{file}.json").read_text("utf-8"))
        assert set(card.data.get(key, [])) <= set(allowed)


@each_model
def test_what_a_model_was_made_of_is_a_name_of_the_hub(card: Card) -> None:
    if "base_model" in card.data:
        validate_repo_id(card.data["base_model"])
    assert card.data.get("library_name", "cobsat") in {"cobsat", "peft", "transformers"}


@each_model
def test_scores_in_the_metadata_are_complete(card: Card) -> None:
    if "model-index" not in card.data:
        assert "from runs" not in card.text
        return
    for model in card.data["model-index"]:
        assert model["name"].strip()
        for result in model["results"]:
            dataset, task = result["dataset"], result["task"]
            for value in (task["type"], dataset["type"], dataset["name"]):
                assert isinstance(value, str)
                assert value.strip()
            for key in ("config", "split"):
                assert isinstance(dataset[key], str)
                assert dataset[key]
            assert result["metrics"]
            for metric in result["metrics"]:
                value = metric["value"]
                assert isinstance(value, int | float)
                assert not isinstance(value, bool)
                assert math.isfinite(value)
                assert isinstance(metric["type"], str)
                assert isinstance(metric["name"], str)
    _, read = model_index_to_eval_results(card.data["model-index"])
    written = [m for model in card.data["model-index"] for r in model["results"]
               for m in r["metrics"]]  # fmt: skip
    assert len(read) == len(written) > 0


@each_model
def test_entries_for_a_benchmark_are_those_of_the_card(card: Card) -> None:
    files = sorted((card.path.parent / ".eval_results").glob("*.yaml"))
    for file in files:
        entries = parse_eval_result_entries(yaml.safe_load(file.read_text("utf-8")))
        _, results = model_index_to_eval_results(card.data["model-index"])
        there = {(r.dataset_type, r.dataset_config, r.metric_value) for r in results}
        assert {(e.dataset_id, e.task_id, e.value) for e in entries} <= there
        assert entries
    named = any("/" in r["dataset"]["type"] for m in card.data.get("model-index", [])
                for r in m["results"])  # fmt: skip
    assert bool(files) == named


@each_dataset
def test_a_datasets_files_columns_and_tasks_are_there(card: Card) -> None:
    folder = card.path.parent
    names = [config["config_name"] for config in card.data["configs"]]
    infos = card.data["dataset_info"]
    infos = {info["config_name"]: info for info in ([infos] if isinstance(infos, dict) else infos)}
    assert set(infos) == set(names)
    assert len(names) == len(set(names))
    for config in card.data["configs"]:
        info = datasets.DatasetInfo._from_yaml_dict(infos[config["config_name"]])
        assert set(info.splits) == {split["split"] for split in config["data_files"]}
        for split in config["data_files"]:
            files = [str(folder / path) for path in split["path"]]
            rows = datasets.Dataset.from_parquet(files, cache_dir=str(folder.parent / "cache"))
            assert rows.num_rows == info.splits[split["split"]].num_examples
            assert rows.features == info.features
    tasks = yaml.safe_load((folder / "eval.yaml").read_text("utf-8"))["tasks"]
    splits = {(c["config_name"], s["split"]) for c in card.data["configs"] for s in c["data_files"]}
    assert {(task["config"], task["split"]) for task in tasks} <= splits
    assert len({task["id"] for task in tasks}) == len(tasks) > 0


@each_space
def test_a_space_starts(card: Card) -> None:
    assert card.data["sdk"] == {"metric": "gradio", "report": "static"}[card.kind]
    assert (card.path.parent / card.data["app_file"]).is_file()
    assert {card.data["colorFrom"], card.data["colorTo"]} <= COLORS
    if card.kind == "metric":
        assert {"evaluate", "metric"} <= set(card.data["tags"])
    assert len(card.data["emoji"].rstrip("\N{VARIATION SELECTOR-16}")) == 1


# --- text ----------------------------------------------------------------------------------------


@each
def test_it_has_a_title_and_its_sections_say_something(card: Card) -> None:
    lines = re.sub(r"(?ms)^```.*?^```", "code", card.text).splitlines()
    heads = {n: line for n, line in enumerate(lines) if re.match(r"#{1,6} ", line)}
    assert next(iter(heads.values())).startswith("# ")
    assert sum(line.startswith("# ") for line in heads.values()) == 1
    places = [*heads, len(lines)]
    for start, end in pairwise(places):
        deeper = end < len(lines) and len(lines[end].split()[0]) > len(lines[start].split()[0])
        assert deeper or "".join(lines[start + 1 : end]).strip(), lines[start]
    titles = {line.lstrip("#").strip() for line in heads.values()}
    needed = SECTIONS[card.kind] if card.path.parent.parent.name != "card" else set()
    shipped_models = {"What it is good for, and what not", "Scores", "How it was trained"}
    assert needed <= titles or shipped_models <= titles


@each
def test_links_and_pictures_are_there(card: Card) -> None:
    for token in card.tokens:
        address = token.attrGet("href") or token.attrGet("src")
        if address is None:
            continue
        parts = urlsplit(str(address))
        if parts.scheme or parts.netloc:
            assert parts.scheme == "https", address
            assert re.fullmatch(r"[\w.-]+\.[a-z]+", parts.netloc), address
        elif parts.path:
            home = card.path.parent.resolve()
            target = (home / unquote(parts.path)).resolve()
            assert target.is_relative_to(home), address
            assert target.is_file(), address
        else:
            anchors = {re.sub(r"[^\w -]", "", t.content.lower()).replace(" ", "-")
                       for t in card.tokens if t.type == "inline"}  # fmt: skip
            assert parts.fragment in anchors, address


@each
def test_tables_are_well_formed(card: Card) -> None:
    text = re.sub(r"(?ms)^```.*?^```", lambda m: "\n" * m[0].count("\n"), card.text)
    lines = text.splitlines()
    inside: set[int] = set()
    for token in MARKDOWN.parse(text):
        if token.type == "table_open":
            first, last = token.map  # type: ignore[misc]
            inside |= set(range(first, last))
            bars = [len(re.findall(r"(?<!\\)\|", line)) for line in lines[first:last]]
            assert len(set(bars)) == 1, lines[first : first + 3]
            assert all(line.startswith("|") and line.endswith("|") for line in lines[first:last])
    assert [line for n, line in enumerate(lines) if line.startswith("|") and n not in inside] == []


@each
def test_no_markup_of_others_and_no_path_of_this_machine(card: Card) -> None:
    html = [t.content for t in card.tokens if t.type in ("html_block", "html_inline")]
    assert {line.strip() for line in html} <= {
        "<!-- cobsat:begin -->", "<!-- cobsat:end -->",
        "<details><summary>By subtask</summary>", "</details>",
    }  # fmt: skip
    raw = card.path.read_text("utf-8")
    assert str(card.path.parent.parent) not in raw
    assert not re.search(r"(?<![\w.])/(tmp|home|work|root|Users)/", raw)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", raw)


@each
def test_citations_are_bibtex(card: Card) -> None:
    for block in card.fences("bibtex"):
        assert block.count("{") == block.count("}")
        assert re.findall(r"(?m)^@article\{\w+,$", block)
    if "Citation" in SECTIONS[card.kind]:
        assert card.fences("bibtex")


# --- what it tells to do -------------------------------------------------------------------------


def commands(card: Card) -> list[str]:
    """Return every command of ours: those of the blocks, and those within lines (`cobsat …`)."""
    found = []
    for block in card.fences("bash"):
        joined = block.replace("\\\n", " ")
        found += [line for line in joined.splitlines() if line.strip().startswith("cobsat ")]
    inline = [t.content for t in card.tokens if t.type == "code_inline"]
    return found + [text for text in inline if text.startswith("cobsat ")]


def parsed(arguments: list[str], whole: bool = True) -> dict[str, Any]:
    """Return what a command's own parser makes of arguments, whether or not they are all."""
    app = typer.Typer(add_completion=False)
    app.command()(load_command(arguments[0]))
    command = typer.main.get_command(app)
    if not whole:
        for parameter in command.params:
            parameter.required = False
    return command.make_context(f"cobsat {arguments[0]}", arguments[1:]).params


def listed(value: Any) -> list[str]:
    """Return what an option was given, once or several times."""
    return [value] if isinstance(value, str) else list(value or [])


@each
def test_every_command_is_one_with_real_options(card: Card) -> None:
    inline = {t.content for t in card.tokens if t.type == "code_inline"}
    for line in commands(card):
        _, *arguments = shlex.split(line, comments=True)
        assert arguments[0] in COMMANDS, line
        if arguments[0] in OWN_ARGUMENTS or len(arguments) == 1:
            assert arguments[1:] in ([], ["--help"]), line
            continue
        given = parsed(arguments, whole=line not in inline)
        model = given.get("model")
        options = parse_options(given.get("model_option") or [])
        if model in MODELS and options:
            chosen_class(model, options)  # refuses an option that the model has not
        for judge in listed(given.get("judge")):
            assert judge in JUDGES or ":" in judge, line
            for option in given.get("judge_option") or []:
                whose, dot, key = option.partition("=")[0].rpartition(".")
                if not dot or whose == judge:
                    assert key in judge_parameters(judge), line


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("cobsat run --modle copy", "No such option"),
        ("cobsat card", "Missing"),
        ("cobsat label runs/a runs/b --persn me", "No such option"),
    ],
)
def test_the_parser_refuses_what_is_no_option(line: str, wrong: str) -> None:
    with pytest.raises(Exception, match=wrong):
        parsed(shlex.split(line)[1:])


def test_cards_of_runs_name_commands(known: dict[str, Card], tmp_path_factory, make_run) -> None:
    for name in ("a model, from runs", "a trained adapter", "a converted seed_llama"):
        path = made(name, tmp_path_factory.mktemp("card"), make_run)
        found = commands(Card("model", path, {}, RepoCard(path.read_text("utf-8")).text))
        assert any("--model" in line for line in found), name


@each
def test_python_can_be_read(card: Card) -> None:
    for block in card.fences("python"):
        code = block
        if ">>>" in block:
            code = "".join(e.source for e in doctest.DocTestParser().get_examples(block))
        ast.parse(code)
