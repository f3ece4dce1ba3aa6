"""Whose wording a model is asked in where the user names none: the paper's for it, and said."""

from __future__ import annotations

from pathlib import Path

import pytest
from cobsat import RunFolder
from cobsat.cli import main

ADAPTER = """
from cobsat.models import Capabilities, Output

class Mine:
    name = "mine"
    capabilities = Capabilities(frozenset({"description", "image"}))
    instructions_for = {"description": "qwen_vl"}
    def record(self):
        return {}
    def predict(self, examples):
        return [Output(text=examples[0]["messages"][0]["content"][0]["text"])] * len(examples)
"""


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "qwen_vl"),
        (["--prompt-type", "misleading"], "qwen_vl"),
        (["--prompt-type", "cot"], "neutral"),
        (["--instructions-for", "neutral"], "neutral"),
        (["--instructions-for", "llava"], "llava"),
    ],
)
def test_the_models_own_wording_is_taken_and_said(
    options: list[str],
    expected: str,
    picture_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "adapter_with_wording.py").write_text(ADAPTER)
    monkeypatch.syspath_prepend(tmp_path)
    code = main(
        [
            "predict", "--model", "adapter_with_wording:Mine", "--config", "color_i-2shot",
            "--output", "description", "--images", str(picture_folder), "--limit", "1",
            "--out", str(tmp_path / "run"), *options,
        ]
    )  # fmt: skip
    assert code == 0
    folder = RunFolder(tmp_path / "run")
    assert folder.settings().instructions_for == expected
    [prediction] = folder.predictions()[0].values()
    begins = (prediction.text or "").startswith("You are a professional assistant")
    assert begins is (expected == "qwen_vl")
    said = "instructions: those of qwen_vl in the paper" in capsys.readouterr().err
    assert said is (expected == "qwen_vl")
