"""The command that draws the pictures: what it writes, refuses and says."""

from __future__ import annotations

import csv
import hashlib
import json

import pytest
from cobsat.drawing.__main__ import main
from cobsat.drawing.render import digest, render_folder
from cobsat.spec import THEMES
from PIL import Image


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("drawn")
    render_folder(out, seed=4, size=24, themes=["color"], processes=1)
    return out


def test_a_folder_holds_pictures_captions_and_a_manifest_and_nothing_else(folder):
    theme = THEMES["color"]
    pictures = {f"color_{o}/{a}_{o}.webp" for a in theme.attributes for o in theme.objects}
    assert set(contents(folder)) == pictures | {"color_object.csv", "manifest.json"}
    with Image.open(folder / "color_car" / "red_car.webp") as picture:
        assert (picture.size, picture.mode, picture.format) == ((24, 24), "RGB", "WEBP")
    text = (folder / "color_object.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    assert {row["image"] for row in rows} == pictures
    assert rows[0]["image"] == "color_leaf/yellow_leaf.webp"
    assert all(row["caption"].endswith(".") for row in rows)


def test_a_manifest_has_the_digests_of_the_files(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["seed"], manifest["size"]) == (4, 24)
    assert list(manifest["versions"]) == ["resvg-py", "pillow", "webp"]
    raw = b""
    for path, entry in manifest["pictures"].items():
        sha256 = hashlib.sha256((folder / path).read_bytes())
        assert entry["file"] == sha256.hexdigest()
        raw += sha256.digest()
    assert manifest["digest"] == hashlib.sha256(raw).hexdigest()


def test_two_processes_write_the_same_bytes_as_one(folder, tmp_path):
    render_folder(tmp_path, seed=4, size=24, themes=["color"], processes=2)
    assert contents(tmp_path) == contents(folder)


def test_another_seed_is_refused_beside_pictures_that_stay(folder):
    before = contents(folder)
    with pytest.raises(ValueError, match=r"must have seed 5, got 4; draw all themes again"):
        render_folder(folder, seed=5, size=24, themes=["background"], processes=1)
    assert contents(folder) == before


def test_the_digest_depends_on_the_order():
    one, two = "00" * 32, "ff" * 32
    assert digest([one, two]) != digest([two, one])
    assert digest([one]) == hashlib.sha256(bytes(32)).hexdigest()


def test_the_command_says_what_it_wrote(tmp_path, capsys):
    out, sheet = tmp_path / "out", tmp_path / "sheet.png"
    arguments = ["--out", str(out), "--size", "16", "--processes", "1", "--theme", "color"]
    assert main([*arguments, "--contact-sheet", str(sheet)]) == 0
    said = capsys.readouterr().out
    manifest = json.loads((out / "manifest.json").read_text())
    assert "100 pictures of seed 0, 0.0" in said
    assert manifest["digest"] in said
    assert "color_object.csv" in said
    with Image.open(sheet) as picture:
        assert picture.size == (1500, 1660)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "x", "--theme", "colour"], "invalid choice: 'colour'"),
        (["--size", "32"], "the following arguments are required: --out"),
    ],
)
def test_bad_arguments_get_one_clear_line(arguments, message, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_a_size_too_small_is_refused(tmp_path, capsys):
    assert main(["--out", str(tmp_path / "x"), "--size", "3"]) == 2
    assert "--size must be at least 16 pixels, got 3" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
