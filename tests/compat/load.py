"""Load the benchmarks with datasets 3.6, without the package: a loading script, and exports.

    load.py cobsat_dataset/cobsat.py EXPORT_OF_COBSAT EXPORT_OF_TOUCHSTONE_MINI

Run by `run.sh` in an environment of its own.
"""

import importlib.util
import sys

import datasets
from datasets import load_dataset
from PIL import Image


def main(script: str, export: str, questions: str) -> None:
    """Load both ways and compare; load the questions."""
    assert datasets.__version__.startswith("3.6."), datasets.__version__
    assert importlib.util.find_spec("cobsat") is None
    datasets.disable_progress_bars()

    by_script = load_dataset(script, "color_i-2shot", trust_remote_code=True)
    assert {name: len(rows) for name, rows in by_script.items()} == {
        "test": 1000,
        "ft_train": 300,
        "ft_test": 250,
    }
    first = by_script["test"][0]
    assert first["id"] == "color_i-2shot-test-0000"
    content = first["messages"][0]["content"]
    assert [part["text"] for part in content] == ["blue: ", None, "brown: ", None, "orange: "]
    assert all(isinstance(content[i]["image"], Image.Image) for i in (1, 3))
    assert first["target_image"].size == (512, 512)
    train = by_script["ft_train"][0]
    assert len(train["images"]) == 2
    assert train["completion"][0]["role"] == "assistant"
    stream = load_dataset(
        script, "all-4shot", split="leave_color_out_train", streaming=True, trust_remote_code=True
    )
    assert next(iter(stream))["id"] == "background_i-4shot-test-0000"
    exact = load_dataset(script, "color_i-0shot", split="test", trust_remote_code=True)[0]
    assert exact["messages"][0]["content"][0]["text"] == "blue book: "

    exported = load_dataset(export, "color_i-2shot", split="test")
    assert exported["id"] == by_script["test"]["id"]
    assert exported["reference"] == by_script["test"]["reference"]
    row = next(iter(load_dataset(export, "color_i-8shot", split="test", streaming=True)))
    assert sum(part["type"] == "image" for part in row["messages"][0]["content"]) == 8
    pictures = load_dataset(export, "pictures", split="pictures")
    assert len(pictures) == 500
    assert pictures[0]["image"].size == (512, 512)
    assert exported.features["reference"] == by_script["test"].features["reference"]

    answers = load_dataset(questions, split="test")
    assert len(answers) == 75
    assert answers[0]["id"] == "touchstone-mini-1"
    assert isinstance(answers[0]["images"][0], Image.Image)
    shown = answers[0]["messages"][0]["content"]
    assert [part["type"] for part in shown] == ["image", "text"]
    assert shown[1]["text"] == answers[0]["question"] == answers[0]["reference"]["question"]
    several = load_dataset(questions, "multi_image", split="test", streaming=True)
    rows = list(several)
    assert all("multi_image" in row["categories"] and len(row["images"]) > 1 for row in rows)
    print("datasets 3.6, without the package: script and export are the same benchmark")


if __name__ == "__main__":
    main(*sys.argv[1:])
