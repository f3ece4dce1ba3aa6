"""`cobsat publish` of metrics, cards, reports and models: what goes, and what people wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import publishing
import pytest
import yaml
from answer_runs import answer_run, question_file
from cobsat import RunFolder, image_source
from cobsat.metrics import metric_names, path
from hub_server import HubServer
from huggingface_hub import ModelCard
from publishing import Capture, on_hub

MakeRun = Callable[..., Path]
LETTER = "---\nlicense: mit  # ours\n---\n# My model\n\nWords of mine.\n"


@pytest.fixture
def rendered(make_run: MakeRun) -> MakeRun:
    """Runs on the pictures that ship, as far as they say."""

    def make(name: str = "run", **settings: Any) -> Path:
        source = {"images": "rendered", "image_digest": image_source("rendered").digest}
        return make_run(name, **{"configs": ("color_i-2shot",), "limit": 12, **source, **settings})

    return make


def publish(*arguments: object) -> int:
    return publishing.publish(*arguments, "--yes")


def lines(capsys: Capture, *arguments: object) -> list[str]:
    return publishing.lines(capsys, *arguments, "--yes")


def test_metrics_are_spaces_of_their_names(hub: HubServer, capsys: Capture) -> None:
    out = lines(capsys, "metrics", "mention", "cobsat_clip", "--to", "org")
    assert out[-2:] == [f"{hub.url}/spaces/org/mention", f"{hub.url}/spaces/org/cobsat_clip"]
    assert {name for _, name in hub.repos} == {"org/mention", "org/cobsat_clip"}
    repo = hub.repos["space", "org/cobsat_clip"]
    assert (repo.kind, repo.sdk) == ("space", "gradio")
    assert on_hub(hub, "space", "org/cobsat_clip") == {
        file.name: file.read_bytes()
        for file in Path(path("cobsat_clip")).iterdir()
        if file.is_file()
    }
    hub.sent()
    assert lines(capsys, "metrics", "mention", "cobsat_clip", "--to", "org")[-3] == (
        "all is there already"
    )
    assert hub.sent() == []


def test_all_metrics_and_where_the_package_comes_from(hub: HubServer, capsys: Capture) -> None:
    address = "cobsat @ git+https://example.org/cobsat@0123abc"
    lines(capsys, "metrics", "--to", "org", "--requirement", address)
    assert {name for _, name in hub.repos} == {f"org/{name}" for name in metric_names()}
    for name in metric_names():
        needed = Path(path(name), "requirements.txt").read_text().split()
        wanted = [address if line == "cobsat" else line for line in needed]
        files = on_hub(hub, "space", f"org/{name}")
        assert files["requirements.txt"].decode().splitlines() == wanted
        head = yaml.safe_load(files["README.md"].decode().split("---\n")[1])
        assert head["python_version"] == "3.11"  # the Hub's default is too old for this package


def test_a_metric_goes_by_its_name_only(hub: HubServer, capsys: Capture) -> None:
    assert publish("metrics", "mention", "--to", "org/mine") == 2
    assert "--to must be an organization or a user, got 'org/mine'" in capsys.readouterr().err
    assert publish("metrics", "cobsat_clp", "--to", "org") == 2
    assert "did you mean 'cobsat_clip'" in capsys.readouterr().err
    assert hub.repos == {}


def test_a_card_is_written_and_its_scores_are_read_back(
    hub: HubServer, rendered: MakeRun, capsys: Capture
) -> None:
    run = rendered()
    command = ["card", run, "--to", "org/model", "--dataset", "cobsat=org/cobsat"]
    assert lines(capsys, *command)[-1] == f"{hub.url}/org/model"
    files = on_hub(hub, "model", "org/model")
    (result,) = ModelCard(files["README.md"].decode()).data.eval_results
    verdicts, _ = RunFolder(run).verdicts("clip")
    right = sum(v.object_correct is True and v.attribute_correct is True for v in verdicts.values())
    assert 0 < right < 12
    assert result.metric_value == pytest.approx(right / 12, abs=1e-4)
    (entries,) = (
        yaml.safe_load(files[name]) for name in files if name.startswith(".eval_results/")
    )
    assert [entry["value"] for entry in entries] == [result.metric_value]
    shown = re.findall(r"\]\((cobsat/[^)]+)\)", files["README.md"].decode())
    shown += re.findall(r'src="(cobsat/[^"]+)"', files["README.md"].decode())
    assert shown
    assert set(shown) <= set(files)
    assert not any(b"/tmp/" in data for data in files.values())
    hub.sent()
    assert "all is there already" in lines(capsys, *command)
    assert hub.sent() == []


def test_what_people_wrote_in_a_card_stays(
    hub: HubServer, rendered: MakeRun, capsys: Capture
) -> None:
    publish("card", rendered("one"), "--to", "org/model")
    hub.edit("model", "org/model", "README.md", LETTER.replace("\n", "\r\n").encode())
    hub.edit("model", "org/model", "cobsat/examples/old.webp", b"old")
    hub.edit("model", "org/model", "cobsat-notes.md", b"mine")
    out = lines(capsys, "card", rendered("two", limit=9), "--to", "org/model")
    assert [line.split()[1] for line in out if line.startswith("  deleted  cobsat/examples/old")]
    files = on_hub(hub, "model", "org/model")
    assert "cobsat/examples/old.webp" not in files
    assert files["cobsat-notes.md"] == b"mine"
    card = files["README.md"].decode()
    head, body = LETTER.replace("\n", "\r\n").split("---\r\n")[1:]
    assert card.startswith(f"---\r\n{head}")
    assert body in card
    assert len(ModelCard(card).data.eval_results) == 1


@pytest.mark.usefixtures("no_plots")
def test_examples_of_others_pictures_need_the_right_to(
    hub: HubServer, make_run: MakeRun, capsys: Capture
) -> None:
    def pink(folder: Path, row: Any, number: int) -> Any:
        from cobsat import Prediction
        from PIL import Image

        (folder.path / "images").mkdir(exist_ok=True)  # type: ignore[attr-defined]
        Image.new("RGB", (8, 8), (255, 0, number)).save(folder.path / f"images/{number}.png")  # type: ignore[attr-defined]
        return Prediction(row["id"], "ok", image=f"images/{number}.png")

    run = make_run(configs=("color_i-2shot",), limit=12, predict=pink)
    for kind, what in (("card", "the examples on the card"), ("report", "the report")):
        assert publish(kind, run, "--to", "org/model") == 2
        err = capsys.readouterr().err
        assert f"{what} must hold pictures that you may publish, got those of folder:squares" in err
    assert hub.repos == {}
    assert publish("card", run, "--to", "org/model", "--i-have-the-right-to") == 0
    assert publish("report", run, "--to", "org/report", "--i-have-the-right-to") == 0


@pytest.mark.usefixtures("no_plots")
def test_runs_of_touchstone(hub: HubServer, tmp_path: Path, capsys: Capture) -> None:
    questions = question_file(tmp_path / "q.tsv")
    run = answer_run(tmp_path / "run", questions, dict.fromkeys(range(1, 9), ((8, 6), (6, 8))))
    assert publish("report", run, "--to", "org/board") == 2
    assert "got those of others' questions" in capsys.readouterr().err
    assert publish("card", run, "--to", "org/model", "--dataset", "touchstone=org/ts") == 0
    results = ModelCard(on_hub(hub, "model", "org/model")["README.md"].decode()).data.eval_results
    assert {result.dataset_type for result in results} == {"org/ts"}
    assert publish("report", run, "--to", "org/board", "--i-have-the-right-to") == 0
    assert b"Question 1" in on_hub(hub, "space", "org/board")["index.html"]


@pytest.mark.usefixtures("no_plots")
def test_a_report_is_a_static_space_with_its_pictures(
    hub: HubServer, rendered: MakeRun, capsys: Capture
) -> None:
    runs = [rendered("one"), rendered("two", limit=9)]
    command = ["report", *runs, "--to", "org/report"]
    assert lines(capsys, *command)[-1] == f"{hub.url}/spaces/org/report"
    assert hub.repos["space", "org/report"].sdk == "static"
    files = on_hub(hub, "space", "org/report")
    head = yaml.safe_load(files["README.md"].decode().split("---\n")[1])
    assert (head["sdk"], head["app_file"]) == ("static", "index.html")
    for run in runs:
        for picture in (run / "images").iterdir():
            assert files[f"runs/{run.name}/images/{picture.name}"] == picture.read_bytes()
    addresses = set(
        re.findall(r"\./(runs/(?:one|two)/images/\w+\.png)", files["index.html"].decode())
    )
    assert addresses
    assert addresses == {name for name in files if name.startswith("runs/")}
    assert not any(name.endswith((".json", ".jsonl")) for name in files)
    assert not any(b"/tmp/" in data for data in files.values())
    hub.edit("space", "org/report", "runs/old/images/a.png", b"of a run that is no longer in it")
    hub.sent()
    out = lines(capsys, *command)
    assert [line.split()[:2] for line in out if line.startswith("  ")] == [
        ["deleted", "runs/old/images/a.png"],
        ["same", str(len(files))],
    ]
    assert hub.sent() == ["commit org/report"]
    assert on_hub(hub, "space", "org/report") == files
    assert ".gitattributes" in hub.repos["space", "org/report"].files


def test_a_space_of_something_else_is_left_alone(
    hub: HubServer, rendered: MakeRun, capsys: Capture
) -> None:
    assert publish("metrics", "mention", "--to", "org") == 0
    before = on_hub(hub, "space", "org/mention")
    assert publish("report", rendered(), "--to", "org/mention") == 2
    assert "org/mention must be a new Space or one of a report" in capsys.readouterr().err
    assert on_hub(hub, "space", "org/mention") == before


STAYS = (
    "training_args.bin", "checkpoint-40/model.safetensors", ".env", ".hidden.json", "id_rsa",
    "README.md.partial", "run.log", "__pycache__/cached.json", "wandb/set.json", "table4/run.json",
)  # fmt: skip


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    """A folder as `cobsat train` leaves it, and what must not leave it."""
    folder = tmp_path / "tuned"
    folder.mkdir()
    settings = {"base_model_name_or_path": "org/base", "peft_type": "LORA"}
    (folder / "adapter_config.json").write_text(json.dumps(settings))
    (folder / "adapter_model.safetensors").write_bytes(b"\0" * 100)
    (folder / "training.json").write_text("{}")
    (folder / "results.json").write_text("{}")
    (folder / "README.md").write_text("---\nbase_model: org/base\n---\n# tuned\n\nNone yet.\n")
    for name in STAYS:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("{}")
    return folder


WEIGHTS = ["adapter_config.json", "adapter_model.safetensors", "results.json", "training.json"]


def test_a_model_goes_without_what_must_stay(
    hub: HubServer, adapter: Path, capsys: Capture
) -> None:
    out = lines(capsys, "model", adapter, "--to", "org/tuned")
    files = on_hub(hub, "model", "org/tuned")
    assert sorted(files) == ["README.md", *WEIGHTS]
    assert hub.repos["model", "org/tuned"].files["adapter_model.safetensors"].large
    (stays,) = (line for line in out if line.startswith("  stays"))
    shown = ".env, .hidden.json, README.md.partial, __pycache__/, checkpoint-40/"
    assert stays == f"  stays    {shown} and {len(STAYS) - 5} more"
    assert not any(line.startswith("  note") for line in out)
    hub.edit("model", "org/tuned", "notes.md", b"mine")
    hub.sent()
    assert "all is there already" in lines(capsys, "model", adapter, "--to", "org/tuned")
    assert hub.sent() == []
    (adapter / "adapter_model.safetensors").write_bytes(b"\0" * 99 + b"\1")
    (adapter / "results.json").write_text("[]")  # both as long as before
    out = lines(capsys, "model", adapter, "--to", "org/tuned")
    changed = [line.split()[1] for line in out if line.startswith("  changed")]
    assert changed == ["adapter_model.safetensors", "results.json"]
    assert hub.sent() == ["PUT 100 bytes", "commit org/tuned"]
    assert on_hub(hub, "model", "org/tuned")["notes.md"] == b"mine"


def test_folders_of_this_machine_are_said(
    hub: HubServer, adapter: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(adapter.parent))
    (adapter / "training.json").write_text(json.dumps({"images": f"{adapter.parent}/pictures"}))
    out = lines(capsys, "model", adapter, "--to", "org/tuned")
    assert "  note: folders of this machine are named in training.json" in out


def test_metadata_that_the_hub_refuses(hub: HubServer, adapter: Path, capsys: Capture) -> None:
    (adapter / "README.md").write_text("---\nbase_model: /home/me/base\n---\n# tuned\n")
    assert publish("model", adapter, "--to", "org/tuned") == 2
    err = capsys.readouterr().err
    assert err.startswith("cobsat publish: Invalid metadata in README.md.")
    assert '"base_model"' in err
    assert on_hub(hub, "model", "org/tuned") == {}


def test_a_model_renews_the_card_that_it_wrote_and_no_other(
    hub: HubServer, adapter: Path, capsys: Capture
) -> None:
    def card() -> str:
        return on_hub(hub, "model", "org/tuned")["README.md"].decode()

    publish("model", adapter, "--to", "org/tuned")
    ours = "---\nbase_model: org/base\n---\n# tuned\n\n62.5\n"
    (adapter / "README.md").write_text(ours)
    publish("model", adapter, "--to", "org/tuned")
    assert card() == ours
    hub.edit("model", "org/tuned", "README.md", LETTER.encode())
    out = lines(capsys, "model", adapter, "--to", "org/tuned")
    assert "  note: README.md on the Hub was written by others: it stays as it is" in out
    assert card() == LETTER
    part = "<!-- cobsat:begin -->\nscores: {}\n<!-- cobsat:end -->\n"
    for score in ("1.5", "2.5"):
        (adapter / "README.md").write_text(ours + part.format(score))
        out = lines(capsys, "model", adapter, "--to", "org/tuned")
        assert any("others: only our part of it is put anew" in line for line in out)
        assert card() == f"{LETTER}\n{part.format(score)}"


def test_a_base_that_only_this_machine_has_is_said(
    hub: HubServer, adapter: Path, capsys: Capture
) -> None:
    for base in (str(adapter), "models/mini_vlm_base/x", "./base", ""):
        settings = {"base_model_name_or_path": base, "peft_type": "LORA"}
        (adapter / "adapter_config.json").write_text(json.dumps(settings))
        out = lines(capsys, "model", adapter, "--to", "org/tuned")
        assert any("the adapter's base is a folder here" in line for line in out), base
        assert str(adapter) not in "\n".join(out)


def test_what_is_no_model(hub: HubServer, adapter: Path, tmp_path: Path, capsys: Capture) -> None:
    (adapter / "results.json").unlink()
    assert publish("model", adapter, "--to", "org/tuned") == 2
    assert "must be a training that has ended" in capsys.readouterr().err
    (adapter / "adapter_model.safetensors").unlink()
    for folder in (adapter, tmp_path / "none"):
        assert publish("model", folder, "--to", "org/tuned") == 2
        assert "got one without a file .safetensors" in capsys.readouterr().err
    (adapter / "adapter_model.safetensors").write_bytes(b"\0")
    (adapter / "results.json").write_text('{"hub_token": "hf_' + "aB3" * 12 + '"}')
    assert publish("model", adapter, "--to", "org/tuned") == 2
    assert "results.json, line 1: a token of the Hub" in capsys.readouterr().err
    assert hub.repos == {}
