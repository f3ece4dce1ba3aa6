"""Published checkpoints as tensors by name: what is read, what is left, what is refused."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat.models.published_state import read_config, read_state
from safetensors.torch import save_file

ONE, TWO = torch.arange(3.0), torch.ones(2, 2)


class Evil:
    """What a pickle may hold: something that code makes."""

    def __reduce__(self) -> Any:
        return exec, ("raise SystemExit('code of the checkpoint ran')",)


@pytest.mark.parametrize("suffix", [".pt", ".pth", ".bin", ".pth.tar", ".ckpt"])
@pytest.mark.parametrize("wrapped", ["", "state_dict", "model"])
def test_pickles_of_tensors_are_read(suffix: str, wrapped: str, tmp_path: Path) -> None:
    file = tmp_path / f"weights{suffix}"
    state = {"a": ONE, "b.c": TWO}
    torch.save({wrapped: state, "epoch": 3} if wrapped else state, file)
    for path in (file, tmp_path):
        read = read_state(path)
        assert list(read) == ["a", "b.c"]
        assert torch.equal(read["a"], ONE)
        assert torch.equal(read["b.c"], TWO)


def test_safetensors_are_read_and_go_before_pickles(tmp_path: Path) -> None:
    save_file({"a": ONE}, tmp_path / "model-1.safetensors")
    save_file({"b": TWO}, tmp_path / "model-2.safetensors")
    torch.save({"c": TWO}, tmp_path / "model.bin")
    assert read_state(tmp_path).keys() == {"a", "b"}
    assert read_state(tmp_path / "model-2.safetensors").keys() == {"b"}
    save_file({"a": TWO}, tmp_path / "model-3.safetensors")
    with pytest.raises(ValueError, match="must hold each tensor once, got a twice"):
        read_state(tmp_path)


def test_what_is_not_wanted_is_left_away(tmp_path: Path) -> None:
    state = {name: torch.ones(2) for name in ("text.a.weight", "text.b", "texture", "eyes.text.a")}
    torch.save({"model": state}, tmp_path / "a.pth")
    save_file(state, tmp_path / "a.safetensors")
    for file in ("a.pth", "a.safetensors"):
        assert set(read_state(tmp_path / file, skip=["text.*"])) == {"texture", "eyes.text.a"}
        assert set(read_state(tmp_path / file)) == set(state)


def test_code_in_a_checkpoint_does_not_run(tmp_path: Path) -> None:
    file = tmp_path / "weights.pt"
    message = r"must hold tensors only, got .* which code .* \((builtins\.)?exec\)"
    torch.save({"a": ONE, "b": Evil()}, file)
    with pytest.raises(ValueError, match=message):
        read_state(file)
    file.write_bytes(pickle.dumps(Evil(), protocol=2))
    with pytest.raises(ValueError, match=message):
        read_state(file)


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        ({"a": ONE, "b": 3}, "must hold tensors only, got also b"),
        ([ONE], "must hold tensors by name, got a list"),
        ({str(n): n for n in range(7)}, "got also 0, 1, 2, 3, 4 and 2 more"),
    ],
)
def test_a_pickle_of_other_things_is_refused(saved: Any, message: str, tmp_path: Path) -> None:
    torch.save(saved, tmp_path / "weights.pt")
    with pytest.raises(ValueError, match=message):
        read_state(tmp_path)


@pytest.mark.parametrize("name", ["weights.pt", "weights.safetensors"])
def test_a_file_that_is_cut_off_is_refused(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    if file.suffix == ".pt":
        torch.save({"a": ONE}, file)
    else:
        save_file({"a": ONE}, file)
    whole = file.read_bytes()
    for length in (len(whole) // 2, 3):
        file.write_bytes(whole[:length])
        with pytest.raises((OSError, ValueError), match=r"must (be a whole checkpoint|hold)"):
            read_state(file)


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"got .*none\.pt: not there"):
        read_state(tmp_path / "none.pt")
    (tmp_path / "README.md").write_text("no weights")
    with pytest.raises(FileNotFoundError, match=r"must hold safetensors, or one of \.bin"):
        read_state(tmp_path)


def test_an_index_says_which_files_hold_the_weights(tmp_path: Path) -> None:
    torch.save({"a": ONE}, tmp_path / "model-1.bin")
    torch.save({"a": ONE + 1}, tmp_path / "older.bin")
    torch.save({"lr": 0.1}, tmp_path / "training_args.bin")
    with pytest.raises(ValueError, match="must hold each tensor once, got a twice"):
        read_state(tmp_path)
    index = tmp_path / "model.bin.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "model-1.bin"}}))
    assert torch.equal(read_state(tmp_path)["a"], ONE)
    index.write_text(json.dumps({"weight_map": {"a": "model-1.bin", "b": "lost.bin"}}))
    with pytest.raises(ValueError, match="must hold each tensor once"):
        read_state(tmp_path)
    torch.save({"a": ONE}, tmp_path / "older.bin")  # the same once more does no harm
    assert read_state(tmp_path).keys() == {"a"}


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", r"config\.json must be JSON, got "), ("[]", r"must be a JSON object, got a list")],
)
def test_a_broken_config_is_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_config(tmp_path / "config.json")
