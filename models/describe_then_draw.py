"""A model that describes, and a model that draws the description: an image score for both together.

    cobsat run --model describe_then_draw --config all-2shot --batch-size 64 \
        --model-option describe=openai --model-option describe.model=gpt-4o \
        --model-option draw=diffusers --model-option draw.steps=4 \
        --model-option draw.checkpoint=black-forest-labs/FLUX.1-schnell

The natural way to give a model without pictures of its own a place beside those that draw, and to
see what is lost in drawing: the same run with `--model openai --output description` judges the
descriptions. The describing model is asked with the benchmark's prompts for descriptions, in its
own wording of App. A.1; the drawing model sees nothing but the description. Both outputs are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, cast

from cobsat import Example, ImageSource
from cobsat.chat_replies import add_usage
from cobsat.spec import choose

from .asking import Answer, answers
from .protocol import Capabilities, Model, Output, UsesImageSource
from .registry import chosen_class, repeats_with
from .settings import asked_for
from .spending import Spending

__all__ = ["DescribeThenDraw"]

_ROLES: Final = {"describe": "description", "draw": "image"}
"""The two models, by what each has to give."""

_PLACE: Final = "{description}"


class DescribeThenDraw:
    """A picture of what a first model describes, drawn by a second.

    An option of either model has its name in front: `describe.checkpoint`, `draw.seed`;
    `cobsat models MODEL` shows them. A batch is described, then drawn: give a large --batch-size
    where one of the two is a server, which answers a batch at once. With --max-cost, the tokens of
    both have the same price.

    The prediction's text is the description, and `finish_reason` says how it ended: one that was
    cut is drawn all the same. An error or a filter of either is the output's, its reason beginning
    with `describe:` or `draw:`; a description that could not be drawn is kept. Choose a drawing
    model that reads a whole description: Stable Diffusion 3, FLUX. CLIP's 77 tokens, all that SDXL
    has, are about 50 words, and a longer one is an error.

    Args:
        describe: The model that describes: a name that `cobsat models` lists, or module:Class.
        draw: The model that draws, likewise.
        prompt: What the drawing model is told, with the description in the place of
            `{description}`: `A photo. {description}`.
        many_images: For a describing model that takes one picture: its `many_images`.
    """

    def __init__(
        self,
        describe: str,
        draw: str,
        prompt: str = _PLACE,
        many_images: str | None = None,
        **options: Any,
    ) -> None:
        if not isinstance(prompt, str) or _PLACE not in prompt:
            raise ValueError(f"prompt must be a text that holds {_PLACE}, got {prompt!r}")
        self._prompt = prompt
        self._names = {"describe": describe, "draw": draw}
        given = _by_role(options)
        if many_images is not None:
            given["describe"]["many_images"] = many_images
        classes = {role: chosen_class(self._names[role], given[role], role) for role in _ROLES}
        loaded = {role: _load(role, classes[role], given[role]) for role in _ROLES}
        for role, kind in _ROLES.items():
            _check_kind(role, kind, self._names[role], loaded[role].capabilities)
        self._models = loaded
        describer = loaded["describe"]
        self.name = f"{describer.name}, drawn by {loaded['draw'].name}"
        self.asked_for = asked_for(describer, "description")
        self.instructions_for: dict[str, str] = getattr(describer, "instructions_for", {})
        self.by_prefix: bool = getattr(describer, "by_prefix", False)
        self.session_options = frozenset(
            f"{role}.{option}"
            for role in _ROLES
            for option in getattr(loaded[role], "session_options", ())
        )
        self.capabilities = Capabilities(
            frozenset({"image"}),
            describer.capabilities.max_images,
            repeats=_together({role: loaded[role].capabilities.repeats for role in _ROLES}),
        )

    @classmethod
    def repeats_with(cls, options: dict[str, Any]) -> str:
        """Return why both together give the same each time, as far as their classes tell."""
        names = {role: options[role] for role in _ROLES}
        others = {k: v for k, v in options.items() if k not in ("prompt", "many_images", *_ROLES)}
        given = _by_role(others)
        return _together(
            {
                role: repeats_with(chosen_class(names[role], given[role], role), given[role])
                for role in _ROLES
            }
        )

    def use_image_source(self, source: ImageSource) -> None:
        """Pass the run's pictures on to whichever model takes them."""
        for model in self._models.values():
            if isinstance(model, UsesImageSource):
                model.use_image_source(source)

    def record(self) -> dict[str, Any]:
        """Return both models' records, and the prompt between them."""
        kept: dict[str, Any] = {"prompt": self._prompt}
        versions: dict[str, str] = {}
        for role, model in self._models.items():
            record = {"adapter": self._names[role], "name": model.name, **model.record()}
            for library, number in record.pop("versions", {}).items():
                versions[f"{role}.{library}"] = number
            kept[role] = record
        return {**kept, "versions": versions}

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Describe all, then draw what was described."""
        described = self._ask("describe", [_to_describe(example) for example in examples])
        ready = [example for example in examples if not _problem(described[example["id"]])]
        drawn = self._ask(
            "draw", [self._to_draw(e, described[e["id"]].output.text or "") for e in ready]
        )
        return [_output(described[e["id"]], drawn.get(e["id"])) for e in examples]

    def _ask(self, role: str, examples: Sequence[Example]) -> dict[str, Answer]:
        """Return one model's answers by id; what it raises costs its example alone."""
        some = answers(self._models[role], iter(examples), len(examples), Spending())
        return {answer.id: answer for batch in some for answer in batch}

    def _to_draw(self, example: Example, description: str) -> Example:
        text = self._prompt.replace(_PLACE, description)
        changed = {
            "output": "image",
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": text, "image": None}]}
            ],
            "followup": None,
        }
        return cast(Example, {**example, **changed})


