"""Runs of TouchStone to be judged, and servers that mark answers in a way that a person can follow.

The worth of an answer is a number in it: "worth 7". A judge may like the first answer better.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from chat_server import Call, Response, completion
from cobsat import Prediction, RunFolder, RunSettings
from cobsat.touchstone.questions import Reference
from touchstone_questions import cells, tsv

NAMES = "touchstone-{}"


def reference(number: int = 1, **changes: object) -> Reference:
    """Return what an answer to a question is judged with; the reference answer is worth 8."""
    whole: dict[str, object] = {
        "id": f"touchstone-{number}",
        "question": f"What is question {number}?",
        "annotation": f"Annotation {number}.",
        "reference_answer": f"Reference {number}, worth 8.",
        "categories": ["recognition"],
        "subtask": "attribute QA",
        **changes,
    }
    return whole  # type: ignore[return-value]


def answers(call: Call) -> list[str]:
    """Return the two answers that a judge is shown, in order."""
    return re.findall(
        r"\[The Start of Assistant \d's Answer\]\n(.*?)\n\n\[The End", call.text, re.S
    )


def worth(text: str) -> int:
    found = re.search(r"worth (\d+)", text)
    assert found, text
    return int(found[1])


def by_worth(call: Call, first: int = 0) -> Response:
    """Mark both answers by their worth, the first a little higher if the judge likes it."""
    one, two = map(worth, answers(call))
    return completion(f"{min(10, one + first)} {two}")


def answer_comes_first(call: Call) -> bool:
    return not answers(call)[0].startswith("Reference")


def start_run(
    folder: Path, predictions: Mapping[int, Prediction | str], count: int = 12, samples: int = 1
) -> RunFolder:
    """Make a run over `count` questions, with predictions, or their texts, by index."""
    categories = ("recognition", "comprehension,recognition", "storytelling", "description")
    rows = [
        cells(index, categories[index % 4], gpt4_ha_answer=f"Reference {index}, worth 8.")
        for index in range(1, count + 1)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    file = tsv(folder / "questions.tsv", rows)
    run = RunFolder(folder / "run")
    run.start(
        RunSettings(
            "test", ("touchstone",), output="answer", images=str(file), samples=samples,
            benchmark="touchstone",
        )
    )  # fmt: skip
    with run.append_predictions() as appender:
        appender.add(
            Prediction(NAMES.format(index), "ok", text=one) if isinstance(one, str) else one
            for index, one in predictions.items()
        )
    return run
