"""What the options of `cobsat predict` mean together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cobsat import TASKS, Options, RunSettings, examples, image_source
from cobsat.cobsat_runs import pictures_shown
from cobsat.models import load_model
from cobsat.models.settings import (
    default_folder,
    expand_configs,
    run_settings,
    run_size,
)
from cobsat.run_examples import config_examples

TEN = tuple(f"{task}-2shot" for task in TASKS)
NAMED = RunSettings("copy", ("color_i-2shot",))


@pytest.mark.parametrize(
    ("given", "split", "options", "expected"),
    [
        (["color_i-2shot"], "test", Options(), ("color_i-2shot",)),
        (["all-2shot"], "test", Options(), TEN),
        (["color_ii-2shot", "all-2shot", "*-2shot"], "test", Options(),
         ("color_ii-2shot", *(name for name in TEN if name != "color_ii-2shot"))),
        (["color_i-*"], "test", Options(), tuple(f"color_i-{n}shot" for n in (2, 4, 6, 8))),
        (["color_i-*"], "test", Options("exact"),
         tuple(f"color_i-{n}shot" for n in (2, 4, 6, 8, 0))),
        (["color_i-*"], "ft_test", Options(), ("color_i-2shot", "color_i-4shot")),
        (["color_i-*"], "ft_test", Options("misleading"), ("color_i-2shot",)),
        (["all-2shot"], "ft_test", Options(), TEN),
        (["all-2shot"], "leave_color_out_test", Options(), ("all-2shot",)),
        (["*"], "leave_color_out_test", Options(), ("all-2shot", "all-4shot")),
    ],
)  # fmt: skip
def test_configs_are_expanded(
    given: list[str], split: str, options: Options, expected: tuple[str, ...]
) -> None:
    assert expand_configs(given, split, options) == expected


@pytest.mark.parametrize(
    ("given", "split", "options", "message"),
    [
        ([], "test", Options(), "config must be given at least once"),
        (["colour_i-2shot"], "test", Options(), "did you mean 'color_i'"),
        (["color_i-3shot"], "test", Options(), "shots in a config's name must be one of 2shot"),
        (["colour_*-2shot"], "test", Options(), "or a pattern that matches one, got 'colour_"),
        (["color_i-0shot"], "test", Options(), "prompt_type of color_i-0shot must be 'exact'"),
        (["*-0shot"], "test", Options(), "prompt_type of color_i-0shot must be 'exact'"),
        (["color_i-6shot"], "ft_test", Options(), "exists for 2 and 4 shots"),
        (["*-8shot"], "ft_test", Options(), "exists for 2 and 4 shots"),
        (["color_i-2shot"], "tset", Options(), "did you mean 'test'"),
        (["color_i-2shot"], "leave_color_out_test", Options(), "use all-2shot"),
        (["color_i-2shot"], "test", Options("cott"), "did you mean 'cot'"),
        (["color_i-2shot"], "test", Options(output="picture"), "output must be one of image"),
        (["color_i-2shot"], "test", Options(instructions_for="llava"), "instructions_for with out"),
    ],
)
def test_configs_that_do_not_go_are_named(
    given: list[str], split: str, options: Options, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        expand_configs(given, split, options)


@pytest.mark.parametrize(
    ("config", "split"),
    [
        ("color_i-2shot", "test"),
        ("color_i-4shot", "ft_train"),
        ("color_i-2shot", "ft_test"),
        ("all-2shot", "leave_style_out_train"),
        ("all-4shot", "leave_style_out_test"),
    ],
)
@pytest.mark.parametrize("limit", [None, 30])
def test_a_runs_examples_are_the_benchmarks(
    config: str, split: str, limit: int | None, picture_folder: Path
) -> None:
    options = Options(images=str(picture_folder))
    source = image_source(str(picture_folder))
    settings = replace(NAMED, configs=(config,), split=split, limit=limit)
    rows = list(config_examples(config, settings, source))
    assert rows == examples(config, split, options, source)[:limit]
    assert run_size(settings) == len(rows)
    assert run_size(replace(settings, configs=(config, config))) == 2 * len(rows)


def test_pictures_shown_are_the_shots_or_none_with_captions() -> None:
    for config, prompt_type, count in (
        ("color_i-8shot", "default", 8),
        ("all-4shot", "cot", 4),
        ("color_i-8shot", "caption", 0),
    ):
        assert pictures_shown(config, replace(NAMED, prompt_type=prompt_type)) == count


def test_run_settings_hold_record_options_and_versions_apart(picture_folder: Path) -> None:
    class Versioned:
        name = "org/checkpoint"
        capabilities = load_model("copy").capabilities

        def record(self) -> dict[str, Any]:
            return {"revision": "abc", "versions": {"engine": "9.1"}}

        def predict(self, batch: Any) -> Any:
            raise AssertionError

    options = Options(images=str(picture_folder))
    given = {"revision": "abc"}
    settings = run_settings("x:Y", Versioned(), given, ("color_i-2shot",), "test", options, 5)
    assert settings.model_options == {
        "options": {"revision": "abc"},
        "record": {"name": "org/checkpoint", "revision": "abc"},
    }
    assert settings.versions["engine"] == "9.1"
    assert set(settings.versions) == {"python", "cobsat", "pillow", "engine"}
    assert len(settings.image_digest) == 64


def test_a_relative_folder_of_pictures_is_kept_as_an_absolute_one(
    picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(picture_folder.parent)
    settings = run_settings(
        "copy",
        load_model("copy"),
        {},
        ("color_i-2shot",),
        "test",
        Options(images=picture_folder.name),
    )
    assert settings.images == str(picture_folder.resolve())


@pytest.mark.parametrize(
    ("changes", "given", "folder"),
    [
        ({}, ["color_i-2shot"], "runs/copy-image-color_i-2shot"),
        ({"output": "description"}, ["color_i-2shot"], "runs/copy-description-color_i-2shot"),
        ({"limit": 9, "samples": 2, "seed": 1}, ["a"], "runs/copy-image-a-seed1"),
        ({"model_options": {"record": {"name": "org/tiny-7B"}}}, ["a"],
         "runs/copy-tiny-7B-image-a"),
        ({"prompt_type": "cot", "split": "ft_test"}, ["a"], "runs/copy-image-a-ft_test-cot"),
        ({"images": "/x/mine", "image_digest": "0123456789"}, ["a"],
         "runs/copy-image-a-mine-01234567"),
        ({"model": "pkg.mod:Class"}, ["a"], "runs/pkg.mod--Class-image-a"),
    ],
)  # fmt: skip
def test_the_default_folder_says_what_ran(
    changes: dict[str, Any], given: list[str], folder: str
) -> None:
    assert default_folder(replace(NAMED, **changes), given) == Path(folder)


def test_runs_that_differ_have_default_folders_that_differ() -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"model": "random"},
        {"output": "description"},
        {"split": "ft_test"},
        {"prompt_type": "cot"},
        {"instructions_for": "emu"},
        {"seed": 1},
        {"images": "official", "image_digest": "a" * 64},
        {"images": "/mine", "image_digest": "b" * 64},
        {"images": "/mine", "image_digest": "c" * 64},
        {"model_options": {"options": {"seed": 1}}},
        {"model_options": {"options": {"seed": 2}}},
    ]
    folders = {default_folder(replace(NAMED, **change), ["color_*"]) for change in changes}
    folders.add(default_folder(replace(NAMED, configs=("color_ii-2shot",)), ["color_*"]))
    assert len(folders) == len(changes) + 1
