"""The plan of `cobsat publish`: what goes in which commit, how it is shown, what is listed."""

from __future__ import annotations

from pathlib import Path

import pytest
from cobsat.hub_cards import publish_plan
from cobsat.hub_cards.publish_files import folder_files, matches
from cobsat.hub_cards.publish_hub import Hub, carry_out, connect, look
from cobsat.hub_cards.publish_plan import (
    Publication,
    Remote,
    There,
    batches,
    planned,
    shown,
    summary,
)
from hub_repos import Blob, Repo
from hub_server import HubServer

HELLO = "b45ef6fec89518d314f546fd6c3025367b721684"
"""What `git hash-object` says of "Hello, World!"."""


def publication(files: dict[str, bytes | Path], *owned: str) -> Publication:
    return Publication("org/x", "dataset", "title", files, owned=owned)


def test_a_file_is_told_by_gits_digest_or_by_its_sha256(tmp_path: Path) -> None:
    on_disk = tmp_path / "hello"
    on_disk.write_bytes(b"Hello, World!")
    sha256 = "dffd6021bb2bd5b0af676290809ec3a53191dd81c7f70a4b28688a362182986f"
    for source in (b"Hello, World!", on_disk):
        for remote, same in (
            (Remote(13, HELLO), True),
            (Remote(13, sha256, large=True), True),
            (Remote(13, HELLO, large=True), False),
            (Remote(12, HELLO), False),
        ):
            plan = planned(publication({"a": source}), There("0" * 40, False, {"a": remote}))
            assert (plan.unchanged, plan.changed) == ((("a",), ()) if same else ((), ("a",)))


def test_what_says_what_there_is_goes_last_and_deletions_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(publish_plan, "FILES", 2)
    files: dict[str, bytes | Path] = dict.fromkeys(("README.md", "a", "b", "z", "c"), b"x")
    there = There("0" * 40, False, {"old": Remote(1, "1"), ".gitattributes": Remote(1, "2")})
    plan = planned(publication(files, "**"), there)
    assert list(batches(plan)) == [(["a", "b"], []), (["c", "z"], []), (["README.md"], ["old"])]
    only = planned(publication({}, "old"), there)
    assert list(batches(only)) == [([], ["old"])]


def test_small_files_share_a_commit_up_to_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publish_plan, "BYTES", 10)
    monkeypatch.setattr(publish_plan, "LARGE", 8)
    sizes = {"a": 6, "b": 4, "c": 1, "d": 9, "e": 9, "f": 8}  # those above 8 go beside the commit
    plan = planned(publication({name: b"x" * n for name, n in sizes.items()}), There())
    assert [sent for sent, _ in batches(plan)] == [["a", "b"], ["c", "d", "e", "f"]]


def test_a_commit_that_fails_costs_only_what_came_after_it(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish_plan, "FILES", 2)
    files: dict[str, bytes | Path] = {name: name.encode() for name in ("a", "b", "c", "d", "e")}

    def send() -> list[str]:
        plan = planned(publication(files), look(us, "org/x", "dataset"))
        carry_out(us, plan)
        return list(plan.sent)

    us: Hub = connect("org/x", "dataset")
    hub.fail("POST", "/commit/", after=1)
    with pytest.raises(ConnectionError, match="goes on from there"):
        send()
    assert {"a", "b"} < set(hub.repos["dataset", "org/x"].files) < {*files, ".gitattributes"}
    assert send() == ["c", "d", "e"]
    kept = hub.repos["dataset", "org/x"].files
    assert {name: kept[name].data for name in files} == files


def test_a_long_plan_is_cut_and_odd_names_are_spelt_out() -> None:
    files: dict[str, bytes | Path] = {f"data/{n:04}": b"x" * 1234 for n in range(1500)}
    files["\x1b[2J\n\u202e"] = b""
    plan = planned(publication(files), There())
    lines = shown(plan)
    assert lines[0] == "org/x (dataset, new, public)"
    assert lines[1] == "  new      \\x1b[2J \\u202e  0 bytes"
    assert lines[-1] == "  new      … and 1,481 more"
    assert len(lines) == 22
    assert summary([plan]) == "1,501 files to upload, 1.85 MB"
    one = planned(publication({"a": b"x"}, "b"), There("0", False, {"b": Remote(9, "")}))
    assert summary([one]) == "1 file to upload, 1 byte; 1 file to delete"


def test_a_listing_of_many_pages_is_read_to_its_end(hub: HubServer) -> None:
    repo = Repo("dataset", "org/x", private=False)
    names = [f"data/{n:04}" for n in range(2100)]
    repo.commit("many", {name: Blob(b"Hello, World!", False, "many") for name in names})
    hub.repos["dataset", "org/x"] = repo
    there = look(connect("org/x", "dataset"), "org/x", "dataset")
    assert sorted(there.files) == names
    assert there.files[names[-1]] == Remote(13, HELLO)
    assert not planned(publication(dict.fromkeys(names, b"Hello, World!")), there).sent


@pytest.mark.parametrize(
    ("path", "pattern", "does"),
    [
        ("a.json", "*.json", True), ("a/b.json", "*.json", False), ("a/b.json", "**/*.json", True),
        ("b.json", "**/*.json", True), ("data/a/b/c.parquet", "data/**", True),
        ("data", "data/*", False), ("cobsat/plots/a.svg", "cobsat/plots/*", True),
        ("cobsat/plots/a/b.svg", "cobsat/plots/*", False), ("README.md", "**", True),
        ("LICENSE.txt", "LICENSE*", True), ("xLICENSE", "LICENSE*", False),
    ],
)  # fmt: skip
def test_patterns(path: str, pattern: str, does: bool) -> None:
    assert matches(path, [pattern]) is does


def test_a_folder_behind_a_link_is_not_followed_and_a_file_is(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/a.json").write_text("1")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (folder / "b.json").symlink_to(tmp_path / "elsewhere/a.json")  # as in the cache of the Hub
    taken, left = folder_files(folder, ["**/*.json"])
    assert list(taken) == ["b.json"]
    assert left == ["linked/"]
