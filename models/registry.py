"""The models by name: one literal table, each adapter imported only when it is chosen.

cobsat models                                  # lists the table
cobsat predict --model mypackage.module:Class  # an adapter of your own, not in the table
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from dataclasses import dataclass
from typing import Annotated, Any, Final, cast

import typer
from cobsat.spec import choose

from .asking import shorten
from .papers_systems import FETCHED, SYSTEMS
from .protocol import Model

__all__ = ["MODELS", "Entry", "chosen_class", "load_model", "repeats_with"]


@dataclass(frozen=True)
class Entry:
    """What the table says of a model, known without importing it.

    Attributes:
        target: "module:Class" of the adapter.
        about: What it is, in a few words.
        outputs: Its output kinds; for a family of checkpoints, all that any of them has.
        pictures: How many pictures a prompt may hold.
        loaded_by: What loads its checkpoint; empty where there is none.
        extra: The extra of the package that it needs, if any.
        named_by: The options that say which checkpoint or server it is.
        tiny: Whether it runs offline too, random and tiny, by `--tiny`.
    """

    target: str
    about: str
    outputs: tuple[str, ...] = ("image", "description")
    pictures: str = "any number"
    loaded_by: str = ""
    extra: str | None = None
    named_by: str = ""
    tiny: bool = False


MODELS: Final[dict[str, Entry]] = {
    "copy": Entry("cobsat.models.baselines:Copy", "baseline: repeats the last demonstration"),
    "query": Entry("cobsat.models.baselines:Query", "baseline: gives only what the text says"),
    "random": Entry("cobsat.models.baselines:Random", "baseline: any picture of the theme"),
    "oracle": Entry("cobsat.models.baselines:Oracle", "baseline: gives the target"),
    "mini-vlm": Entry(
        "cobsat.models.mini_vlm_model:MiniVLM",
        "a small Qwen2.5-VL that ships, to try things on; it knows the rendered drawings only",
        outputs=("description",),
        loaded_by="AutoModelForImageTextToText",
    ),
    "transformers": Entry(
        "cobsat.models.transformers_vlm:TransformersVLM",
        "any image-text-to-text checkpoint: LLaVA, Qwen-VL, InternVL, Gemma 3, Idefics 3, …",
        outputs=("description",),
        pictures="any number; BLIP: one",
        loaded_by="AutoModelForImageTextToText",
        named_by="checkpoint=NAME",
    ),
    "diffusers": Entry(
        "cobsat.models.diffusers_pipeline:DiffusersPipeline",
        "any text-to-image pipeline; with pictures OmniGen, FLUX.2, Qwen-Image-Edit, Kontext, …",
        outputs=("image",),
        pictures="none, one or any number, by its class",
        loaded_by="DiffusionPipeline, as its model_index.json says",
        extra="diffusers",
        named_by="checkpoint=NAME",
    ),
    "any_to_any": Entry(
        "cobsat.models.any_to_any:AnyToAny",
        "a checkpoint that reads pictures and draws one: Emu3, Janus",
        outputs=("image",),
        loaded_by="its own class of transformers",
        named_by="checkpoint=NAME",
    ),
    "seed_llama": Entry(
        "cobsat.models.seed_llama.adapter:SeedLLaMA",
        "SEED-LLaMA 8B or 14B",
        loaded_by="LlamaForCausalLM, with SEED-2 and StableUnCLIPImg2ImgPipeline",
        extra="diffusers",
        named_by="checkpoint=FOLDER",
        tiny=True,
    ),
    "gill": Entry(
        "cobsat.models.gill.adapter:GILL",
        "GILL on OPT-6.7B",
        loaded_by="OPTForCausalLM, with CLIP and StableDiffusionPipeline",
        extra="diffusers",
        named_by="checkpoint=FOLDER",
        tiny=True,
    ),
    "qwen_vl_chat": Entry(
        "cobsat.models.qwen_vl_chat.adapter:QwenVLChatModel",
        "Qwen-VL-Chat, the first one",
        outputs=("description",),
        loaded_by="Qwen2's architecture, with a tower and a resampler of its own",
        named_by="checkpoint=FOLDER",
        tiny=True,
    ),
    "emu": Entry(
        "cobsat.models.emu.adapter:EmuModel",
        "Emu, pretrained or instructed",
        loaded_by="LlamaForCausalLM, with a tower, a T5 and StableDiffusionPipeline",
        extra="diffusers",
        named_by="checkpoint=FOLDER",
        tiny=True,
    ),
    "emu2": Entry(
        "cobsat.models.emu2.adapter:Emu2Model",
        "Emu2, -Gen or -Chat",
        loaded_by="LlamaForCausalLM, with a tower and StableDiffusionXLPipeline",
        extra="diffusers",
        named_by="checkpoint=FOLDER",
        tiny=True,
    ),
    "minigpt4": Entry(
        "cobsat.models.minigpt4.adapter:MiniGPT4Model",
        "MiniGPT-4 on Vicuna",
        outputs=("description",),
        loaded_by="Blip2ForConditionalGeneration, with a LLaMA",
        named_by="checkpoint=FOLDER",
        tiny=True,
    ),
    "pandagpt": Entry(
        "cobsat.models.pandagpt.adapter:PandaGPTModel",
        "PandaGPT 7B or 13B",
        outputs=("description",),
        pictures="any number, as one",
        loaded_by="LlamaForCausalLM, with ImageBind's image tower",
        named_by="checkpoint=FOLDER",
        tiny=True,
    ),
    "openai": Entry(
        "cobsat.models.openai_api:OpenAIModel",
        "any OpenAI-compatible server: OpenAI, Gemini, Claude, vLLM, SGLang, transformers serve",
        extra="api",
        named_by="model=NAME",
    ),
    "describe_then_draw": Entry(
        "cobsat.models.describe_then_draw:DescribeThenDraw",
        "a model that describes, and a model that draws the description",
        outputs=("image",),
        pictures="as the first model",
        named_by="describe=MODEL, draw=MODEL",
    ),
}


def load_model(name: str, **options: Any) -> Model:
    """Return a model by its name in the table, or by the `module:Class` of an adapter.

    Args:
        name: `copy`, or `mypackage.module:Class`, found as Python finds modules or in the working
            directory.
        options: The adapter's own options.

    Raises:
        ValueError: There is no such model, or it has no such option.
        ModuleNotFoundError: A package is missing; the message says how to install it.
    """
    return cast(Model, chosen_class(name, options)(**options))


def chosen_class(name: str, options: dict[str, Any], part: str = "") -> type:
    """Return a model's class, its options' names checked; nothing is loaded yet.

    Args:
        name: As `load_model` takes it.
        options: The adapter's own options.
        part: What the model is within another, whose option names it; its options then have the
            names `PART.NAME` for the user.

    Raises:
        ValueError, ModuleNotFoundError: As `load_model`.
    """
    if isinstance(name, str) and ":" in name:
        model_class = _load_class(name, None)
    else:
        entry = MODELS[choose(part or "model", name, (*MODELS, "module:Class"))]
        model_class = _load_class(entry.target, entry.extra)
    _check_options(name, model_class, options, f"{part}." if part else "")
    return model_class


def repeats_with(model_class: type, options: dict[str, Any]) -> str:
    """Return why a model gives the same output each time, where its class tells by the options.

    The words are those of `Capabilities.repeats`; empty where it draws, or where that shows only
    when it is loaded.
    """
    tell = getattr(model_class, "repeats_with", None)
    return str(tell(options)) if tell else ""


def _root(error: BaseException) -> str:
    """Return what began it all, in one line."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return shorten(f"{type(error).__name__}: {error}")


