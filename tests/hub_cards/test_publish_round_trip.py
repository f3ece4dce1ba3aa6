"""What `cobsat publish` uploads, as others load it: by name, in a process that knows the Hub only.

All is published first; then one process, whose Hub is the server on loopback, loads each thing by
the library that people use for it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from cobsat import Verdict, examples, image_source
from cobsat.cli import main
from hub_server import HubServer
from publishing import publish
from safetensors.numpy import save_file

LOADS = """
import json
import sys
from pathlib import Path

from huggingface_hub import ModelCard, hf_hub_download, snapshot_download

found = {}

from datasets import get_dataset_config_names, load_dataset
rows = load_dataset("org/cobsat", "color_i-2shot", split="test")
streamed = next(iter(load_dataset("org/cobsat", "color_i-2shot", split="test", streaming=True)))
parts = streamed["messages"][0]["content"]
found["configs"] = get_dataset_config_names("org/cobsat")
found["rows"] = [[row["id"], row["reference"]] for row in rows.select_columns(["id", "reference"])]
found["pictures"] = [part["image"].size for part in parts if part["type"] == "image"]
train = load_dataset("org/cobsat", "color_i-2shot-train", split="ft_train")
found["train"] = len(train)

import evaluate
reference = {"task": "color_i", "object": "car", "attribute": "red"}
clip = evaluate.load("org/cobsat_clip", "description")
results = clip.compute(predictions=["A red car.", "A blue hat."], references=[reference] * 2)
found["clip"] = [results["accuracy"], results["unscored"], results["similarity"]]

card = ModelCard.load("org/model")
found["scores"] = [
    [result.dataset_type, result.dataset_config, result.metric_type, result.metric_value]
    for result in card.data.eval_results
]
folder = snapshot_download("org/model")
entries = Path(folder, ".eval_results").glob("*.yaml")
found["entries"] = [path.read_text("utf-8") for path in entries]

page = Path(hf_hub_download("org/report", "index.html", repo_type="space")).read_text("utf-8")
found["page"] = len(page)

from cobsat.models.lora import merge_adapter
from transformers import LlamaConfig, LlamaForCausalLM
base = LlamaForCausalLM(LlamaConfig(**json.loads(sys.argv[1])))
before = base.model.layers[0].self_attn.q_proj.weight.detach().clone()
after = merge_adapter(base, "org/tuned").model.layers[0].self_attn.q_proj.weight
found["added"] = (after - before).tolist()
print(json.dumps(found))
"""
TINY = {
    "vocab_size": 32, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1,
    "num_attention_heads": 2, "num_key_value_heads": 2,
}  # fmt: skip


def test_what_is_published_is_loaded_by_its_name(
    hub: HubServer, make_run: Any, tmp_path: Path
) -> None:
    export, run, tuned = tmp_path / "export", _run(make_run), tmp_path / "tuned"
    assert main(["export", "--config", "color_i-2shot", "--out", str(export)]) == 0
    added = _adapter(tuned)
    for arguments in (
        ["dataset", export, "--to", "org/cobsat"],
        ["metrics", "cobsat_clip", "--to", "org"],
        ["card", run, "--to", "org/model", "--dataset", "cobsat=org/cobsat"],
        ["report", run, "--to", "org/report"],
        ["model", tuned, "--to", "org/tuned"],
    ):
        assert publish(*arguments, "--yes", "--private") == 0
    assert all(repo.private for repo in hub.repos.values())

    found = _loaded(hub, tmp_path / "home")
    rows = list(examples("color_i-2shot"))
    assert found["rows"] == [[row["id"], row["reference"]] for row in rows]
    assert found["configs"] == ["color_i-2shot", "color_i-2shot-train", "pictures"]
    assert found["pictures"] == [[512, 512]] * 2
    assert found["train"] == 300
    accuracy, unscored, similarity = found["clip"]
    assert (accuracy, unscored) == (0.5, 0)
    assert -1 <= similarity <= 1
    assert found["scores"] == [["org/cobsat", "color_i-2shot", "accuracy", 1.0]]
    assert len(found["entries"]) == 1
    assert "id: org/cobsat" in found["entries"][0]
    assert found["page"] > 10_000
    assert np.allclose(found["added"], added, atol=1e-6)
    assert np.abs(added).max() > 0.1


def _adapter(folder: Path) -> Any:
    """Write a LoRA adapter in PEFT's form, and return what it adds to the one weight."""
    draw, name = np.random.default_rng(0), "base_model.model.model.layers.0.self_attn.q_proj"
    a, b = (draw.normal(size=shape).astype("float32") for shape in ((2, 16), (16, 2)))
    folder.mkdir()
    weights = {f"{name}.lora_A.weight": a, f"{name}.lora_B.weight": b}
    save_file(weights, folder / "adapter_model.safetensors", {"format": "pt"})
    settings = {"peft_type": "LORA", "base_model_name_or_path": "org/base", "r": 2}
    settings |= {"lora_alpha": 6, "target_modules": ["q_proj"], "task_type": "CAUSAL_LM"}
    (folder / "adapter_config.json").write_text(json.dumps(settings))
    (folder / "README.md").write_text("---\nlibrary_name: peft\n---\n# tuned\n")
    return 6 / 2 * b @ a


def _run(make_run: Any) -> Path:
    """Return a run on the shipped pictures whose every output a judge calls right."""

    def right(row: Any, prediction: Any, draw: Any) -> Verdict:
        reference = row["reference"]
        answers = (reference["object"], reference["attribute"])
        return Verdict(row["id"], "scored", *answers, True, True)

    digest = image_source("rendered").digest
    settings = {"images": "rendered", "image_digest": digest, "limit": 4, "judge": right}
    run: Path = make_run(configs=("color_i-2shot",), **settings)
    return run


def _loaded(hub: HubServer, home: Path) -> Any:
    environment = {**os.environ, **hub.environment, "HF_HOME": str(home), "OMP_NUM_THREADS": "1"}
    process = subprocess.run(
        [sys.executable, "-c", LOADS, json.dumps(TINY)],
        env=environment,
        cwd=home.parent,
        stdout=subprocess.PIPE,
        timeout=900,
        check=True,
        text=True,
    )
    return json.loads(process.stdout.splitlines()[-1])
