"""Every `evaluate` module: folder, card, examples, and `evaluate`'s own ways to call it.

The walk over all folders is the contract: a new module is tested by being there.
"""

from __future__ import annotations

import ast
import doctest
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import cobsat
import cobsat.metrics
import datasets
import evaluate
import pytest
from PIL import Image

NAMES = cobsat.metrics.metric_names()
SECTIONS = (
    "How it works", "How to use", "Inputs", "Outputs", "Values from the paper", "Limits",
    "Citation", "Further references",
)  # fmt: skip
REFERENCE = {"task": "color_i", "object": "car", "attribute": "red"}


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep `evaluate`'s files of this test run out of the user's cache, and off the network."""
    home = tmp_path_factory.getbasetemp() / "evaluate-home"
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", home / "metrics")
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", home / "modules")
    monkeypatch.setattr(evaluate.config, "HF_EVALUATE_OFFLINE", True)
    return home


def folder(name: str) -> Path:
    return Path(cobsat.metrics.path(name))


def load_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"tested_{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def doctests(text: str, name: str) -> Iterator[doctest.DocTest]:
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert test.examples, f"{name} shows no example"
    yield test


def test_the_modules_are_found() -> None:
    assert {"cobsat_clip", "mention"} <= set(NAMES)
    with pytest.raises(ValueError, match="did you mean 'cobsat_clip'"):
        cobsat.metrics.path("cobsat_clp")


@pytest.mark.parametrize("name", NAMES)
def test_folder_and_card(name: str) -> None:
    files = {p.name for p in folder(name).iterdir() if p.is_file()}
    assert files == {f"{name}.py", "README.md", "app.py", "requirements.txt"}
    card = (folder(name) / "README.md").read_text("utf-8")
    head, _, body = card.removeprefix("---\n").partition("\n---\n")
    for line in ("sdk: gradio", "app_file: app.py", "- evaluate", "- metric", "title: "):
        assert line in head
    titles = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", body, flags=re.DOTALL), re.MULTILINE)
    assert titles[0] == name
    assert [title for title in SECTIONS if title not in titles] == []
    assert "cobsat" in (folder(name) / "requirements.txt").read_text("utf-8").split()


@pytest.mark.parametrize("name", NAMES)
def test_every_result_is_on_the_card(name: str) -> None:
    card = (folder(name) / "README.md").read_text("utf-8")
    text = (folder(name) / f"{name}.py").read_text("utf-8")
    metric = evaluate.load(str(folder(name)), "description")
    results = metric.compute(predictions=["a red car"], references=[REFERENCE])
    for key in results:
        assert f"**{key}**" in card, key
        assert key in text.partition("Returns:")[2].partition("Examples:")[0], key
    assert "accuracy" in results


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("file", ["card", "script"])
def test_examples(name: str, file: str) -> None:
    if file == "card":
        text = (folder(name) / "README.md").read_text("utf-8")
    else:
        tree = ast.parse((folder(name) / f"{name}.py").read_text("utf-8"))
        (text,) = (
            node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Constant)
            and node.targets[0].id == "_KWARGS_DESCRIPTION"  # type: ignore[attr-defined]
        )
    for test in doctests(str(text), f"{name} {file}"):
        outcome = doctest.DocTestRunner(verbose=False).run(test)
        assert outcome.failed == 0


@pytest.mark.parametrize("name", NAMES)
def test_app_serves_what_it_computes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradio is only on the Space: a stand-in takes its place, and calls the page's function."""
    shown: list[Any] = []

    class Interface:
        def __init__(self, fn: Any, inputs: Any, outputs: Any, title: str) -> None:
            self.fn, self.inputs, self.outputs = fn, inputs, outputs

        def launch(self) -> None:
            given = [self.example(part) for part in self.inputs]
            shown.append((self.outputs, self.fn(*given)))

        @staticmethod
        def example(part: SimpleNamespace) -> Any:
            if part.kind == "Image":
                return Image.new("RGB", (40, 40), "red")
            return part.arguments[0][0] if part.kind == "Dropdown" else part.arguments[0]

    def component(kind: str) -> Any:
        def make(*arguments: Any, **options: Any) -> SimpleNamespace:
            arguments = arguments or ("a red car",)
            return SimpleNamespace(kind=kind, arguments=arguments, options=options)

        return make

    kinds = {kind: component(kind) for kind in ("Textbox", "Dropdown", "Image", "Label")}
    monkeypatch.setitem(sys.modules, "gradio", SimpleNamespace(Interface=Interface, **kinds))
    load_file(folder(name) / "app.py").main()
    ((outputs, result),) = shown
    assert result
    assert not isinstance(outputs, list) or len(result) == len(outputs)