def _load_class(target: str, extra: str | None) -> type:
    module_name, _, class_name = target.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), class_name)):
        raise ValueError(f"model must be the module:Class of an adapter, got {target!r}")
    if os.getcwd() not in sys.path and not module_name.startswith("cobsat."):
        sys.path.append(os.getcwd())  # an installed command does not look there by itself
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None:  # transformers says so of a library that is there and broken
            raise ImportError(
                f"the model must find libraries that go together, got {_root(error)}: install "
                "releases that do (torch and torchvision are a pair), or a fresh environment"
            ) from error
        missing = error.name
        if extra:
            raise ModuleNotFoundError(
                f"the model needs the package {missing!r}: pip install 'cobsat[{extra}]'"
            ) from error
        absent = f"{module_name}.".startswith(f"{missing}.")
        what = "no such module" if absent else f"it needs {missing!r}"
        raise ModuleNotFoundError(
            f"model must be the module:Class of an adapter, got {target!r} ({what}): install it, "
            "or start from the folder that holds it"
        ) from error
    found = getattr(module, class_name, None)
    if not isinstance(found, type):
        names = [n for n, v in vars(module).items() if isinstance(v, type) and n[0] != "_"]
        choose(f"class in {module_name}", class_name, names)
        raise ValueError(f"model must be the module:Class of an adapter, got {target!r}")
    lacking = [n for n in ("name", "capabilities", "record", "predict") if not _has(found, n)]
    if lacking:
        raise ValueError(
            f"model must be an adapter (cobsat.models.protocol.Model), got {target!r} without "
            f"{', '.join(lacking)}"
        )
    return found


