"""People's labels: what spreadsheets make of the table, and what a kill leaves of it."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from cobsat import THEMES, RunFolder
from cobsat.metrics.labels import Label, add_labels, labels_path, people, read_labels

IDS = [f"color_i-2shot-test-{number:04d}" for number in range(20)]
ANIMAL = "background_i-2shot-test-0000"
RUN = dict.fromkeys(IDS, THEMES["color"]) | {ANIMAL: THEMES["background"]}
CAR, HAT = Label(IDS[0], "car", "red"), Label(IDS[1], "hat", "blue")


def read(path: Path, data: bytes) -> dict[str, Label]:
    path.write_bytes(data)
    labels, problems = read_labels(path, RUN)
    assert problems == []
    return labels


TABLE = f"id,object,attribute\n{IDS[0]},car,red\n{IDS[1]},hat,blue\n"
AS_SAVED = {
    "plain": TABLE.encode(),
    "byte order mark": b"\xef\xbb\xbf" + TABLE.encode(),
    "Windows line ends": TABLE.replace("\n", "\r\n").encode(),
    "old line ends": TABLE.replace("\n", "\r").encode(),
    "no last line end": TABLE.rstrip().encode(),
    "semicolons": TABLE.replace(",", ";").encode(),
    "tabs": TABLE.replace(",", "\t").encode(),
    "UTF-16 with tabs": TABLE.replace(",", "\t").encode("utf-16"),
    "quotes": ('"id","object","attribute"\n' + TABLE.partition("\n")[2]).encode(),
    "capitals and spaces": TABLE.replace("id,object", "ID, Object")
    .replace("car", " Car ")
    .encode(),
    "empty lines": TABLE.replace("\n", "\n,,\n\n").encode(),
    "other columns": (
        f"comment;attribute;object;id;when\nschön; red;car;{IDS[0]};today\n"
        f'"a ""b"";\nc";blue;hat;{IDS[1]};\n'
    ).encode("latin-1"),
    "short rows": f"id,object,attribute,comment\n{IDS[0]},car,red\n{IDS[1]},hat,blue,?\n".encode(),
}


@pytest.mark.parametrize("how", AS_SAVED)
def test_tables_as_spreadsheets_save_them(tmp_path: Path, how: str) -> None:
    assert read(tmp_path / "a.csv", AS_SAVED[how]) == {IDS[0]: CAR, IDS[1]: HAT}


def test_unclear_answers_and_rows_that_wait(tmp_path: Path) -> None:
    table = (
        f"id,object,attribute\n{IDS[0]},unclear,Unclear\n{IDS[1]},,red\n{IDS[2]},car,\n{IDS[3]},,\n"
        f"{ANIMAL},cat,amusement park\n"
    )
    assert read(tmp_path / "a.csv", table.encode()) == {
        IDS[0]: Label(IDS[0], "", ""),
        IDS[1]: Label(IDS[1], "", "red"),
        IDS[2]: Label(IDS[2], "car", ""),
        ANIMAL: Label(ANIMAL, "cat", "park"),
    }


def test_the_last_row_of_an_id_counts(tmp_path: Path) -> None:
    table = TABLE + f"{IDS[0]},cup,red\n"
    assert read(tmp_path / "a.csv", table.encode())[IDS[0]].object == "cup"


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (f"{IDS[0]},carr,red", r"line 4: object must be one of leaf, .* or unclear, got 'carr'"),
        (f"{IDS[0]},carr,red", "did you mean 'car'"),
        (f"{IDS[0]},car,park", "line 4: attribute must be one of yellow"),
        (f"{ANIMAL},car,park", "line 4: object must be one of zebra"),
        ("color_i-2shot-test-9999,car,red", "line 4: id must be an example's of this run, got"),
        (f"{IDS[0]},car", "line 4: a row must have the cells id, object, attribute"),
        ("<img src=x>,car,red", "got '<img src=x>'"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, row: str, says: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(TABLE + row + "\n")
    with pytest.raises(ValueError, match=says):
        read_labels(path, RUN)


def test_another_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("name,object\nx,car\n")
    for use in (lambda: read_labels(path, RUN), lambda: add_labels(path, [CAR])):
        with pytest.raises(ValueError, match="line 1: the columns must be id, object, attribute"):
            use()
    path.write_text("id,object,attribute\n" + f'{IDS[0]},car,"{"x" * 200_000}"\n')
    with pytest.raises(ValueError, match="must be a CSV table"):
        read_labels(path, RUN)


def test_no_file_and_an_empty_one_hold_nothing(tmp_path: Path) -> None:
    for data in (None, b"", b"\n\n", b"id,obj"):
        path = tmp_path / "a.csv"
        if data is not None:
            path.write_bytes(data)
        assert read_labels(path, RUN) == ({}, [])
        add_labels(path, [CAR])
        assert read_labels(path, RUN) == ({CAR.id: CAR}, [])
        path.unlink()


def test_what_is_added_is_there(tmp_path: Path) -> None:
    path = tmp_path / "labels" / "a.csv"
    unclear = Label(IDS[2], "", "", "0123456789abcdef")
    add_labels(path, [CAR, HAT])
    add_labels(path, [unclear])
    assert path.read_text() == (
        f"id,object,attribute,output\n{IDS[0]},car,red,\n{IDS[1]},hat,blue,\n"
        f"{IDS[2]},unclear,unclear,0123456789abcdef\n"
    )
    labels, problems = read_labels(path, RUN)
    assert list(labels.values()) == [CAR, HAT, unclear]
    assert problems == []


@pytest.mark.parametrize("how", [how for how in AS_SAVED if "UTF-16" not in how])
def test_a_spreadsheet_s_table_is_continued(tmp_path: Path, how: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(AS_SAVED[how])
    more = Label(IDS[2], "", "pink")
    add_labels(path, [more])
    assert path.read_bytes().startswith(AS_SAVED[how])
    labels, _ = read_labels(path, RUN)
    assert labels == {IDS[0]: CAR, IDS[1]: HAT, IDS[2]: more}


def test_utf_16_is_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(AS_SAVED["UTF-16 with tabs"])
    with pytest.raises(ValueError, match="must be in UTF-8 to be continued"):
        add_labels(path, [CAR])
    assert path.read_bytes() == AS_SAVED["UTF-16 with tabs"]


def test_cut_anywhere_a_table_keeps_its_whole_lines(tmp_path: Path) -> None:
    """A killed process leaves any prefix: whole lines count, the rest is dropped and redone."""
    path = tmp_path / "a.csv"
    given = [Label(i, "car", "red", "0123456789abcdef") for i in IDS[:3]]
    add_labels(path, given)
    whole = path.read_bytes()
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        lines = max(0, whole[:length].count(b"\n") - 1)
        labels, problems = read_labels(path, RUN)
        assert list(labels.values()) == given[:lines]
        cut = length > whole.index(b"\n") + 1 and whole[length - 1 : length] != b"\n"
        assert len(problems) == cut
        add_labels(path, given[lines:])
        assert path.read_bytes() == whole


def test_every_label_is_on_disk_before_it_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_size))
    add_labels(tmp_path / "a.csv", [CAR])
    add_labels(tmp_path / "a.csv", [HAT])
    assert synced[-1] == (tmp_path / "a.csv").stat().st_size
    assert len(synced) == 2


def test_whose_labels(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    assert people(folder) == []
    for person in ("Ada L", "../../etc/passwd", "bob"):
        path = labels_path(folder, person)
        assert path.parent == tmp_path / "labels"
        add_labels(path, [CAR])
    assert people(folder) == ["--..--etc--passwd", "Ada--L", "bob"]


def test_any_bytes_are_read_or_refused(tmp_path: Path) -> None:
    """Nothing in a file makes anything but a ValueError."""
    draw = random.Random(0)
    path = tmp_path / "a.csv"
    pieces = [*AS_SAVED.values(), b"\x00", b'"', b"\xff\xfe", b"\r", b";", b",", b"\n", b"unclear"]
    for _ in range(500):
        data = b"".join(draw.choices(pieces, k=draw.randrange(1, 4)))
        cut = draw.randrange(len(data) + 1)
        path.write_bytes(data[cut:] if draw.random() < 0.3 else data)
        try:
            labels, _ = read_labels(path, RUN)
        except ValueError:
            continue
        assert set(labels) <= set(RUN)
