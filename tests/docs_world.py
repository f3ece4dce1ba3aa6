"""What stands for the models, servers, files and people that the documentation speaks of.

Checkpoints are tiny ones of the real classes with random weights; in the folder where a page is
read they lie under the names that the page gives, so that its commands run as they stand.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import json
import os
import re
import shutil
import signal
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import emu2_checkpoints
import emu_checkpoints
import gill_checkpoints
import llava_checkpoints
import minigpt4_checkpoints
import pandagpt_checkpoints
import qwen_vl_checkpoints
import seed_checkpoints
import tiny_models
import tiny_pipelines
import tiny_vlms
import touchstone_questions
from chat_server import Call, Response, as_json, completion
from cobsat import image_source
from cobsat.touchstone.tsv import write_table
from PIL import Image

Maker = Callable[[Path], Path]
"""Makes something in a new folder, and returns where it is."""


def _text_model(home: Path) -> Path:
    """Save a tiny language model of the real class; what it says is no mark."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    words = tiny_models.qwen_tokenizer()
    words.chat_template = (
        "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
        "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    config = Qwen2Config(
        vocab_size=len(words), hidden_size=32, intermediate_size=32, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=4096,
        bos_token_id=None, eos_token_id=words.eos_token_id,
    )  # fmt: skip
    Qwen2ForCausalLM(config).save_pretrained(home)
    words.save_pretrained(home)
    return home


def _seed_llama(home: Path) -> Sequence[Path]:
    """Save a tiny SEED-LLaMA's words, language model and decoder as they are published."""
    from cobsat.models.seed_llama.system import SeedLlama
    from cobsat.models.seed_llama.tiny import SIZES

    home.mkdir(parents=True)
    return seed_checkpoints.save_published(SeedLlama.tiny(), SIZES, home)


def _gill(home: Path) -> Sequence[Path]:
    """Save a tiny GILL's own part, OPT, CLIP and decoder as they are published."""
    home.mkdir(parents=True)
    return gill_checkpoints.save_published(home)


def _emu(home: Path) -> Sequence[Path]:
    """Save a tiny Emu, pretrained and instructed, and LLaMA's words as they are published."""
    home.mkdir(parents=True)
    return emu_checkpoints.save_published(home)


def _pandagpt(home: Path) -> tuple[Path, Path, Path]:
    """Save a tiny PandaGPT's parts as they are published, its own in a folder."""
    imagebind, delta, vicuna = pandagpt_checkpoints.save_published(home)
    own = home / "own"
    own.mkdir()
    return imagebind, delta.rename(own / delta.name).parent, vicuna


def _minigpt4(home: Path) -> Sequence[Path]:
    """Save a tiny MiniGPT-4's trained layer, BLIP-2 and Vicuna as they are published."""
    home.mkdir(parents=True)
    return minigpt4_checkpoints.save_published(home)


def _qwen_vl_chat(home: Path) -> Path:
    home.parent.mkdir(parents=True, exist_ok=True)
    return qwen_vl_checkpoints.save_published(home, *qwen_vl_checkpoints.SMALL)


