"""What the commands share: options of models and judges, given as `key=value`; what is printed."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable
from typing import Any, Final

from .card_parts import visible

SECRETS: Final = (
    "access_token",
    "api_key",
    "auth_token",
    "hf_token",
    "password",
    "secret",
    "token",
)
"""Options that none has: what was given is kept in the run folder."""


def say(text: object = "", *, err: bool = False) -> None:
    """Print a text of which a terminal obeys nothing: names, files and models have a part in it."""
    print(visible(text), file=sys.stderr if err else sys.stdout, flush=True)


def parse_options(given: Iterable[str]) -> dict[str, Any]:
    """Take `key=value` options apart.

    Numbers, true, false and null are read as such, all else as text; `key='"7"'` is a text too. A
    key with a dot is an option of a model within the model: `describe.seed=3`.

    Raises:
        ValueError: One has no `=`, a key comes twice, or it would put a secret into the run folder.

    >>> parse_options(["seed=3", "checkpoint=org/model", "greedy=true"])
    {'seed': 3, 'checkpoint': 'org/model', 'greedy': True}
    """
    options: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        names = key.split(".")
        if not equals or not all(name.isidentifier() for name in names):
            raise ValueError(f"an option must be key=value, got {text!r}")
        if key in options:
            raise ValueError(f"an option must be given once, got {key} twice")
        if names[-1] in SECRETS:
            raise ValueError(
                f"a secret must be in an environment variable, got the option {key} (the run "
                "folder would hold it)"
            )
        options[key] = _value(value)
    return options


def json_object(name: str, given: str | dict[str, Any] | None) -> dict[str, Any]:
    """Return an option that is a JSON object, given as text or as itself; empty if it is not given.

    Raises:
        ValueError: It is none.

    >>> json_object("body", '{"top_k": 1}')
    {'top_k': 1}
    """
    try:
        data = json.loads(given or "{}") if isinstance(given, str | None) else given
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise ValueError(f"{name} must be a JSON object, got {given!r}")
    return data


def _value(text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=str)
    except ValueError:
        return text
    if isinstance(value, list | dict) or value in (math.inf, -math.inf):
        return text
    return value
