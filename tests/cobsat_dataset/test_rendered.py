"""The pictures that ship: all there, readable, as the manifest says, and as drawn today."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import cobsat
import pytest
from cobsat.drawing import draw, rasterize
from cobsat.drawing.render import encode, versions
from cobsat.metrics.word_forms import find_mentions
from cobsat.spec import THEMES
from PIL import Image

FOLDER = Path(cobsat.__file__).parent / "rendered"
MANIFEST = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
LABELS = {
    f"{t.name}_{o}/{t.key(a)}_{o}.webp": (t.name, a, o)
    for t in THEMES.values()
    for a in t.attributes
    for o in t.objects
}
SPREAD = list(LABELS)[7::25]


def test_the_folder_holds_500_pictures_5_tables_and_the_manifest():
    files = {str(p.relative_to(FOLDER)) for p in FOLDER.rglob("*") if p.is_file()}
    tables = {f"{theme.name}_{theme.object_kind}.csv" for theme in THEMES.values()}
    assert files == set(LABELS) | tables | {"manifest.json"}
    assert len(LABELS) == 500


def test_all_together_stay_below_10_mb():
    assert sum(p.stat().st_size for p in FOLDER.rglob("*") if p.is_file()) < 10_000_000


def test_every_picture_opens_as_512_by_512_rgb():
    for path in LABELS:
        with Image.open(FOLDER / path) as picture:
            assert (picture.format, picture.size, picture.mode) == ("WEBP", (512, 512), "RGB"), path
            picture.load()


def test_the_manifest_describes_the_files():
    assert (MANIFEST["seed"], MANIFEST["size"]) == (0, 512)
    digests = {path: hashlib.sha256((FOLDER / path).read_bytes()) for path in LABELS}
    assert {p: e["file"] for p, e in MANIFEST["pictures"].items()} == {
        path: digest.hexdigest() for path, digest in digests.items()
    }
    whole = hashlib.sha256(b"".join(digest.digest() for digest in digests.values()))
    assert MANIFEST["digest"] == whole.hexdigest()
    assert len({digest.hexdigest() for digest in digests.values()}) == 500, "pictures must differ"


def test_the_drawings_of_today_are_those_that_ship():
    captions = _captions()
    changed = []
    for path, label in LABELS.items():
        drawing = draw(*label, seed=0)
        same = hashlib.sha256(drawing.svg.encode()).hexdigest() == MANIFEST["pictures"][path]["svg"]
        if not same or drawing.description != captions[path]:
            changed.append(path)
    assert not changed, f"{len(changed)} drawings changed: run `make rendered` ({changed[:5]})"


@pytest.mark.parametrize("path", SPREAD)
def test_a_picture_drawn_anew_has_the_shipped_bytes(path):
    _need_the_same_libraries()
    assert encode(rasterize(draw(*LABELS[path]).svg)) == (FOLDER / path).read_bytes()


@pytest.mark.slow
def test_all_pictures_drawn_anew_have_the_shipped_bytes():
    _need_the_same_libraries()
    changed = [
        path
        for path, label in LABELS.items()
        if encode(rasterize(draw(*label).svg)) != (FOLDER / path).read_bytes()
    ]
    assert not changed


@pytest.mark.parametrize("theme", THEMES)
def test_a_caption_names_exactly_its_object_and_its_attribute(theme):
    captions = _captions()
    for path, (name, attribute, object_) in LABELS.items():
        if name == theme:
            found = find_mentions(captions[path], theme)
            assert (found.attributes, found.objects) == ((attribute,), (object_,)), captions[path]
            assert 20 < len(captions[path]) < 400


def test_captions_are_not_one_formula():
    assert len(set(_captions().values())) == 500


def _captions() -> dict[str, str]:
    rows: dict[str, str] = {}
    for theme in THEMES.values():
        table = FOLDER / f"{theme.name}_{theme.object_kind}.csv"
        with table.open(encoding="utf-8", newline="") as file:
            rows |= {row["image"]: row["caption"] for row in csv.DictReader(file)}
    assert set(rows) == set(LABELS)
    return rows


def _need_the_same_libraries() -> None:
    shipped, here = MANIFEST["versions"], versions()
    if shipped != here:
        pytest.skip(f"the shipped bytes were made with {shipped}, installed is {here}")