def _has(model_class: type, member: str) -> bool:
    """Whether a class has a method; what an instance may set itself counts as there."""
    return member in ("name", "capabilities") or callable(getattr(model_class, member, None))


def _check_options(name: str, model_class: type, options: dict[str, Any], prefix: str = "") -> None:
    parameters = list(inspect.signature(model_class).parameters.values())
    names = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters)
    for option in [] if open_ended else options:
        if not names:
            raise ValueError(f"model {name} must be given no options, got {prefix + option!r}")
        choose(f"option of model {name}", prefix + option, [prefix + n for n in names])
    required = [
        p.name for p in parameters if p.default is p.empty and p.name in names
    ]  # a parameter without a default
    missing = [prefix + option for option in required if option not in options]
    if missing:
        raise ValueError(
            f"model {name} must be given {', '.join(missing)}, got none: --model-option "
            f"{missing[0]}=…"
        )


def command(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Show this model's options: one of the list, or a system of the papers.",
            metavar="[MODEL]",
        ),
    ] = None,
) -> None:
    """List the models: output kinds, pictures in a prompt, and the extra that each needs."""
    if name is not None:
        typer.echo(describe(name))
        return
    from rich.console import Console
    from rich.table import Column, Table

    pictures = Column("pictures", max_width=12)
    table = Table("model", "gives", pictures, "what it is", box=None, pad_edge=False)
    for key, entry in MODELS.items():
        what = [entry.about]
        if entry.loaded_by:
            what.append(f"loaded by {entry.loaded_by}")
        if entry.named_by:
            offline = "; offline, random and tiny: --tiny" if entry.tiny else ""
            what.append(f"--model-option {entry.named_by}{offline}")
        if entry.extra:
            what.append(f"pip install 'cobsat\\[{entry.extra}]'")
        table.add_row(key, "\n".join(entry.outputs), entry.pictures, "\n".join(what))
    table.add_row("module:Class", "its own", "its own", "an adapter of yours")
    answers = "What describes also answers TouchStone's questions; copy, query and random do not."
    systems = Table("system of the papers", "state", "how, or why not", box=None, pad_edge=False)
    for system, told in SYSTEMS.items():
        systems.add_row(system, told.state, told.how)
    last = "cobsat models MODEL shows a model's options; docs/models.md says more of the papers'."
    Console().print(table, "", answers, "", systems, "", last, highlight=False, sep="\n")


def check_tiny(name: str) -> bool:
    """Return True for a model that runs with random weights at tiny size.

    Raises:
        ValueError: It is another; the message names those that do.
    """
    able = [each for each, entry in MODELS.items() if entry.tiny]
    if name in MODELS and name not in able:
        raise ValueError(f"--tiny must go with one of {', '.join(able)}, got model {name!r}")
    return True


def describe(name: str) -> str:
    """Return what an adapter's class says of itself, and its options with their defaults."""
    if name not in MODELS and name in SYSTEMS:
        system = SYSTEMS[name]
        model = system.how.partition(",")[0]
        also = f"\n\n{describe(model)}" if model in MODELS else ""
        return f"{name}, a system of the papers: {system.state}: {system.how}{also}"
    entry = MODELS[choose("model", name, MODELS)]
    model_class = _load_class(entry.target, entry.extra)
    lines = [f"{name}: {entry.about}", "", inspect.getdoc(model_class) or ""]
    if entry.tiny:
        tried = f"cobsat run --model {name} --tiny --config color_i-2shot --limit 8"
        tried += "" if "image" in entry.outputs else " --output description"
        lines += ["", "to try it offline, with random weights:", f"  {tried}"]
        lines += ["", "to come by a checkpoint (docs/models.md has memory, licence and settings):"]
        lines += [f"  {line}" for line in FETCHED[name]]
    options = inspect.signature(model_class).parameters.values()
    lines += ["", "options (--model-option NAME=VALUE):" if options else "options: none"]
    for option in options:
        if option.kind is option.VAR_KEYWORD:
            continue  # the class says what else it takes
        default = "must be given" if option.default is option.empty else f"{option.default!r}"
        if entry.tiny and option.name == "checkpoint":
            default = "must be given, if not --tiny"
        lines.append(f"  {option.name}: {default}")
    return "\n".join(lines)