def test_add_batch_is_compute() -> None:
    metric = evaluate.load(cobsat.metrics.path("mention"))
    texts = ["a red car", "a blue car", "car", "a red hat and a red car", ""]
    together = metric.compute(predictions=texts, references=[REFERENCE] * 5)
    for start in range(0, 5, 2):
        part = texts[start : start + 2]
        metric.add_batch(predictions=part, references=[REFERENCE] * len(part))
    assert metric.compute() == together
    for text in texts:
        metric.add(predictions=text, references=REFERENCE)
    assert metric.compute() == together
    assert (together["accuracy"], together["accuracy_scored"]) == (0.2, 0.5)
    assert (together["object_accuracy"], together["attribute_accuracy"]) == (0.6, 0.4)
    assert (together["textual_accuracy"], together["visual_accuracy"]) == (0.4, 0.6)
    assert (together["scored"], together["unscored"]) == (2, 3)


def test_references_are_a_dataset_s_own_column(picture_folder: Path) -> None:
    options = cobsat.Options(output="description", images=str(picture_folder))
    rows = cobsat.examples("texture_ii-2shot", options=options)[:50]
    column = datasets.Dataset.from_list([{"reference": row["reference"]} for row in rows])
    metric = evaluate.load(cobsat.metrics.path("mention"))
    results = metric.compute(
        predictions=[row["target_description"] for row in rows], references=column["reference"]
    )
    assert results["accuracy"] == 1.0
    assert results["accuracy_standard_error"] == 0.0


def test_nothing_to_judge_is_an_error() -> None:
    metric = evaluate.load(cobsat.metrics.path("mention"))
    with pytest.raises(ValueError, match="at least one output, got none"):
        metric.compute(predictions=[], references=[])


def test_combined() -> None:
    both = evaluate.combine([
        evaluate.load(cobsat.metrics.path("mention")),
        evaluate.load(cobsat.metrics.path("cobsat_clip"), "description"),
    ])  # fmt: skip
    results = both.compute(predictions=["A red car.", "car"], references=[REFERENCE] * 2)
    accuracies = {key: value for key, value in results.items() if key.endswith("_accuracy_scored")}
    assert len(accuracies) == 2
    assert results["mention_accuracy"] == 0.5


def test_clip_takes_paths_images_and_counts_what_it_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    image = Image.new("RGB", (64, 48), "red")
    image.save(path)
    (tmp_path / "broken.png").write_bytes(path.read_bytes()[:40])
    metric = evaluate.load(cobsat.metrics.path("cobsat_clip"), "image")
    pictures = [str(path), image, str(tmp_path / "broken.png"), str(tmp_path / "missing.png")]
    together = metric.compute(predictions=pictures, references=[REFERENCE] * 4)
    assert (together["scored"], together["unscored"]) == (2, 2)
    assert -1 <= together["similarity"] <= 1
    for picture in pictures:
        metric.add_batch(predictions=[picture], references=[REFERENCE])
    assert metric.compute() == together
    one = metric.compute(predictions=[image], references=[REFERENCE])
    assert together["object_similarity"] == pytest.approx(one["object_similarity"], abs=1e-5)
    nothing = metric.compute(predictions=pictures[2:], references=[REFERENCE] * 2)
    assert (nothing["accuracy"], nothing["accuracy_scored"], nothing["similarity"]) == (
        0,
        None,
        None,
    )


def test_clip_counts_what_it_cut() -> None:
    metric = evaluate.load(cobsat.metrics.path("cobsat_clip"), "description")
    results = metric.compute(
        predictions=["A red car.", "A red car. " * 100, ""], references=[REFERENCE] * 3
    )
    assert (results["truncated"], results["scored"], results["unscored"]) == (1, 2, 1)


def test_unknown_configuration_is_refused() -> None:
    with pytest.raises(ValueError, match="must be 'image' or 'description', got 'audio'"):
        evaluate.load(cobsat.metrics.path("cobsat_clip"), "audio")


def test_two_processes_at_once_do_not_collide(own_cache: Path) -> None:
    code = """
import sys, cobsat.metrics, evaluate
metric = evaluate.load(cobsat.metrics.path("mention"))
reference = {"task": "color_i", "object": "car", "attribute": "red"}
word = sys.argv[1]
for number in range(40):
    metric.add_batch(predictions=[f"a {word} car"] * 5, references=[reference] * 5)
print(metric.compute()["accuracy"])
"""
    environment = os.environ | {
        "HF_MODULES_CACHE": str(own_cache / "shared-modules"),
        "HF_METRICS_CACHE": str(own_cache / "shared-metrics"),
        "HF_EVALUATE_OFFLINE": "1",
        "HF_HUB_OFFLINE": "1",
    }
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, word],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for word in ("red", "blue")
    ]
    replies = [process.communicate(timeout=300) for process in processes]
    assert [out.strip() for out, _ in replies] == ["1.0", "0.0"], replies
