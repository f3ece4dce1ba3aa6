"""The table of models, and adapters that a user brings."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import cobsat.models
import pytest
from cobsat.cli import main
from cobsat.models import MODELS, load_model, registry
from cobsat.models.registry import Entry

ADAPTER = """
from cobsat.models import Capabilities, Output

class Mine:
    name = "mine"
    def __init__(self, words, temperature=1.0):
        self.words = words
        self.capabilities = Capabilities(frozenset({"description"}), max_images=4)
    def record(self):
        return {"words": self.words}
    def predict(self, examples):
        return [Output(text=self.words) for _ in examples]

class NotOne:
    name = "no adapter"

class Open(Mine):
    def __init__(self, **options):
        super().__init__(str(options))

NUMBER = 3
"""


@pytest.fixture
def adapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "adapter_of_a_user.py").write_text(ADAPTER)
    (tmp_path / "adapter_that_lacks.py").write_text("import no_such_package_here\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("adapter_of_a_user", "adapter_that_lacks"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return "adapter_of_a_user"


BASELINES = [name for name, entry in MODELS.items() if not entry.named_by and not entry.loaded_by]


@pytest.mark.parametrize("name", BASELINES)
def test_the_table_says_what_the_class_says(name: str) -> None:
    model, entry = load_model(name), MODELS[name]
    assert model.name == name
    assert model.capabilities.outputs == set(entry.outputs)
    assert (model.capabilities.max_images is None) == (entry.pictures == "any number")
    assert "versions" not in model.record()


def test_the_public_surface() -> None:
    assert cobsat.models.__all__ == [
        "MODELS",
        "Capabilities",
        "Model",
        "Output",
        "Streams",
        "UsesImageSource",
        "load_model",
    ]
    assert list(MODELS)[:4] == ["copy", "query", "random", "oracle"]


@pytest.mark.parametrize("name", MODELS)
def test_a_models_options_are_shown(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", name]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"{name}: {MODELS[name].about}")
    for option in filter(None, re.split(r"=\w+,? ?", MODELS[name].named_by)):
        assert f"\n  {option}: must be given" in shown


def test_an_adapter_in_the_working_directory_is_found(adapter: str) -> None:
    model: Any = load_model(f"{adapter}:Mine", words="a car", temperature=0.5)
    assert model.record() == {"words": "a car"}
    assert model.predict([{}])[0].text == "a car"
    assert load_model(f"{adapter}:Open", anything=1).record() == {"words": "{'anything': 1}"}


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("copi", {}, "model must be one of copy, .*got 'copi'; did you mean 'copy'"),
        ("copy", {"seed": 1}, "model copy must be given no options, got 'seed'"),
        ("random", {"sede": 1}, "option of model random must be one of seed, got 'sede'; did you"),
        ("{}:Mine", {}, "must be given words, got none: --model-option words="),
        ("{}:Mine", {"word": 1}, "option of model .* did you mean 'words'"),
        ("{}:Minne", {}, "class in adapter_of_a_user must be one of .*did you mean 'Mine'"),
        ("{}:NUMBER", {}, "class in adapter_of_a_user must be one of"),
        ("{}:NotOne", {}, "must be an adapter .* without record, predict"),
        ("{}:", {}, "model must be the module:Class of an adapter"),
        (":Mine", {}, "model must be the module:Class of an adapter"),
        ("../adapter:Mine", {}, "model must be the module:Class of an adapter"),
    ],
)
def test_what_cannot_be_loaded_is_named(
    name: str, options: dict[str, Any], message: str, adapter: str
) -> None:
    with pytest.raises(ValueError, match=message):
        load_model(name.format(adapter), **options)


def test_a_module_that_is_not_there_is_named(adapter: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"got 'no_such_module:X' \(no such module\)"):
        load_model("no_such_module:X")
    with pytest.raises(ModuleNotFoundError, match="it needs 'no_such_package_here'"):
        load_model("adapter_that_lacks:X")


def test_libraries_that_do_not_go_together_are_told_by_their_first_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As transformers does it: a missing module without a name, for a broken one."""
    (tmp_path / "adapter_on_broken_libraries.py").write_text(
        "try:\n    raise RuntimeError('operator x::nms does not exist')\n"
        "except RuntimeError as error:\n"
        "    raise ModuleNotFoundError('Could not import AutoThing') from error\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match="got RuntimeError: operator x::nms does not exist: inst"):
        load_model("adapter_on_broken_libraries:X")


def test_a_missing_extra_names_its_install_command(
    adapter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = Entry("adapter_that_lacks:X", "needs an extra", extra="engine")
    monkeypatch.setitem(registry.MODELS, "lacking", entry)
    message = r"needs the package 'no_such_package_here': pip install 'cobsat\[engine\]'"
    with pytest.raises(ModuleNotFoundError, match=message):
        load_model("lacking")


def test_a_baseline_run_imports_no_framework(picture_folder: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from cobsat.cli import main\n"
        f"code = main(['predict', '--model', 'random', '--config', 'color_i-2shot', '--images', "
        f"{str(picture_folder)!r}, '--out', 'run', '--limit', '3'])\n"
        "heavy = {'torch', 'transformers', 'evaluate', 'torchvision'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_system_of_the_papers_is_shown_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "Qwen-VL"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        "Qwen-VL, a system of the papers: runs: qwen_vl_chat, checkpoint=FOLDER"
    )
    assert "cobsat convert qwen_vl_chat Qwen-VL-Chat --out checkpoints/qwen-vl-chat" in shown
    assert main(["models", "CogVLM"]) == 0
    assert "CogVLM, a system of the papers: not available: " in capsys.readouterr().out


def test_what_is_not_tiny_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["predict", "--model", "mini-vlm", "--tiny", "--config", "color_i-2shot"]
    assert main([*given, "--output", "description", "--out", str(tmp_path / "run")]) == 2
    told = capsys.readouterr().err
    assert "--tiny must go with one of seed_llama, gill, qwen_vl_chat, emu, emu2, " in told