def _to_describe(example: Example) -> Example:
    return cast(Example, {**example, "output": "description"})


def _by_role(options: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return each model's own options.

    >>> _by_role({"describe.seed": 1, "draw.describe.seed": 2})
    {'describe': {'seed': 1}, 'draw': {'describe.seed': 2}}
    """
    found: dict[str, dict[str, Any]] = {role: {} for role in _ROLES}
    for option, value in options.items():
        role, dot, name = option.partition(".")
        if role not in found or not dot:
            known = (*_ROLES, "prompt", "many_images", *(f"{role}.KEY" for role in _ROLES))
            choose("option of model describe_then_draw", option, known)
        found[role][name] = value
    return found


def _load(role: str, model_class: type, options: dict[str, Any]) -> Model:
    try:
        return cast(Model, model_class(**options))
    except ValueError as error:
        raise ValueError(f"{role}: {_named(str(error), role)}") from error


def _check_kind(role: str, kind: str, name: str, can: Capabilities) -> None:
    if kind in can.outputs:
        return
    fix = f": {_named(can.hint, role)}" if can.hint else ""
    raise ValueError(
        f"{role} must be a model that gives {kind}s, got {name}, which gives "
        f"{' and '.join(f'{other}s' for other in sorted(can.outputs))} only{fix}"
    )


def _together(why: dict[str, str]) -> str:
    """Return why both together give the same each time; empty where one of them draws lots."""
    if not all(why.values()):
        return ""
    return "; ".join(f"{role}: {_named(text, role)}" for role, text in why.items())


def _named(text: str, role: str) -> str:
    """Return a model's words with its options named as they are here."""
    return text.replace("--model-option ", f"--model-option {role}.")


def _problem(described: Answer) -> str | None:
    """Return why a description is not drawn."""
    output = described.output
    if output.status != "ok":
        return output.reason
    return None if (output.text or "").strip() else "the description is empty"


def _output(described: Answer, drawn: Answer | None) -> Output:
    """Return the picture and its description, or what went wrong first."""
    first = described.output
    kept = {"describe": first.extra}
    output = replace(first, image=None, extra=_without_none(kept))
    if drawn is None:
        status = "error" if first.status == "ok" else first.status
        reason = f"describe: {_named(_problem(described) or '', 'describe')}"
        return replace(output, status=status, reason=reason, raised=described.error is not None)
    second = drawn.output
    said = {"text": second.text, "finish_reason": second.finish_reason, **(second.extra or {})}
    return replace(
        output,
        status=second.status,
        image=second.image,
        reason=None if second.reason is None else f"draw: {_named(second.reason, 'draw')}",
        usage=add_usage(first.usage, second.usage),
        extra=_without_none({**kept, "draw": _without_none(said)}),
        raised=drawn.error is not None,
    )


def _without_none(data: dict[str, Any]) -> dict[str, Any] | None:
    return {key: value for key, value in data.items() if value is not None} or None
