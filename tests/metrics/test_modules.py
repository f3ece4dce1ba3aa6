"""Every `evaluate` module: folder, card, examples, and `evaluate`'s own ways to call it.

The walk over all folders is the contract: a new module is tested by being there. What it takes and
gives is learned from its own examples: every `compute` that they call is listened to, and replayed.
"""

from __future__ import annotations

import ast
import doctest
import functools
import importlib.util
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
LISTS = ("Dropdown", "Radio")
"""Components whose first argument is a list of choices; others take their value there."""
REFERENCE = {"task": "color_i", "object": "car", "attribute": "red"}


pytestmark = pytest.mark.usefixtures("evaluate_home")


def folder(name: str) -> Path:
    return Path(cobsat.metrics.path(name))


def load_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"tested_{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Call:
    """One call of `compute` in a module's examples.

    Attributes:
        config: The configuration that was loaded.
        features: What the module takes.
        inputs: The columns that were given.
        options: The other arguments.
        results: What came back.
    """

    config: str
    features: Any
    inputs: dict[str, Any]
    options: dict[str, Any]
    results: dict[str, Any]

    def load(self, name: str) -> evaluate.EvaluationModule:
        return evaluate.load(str(folder(name)), self.config)

    @property
    def judges(self) -> bool:
        """Whether the module grades outputs against the dataset's references."""
        sets = self.features if isinstance(self.features, list) else [self.features]
        references = [features.get("references") for features in sets]
        return any(isinstance(r, dict) and set(r) == set(REFERENCE) for r in references)


def example_text(name: str, file: str) -> str:
    """Return the card, or the script's part of the documentation that holds its examples."""
    if file == "card":
        return (folder(name) / "README.md").read_text("utf-8")
    tree = ast.parse((folder(name) / f"{name}.py").read_text("utf-8"))
    (text,) = (
        node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and node.targets[0].id == "_KWARGS_DESCRIPTION"  # type: ignore[attr-defined]
    )
    return str(text)


@functools.cache
def played(name: str, file: str) -> tuple[int, tuple[Call, ...]]:
    """Run the examples of a card or a script: return failures, and the calls that they made."""
    test = doctest.DocTestParser().get_doctest(
        example_text(name, file), {}, f"{name} {file}", None, 0
    )
    assert test.examples, f"the {file} of {name} shows no example"
    with listening() as calls:
        outcome = doctest.DocTestRunner(verbose=False).run(test)
    return outcome.failed, tuple(calls)


def calls_of(name: str) -> list[Call]:
    return [call for file in ("card", "script") for call in played(name, file)[1]]


@contextmanager
def listening() -> Iterator[list[Call]]:
    calls: list[Call] = []
    compute = evaluate.EvaluationModule.compute

    def heard(self: evaluate.EvaluationModule, **given: Any) -> Any:
        """Compute (`evaluate` copies the function, and writes on after its docstring)."""
        results = compute(self, **given)
        inputs = {k: given.pop(k) for k in self._feature_names() if k in given}
        calls.append(Call(self.config_name, self.features, inputs, given, dict(results)))
        return results

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate.EvaluationModule, "compute", heard)
        yield calls


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
@pytest.mark.parametrize("file", ["card", "script"])
def test_examples(name: str, file: str) -> None:
    failures, calls = played(name, file)
    assert failures == 0
    assert calls, f"the {file} of {name} shows no call of compute"


@pytest.mark.parametrize("name", NAMES)
def test_every_result_is_on_the_card(name: str) -> None:
    card = (folder(name) / "README.md").read_text("utf-8")
    returns = example_text(name, "script").partition("Returns:")[2].partition("Examples:")[0]
    for call in calls_of(name):
        for key in call.results:
            assert f"**{key}**" in card, key
            assert re.search(rf"\b{key}\b", returns), key
        assert not call.judges or "accuracy" in call.results