def _official_pictures(home: Path) -> Path:
    """Write 500 tiny pictures with descriptions as the authors' file has them."""
    from cobsat import THEMES
    from cobsat.layout import LABELS, stem

    home.mkdir(parents=True)
    with zipfile.ZipFile(home / "datasets.zip", "w") as archive:
        for number, label in enumerate(LABELS):
            file = io.BytesIO()
            Image.new("RGB", (8, 8), (number % 256, number // 256, 77)).save(file, "JPEG")
            archive.writestr(f"datasets/{stem(label)}.jpg", file.getvalue())
        for theme in THEMES.values():
            lines = ["image,caption"]
            lines += [f"{stem(x)}.jpg,A {x[1]} {x[2]}." for x in LABELS if x[0] == theme.name]
            table = f"datasets/{theme.name}_{theme.object_kind}.csv"
            archive.writestr(table, "\n".join(lines))
    return home / "datasets.zip"


def _official_questions(home: Path) -> Path:
    return touchstone_questions.official(home.with_suffix(".tsv"))


def _answers(home: Path) -> Path:
    """Write answers to the 908 questions in the submission format."""
    path = home.with_suffix(".tsv")
    names = [n for n, count in touchstone_questions.OFFICIAL_COUNTS.items() for _ in range(count)]
    rows = [touchstone_questions.cells(index, name) for index, name in enumerate(names)]
    columns = ("index", "question", "response")
    write_table(path, columns, [{**row, "response": f"Answer {row['index']}."} for row in rows])
    return path


def _adapter(home: Path) -> Path:
    """Write an adapter of one's own, as a package."""
    home.mkdir(parents=True)
    (home / "__init__.py").touch()
    (home / "mymodel.py").write_text(
        "from cobsat.models import Capabilities, Output\n"
        "from PIL import Image\n\n\n"
        "class MyModel:\n"
        '    name = "mine"\n'
        '    capabilities = Capabilities(frozenset({"image", "description"}))\n\n'
        "    def record(self):\n"
        "        return {}\n\n"
        "    def predict(self, examples):\n"
        '        red = Image.new("RGB", (8, 8), "red")\n'
        '        return [Output(text="A red car.", image=red if e["output"] == "image" else None)\n'
        "                for e in examples]\n"
    )
    return home


@dataclass(frozen=True)
class Needed:
    """What stands for a name, and the words on a page that need it."""

    make: Maker
    where: str


STANDS_FOR: dict[str, Needed] = {
    name: Needed(make, where or re.escape(name))
    for name, make, where in (
        # published checkpoints: the real classes, tiny, with random weights
        ("Qwen/Qwen2.5-VL-7B-Instruct", lambda home: tiny_vlms.save("qwen2_5_vl", home), ""),
        ("llava-hf/llava-1.5-13b-hf", lambda home: tiny_models.build("llava", home), ""),
        ("Qwen/Qwen3-32B", _text_model, ""),
        ("Shitao/OmniGen-v1-diffusers", lambda home: tiny_pipelines.save("omnigen", home), ""),
        ("black-forest-labs/FLUX.1-schnell", lambda home: tiny_pipelines.save("flux", home), ""),
        ("seed-tokenizer-2", lambda home: _seed_llama(home)[0], ""),
        ("seed-llama-14b-sft", lambda home: _seed_llama(home)[1], ""),
        (
            "sd2-community/stable-diffusion-2-1-unclip",
            lambda home: _seed_llama(home)[2],
            "checkpoints/seed-llama",
        ),
        ("gill/checkpoints/gill_opt", lambda home: _gill(home)[0], ""),
        ("opt-6.7b", lambda home: _gill(home)[1], ""),
        ("clip-vit-large-patch14", lambda home: _gill(home)[2], ""),
        ("stable-diffusion-v1-5/stable-diffusion-v1-5", lambda home: _gill(home)[3], ""),
        ("Qwen-VL-Chat", _qwen_vl_chat, "convert qwen_vl_chat Qwen-VL-Chat"),
        ("Emu/pretrain", lambda home: _emu(home)[0], ""),
        ("Emu/Emu-instruct.pt", lambda home: _emu(home)[1], ""),
        ("llama-13b", lambda home: _emu(home)[2], "convert emu"),
        ("Emu2-Gen", emu2_checkpoints.save_gen, ""),
        ("Emu2-Chat", emu2_checkpoints.save_chat, ""),
        ("llava-v1.5-13b", lambda home: llava_checkpoints.save_published(home, True)[0], ""),
        (
            "clip-vit-large-patch14-336",
            lambda home: llava_checkpoints.save_published(home, True)[1],
            "",
        ),
        ("imagebind_huge.pth", lambda home: _pandagpt(home)[0], "convert pandagpt"),
        ("pandagpt_13b_max_len_400", lambda home: _pandagpt(home)[1], "convert pandagpt"),
        ("vicuna-13b-v0", lambda home: _pandagpt(home)[2], "convert pandagpt"),
        ("prerained_minigpt4_7b.pth", lambda home: _minigpt4(home)[0], "convert minigpt4"),
        ("blip2-flan-t5-xxl", lambda home: _minigpt4(home)[1], "convert minigpt4"),
        ("vicuna-7b", lambda home: _minigpt4(home)[2], "convert minigpt4"),
        # files of others
        ("datasets.zip", _official_pictures, "official|checkpoint=|cobsat train"),
        ("touchstone_20230831.tsv", _official_questions, r"touchstone_2023|--config touchstone\b"),
        ("answers.tsv", _answers, ""),
        # the reader's own
        ("mypackage", _adapter, ""),
    )
}
"""Name in the documentation → what stands for it."""


class World:
    """Makes what stands for a name, once, and puts it where a page expects it."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._made: dict[str, Path] = {}

    def put(self, name: str, folder: Path) -> None:
        """Put what a name stands for into a folder, under that name."""
        if name not in self._made:
            self._made[name] = STANDS_FOR[name].make(self._home / str(len(self._made)))
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if self._made[name].is_dir():
            shutil.copytree(self._made[name], place)
        else:
            shutil.copyfile(self._made[name], place)


DESCRIPTIONS = ("A red car.", "An orange hat.", "A green leaf.")
"""What the server's model says, in turns."""


def answer(call: Call) -> Response:
    """Answer as any server does: pictures, marks, an option's number, or a description."""
    if "/images/" in call.path:
        file = io.BytesIO()
        Image.new("RGB", (16, 16), (200, call.number % 256, 30)).save(file, "PNG")
        data = base64.b64encode(file.getvalue()).decode()
        return as_json({"created": 1, "data": [{"b64_json": data}]})
    if "Assistant 1's Answer" in call.text:
        return completion(f"{5 + call.number % 4} 7")
    if "degree on a scale of 1 to 10" in call.text:
        return completion("2\nA hat that is not there.")
    if "from the following options" in call.text:
        return completion("3")
    return completion(DESCRIPTIONS[call.number % len(DESCRIPTIONS)])


class Person:
    """Labels what the page shows that a browser is told to open.

    Everyone knows what a picture shows, for it is one that ships; all but the first person cannot
    tell each seventh, and mistake the attribute of each ninth. Of two answers, the first person
    finds both as good, the second the model's better, the third the other: a fourth is needed.
    """

    def __init__(self, number: int) -> None:
        self._number = number

    def open(self, address: str) -> bool:
        """Give verdicts through the page's own addresses, and press Ctrl-C."""
        try:
            most = json.loads(_get(f"{address}progress"))["of"]
            for number in range(most):
                shown = json.loads(_get(f"{address}item/{number}"))
                if "left" in shown:
                    said = self._vote(shown)
                else:
                    said = self._verdict(shown, number, _get(f"{address}picture/{number}/0"))
                _post(address, {"number": number, **said})
        finally:
            os.kill(os.getpid(), signal.SIGINT)
        return True

    def _vote(self, shown: dict[str, str]) -> dict[str, str]:
        models = "left" if shown["left"] in DESCRIPTIONS else "right"
        other = "right" if models == "left" else "left"
        return {"vote": ("tie", models, other)[(self._number - 1) % 3]}

    def _verdict(self, shown: dict[str, Any], number: int, picture: bytes) -> dict[str, str]:
        _, attribute, object_ = _labels()[hashlib.sha256(picture).hexdigest()]
        if self._number > 1 and number % 7 == 6:
            object_ = attribute = ""
        elif self._number > 1 and number % 9 == 8:
            attribute = next(a for a in shown["attributes"] if a != attribute)
        return {"object": object_, "attribute": attribute}


@functools.cache
def _labels() -> dict[str, tuple[str, str, str]]:
    """Return what each picture that ships shows, by its digest."""
    paths = image_source().paths
    return {hashlib.sha256(Path(p).read_bytes()).hexdigest(): label for label, p in paths.items()}


def _get(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=10) as reply:
        return bytes(reply.read())


def _post(address: str, said: dict[str, object]) -> None:
    origin = "/".join(address.split("/")[:3])
    headers = {"Content-Type": "application/json", "Origin": origin}
    data = json.dumps(said).encode()
    request = urllib.request.Request(f"{address}answer", data, headers)
    urllib.request.urlopen(request, timeout=10).close()