@pytest.mark.parametrize("name", NAMES)
def test_every_argument_is_on_the_card(name: str) -> None:
    card = (folder(name) / "README.md").read_text("utf-8")
    documented = example_text(name, "script").partition("Args:")[2].partition("Returns:")[0]
    metric = calls_of(name)[0].load(name)
    for argument in inspect.signature(metric._compute).parameters:
        assert f"**{argument}**" in card, argument
        assert re.search(rf"^    (\w+, )*{argument}\b.*:", documented, re.MULTILINE), argument


@pytest.mark.parametrize("name", NAMES)
def test_batches_give_what_one_call_gives(name: str) -> None:
    for call in calls_of(name):
        metric = call.load(name)
        size = len(next(iter(call.inputs.values())))
        for number in range(size):
            metric.add_batch(
                **{k: column[number : number + 1] for k, column in call.inputs.items()}
            )
        assert metric.compute(**call.options) == call.results


@pytest.mark.parametrize("name", NAMES)
def test_combined_with_itself(name: str) -> None:
    for call in calls_of(name)[-1:]:
        both = evaluate.combine([call.load(name), call.load(name)])
        results = both.compute(**call.inputs, **call.options)
        assert len(results) == 2 * len(call.results)
        for key, value in call.results.items():
            assert [results[found] for found in results if found.endswith(f"_{key}")].count(
                value
            ) >= 2, key


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
            return part.arguments[0][0] if part.kind in LISTS else part.arguments[0]

    def component(kind: str) -> Any:
        def make(*arguments: Any, **options: Any) -> SimpleNamespace:
            arguments = arguments or ("a red car",)
            return SimpleNamespace(kind=kind, arguments=arguments, options=options)

        return make

    gradio = ModuleType("gradio")
    gradio.Interface = Interface  # type: ignore[attr-defined]
    gradio.__getattr__ = component  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, "gradio", gradio)
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


def test_two_processes_at_once_do_not_collide(evaluate_home: Path, tmp_path: Path) -> None:
    """Each runs every module's examples, and gets the accuracy of its own outputs."""
    scripts = []
    for name in NAMES:
        scripts.append(tmp_path / f"{name}.txt")
        scripts[-1].write_text(example_text(name, "script"), "utf-8")
    code = """
import doctest, os, sys
import cobsat.metrics, evaluate, torch, transformers  # once, for both
torch.set_num_threads(1)
for word in ("red", "blue"):
    if os.fork():
        continue
    sys.stdout = open(f"{word}.out", "w", buffering=1)
    for path in sys.argv[1:]:
        print(doctest.testfile(path, module_relative=False))
    metric = evaluate.load(cobsat.metrics.path("mention"))
    reference = {"task": "color_i", "object": "car", "attribute": "red"}
    for number in range(40):
        metric.add_batch(predictions=[f"a {word} car"] * 5, references=[reference] * 5)
    print(metric.compute()["accuracy"])
    os._exit(0)
print([os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(2)])
"""
    environment = os.environ | {
        "HF_MODULES_CACHE": str(evaluate_home / "shared-modules"),
        "HF_METRICS_CACHE": str(evaluate_home / "shared-metrics"),
        "HF_EVALUATE_OFFLINE": "1",
        "HF_HUB_OFFLINE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, scripts)],
        capture_output=True, check=True, text=True, env=environment, cwd=tmp_path, timeout=300,
    )  # fmt: skip
    assert done.stdout == "[0, 0]\n", done
    replies = [(tmp_path / f"{word}.out").read_text("utf-8") for word in ("red", "blue")]
    examples = [len(doctest.DocTestParser().get_examples(p.read_text("utf-8"))) for p in scripts]
    right = [str(doctest.TestResults(0, count)) for count in examples]
    wanted = [[*right, "1.0"], [*right, "0.0"]]
    assert [reply.splitlines() for reply in replies] == wanted, done.stderr
