"""Options given as `key=value`."""

from __future__ import annotations

import pytest
from cobsat.command_line import parse_options


def test_options_are_read_as_json_scalars_and_else_as_text() -> None:
    given = ["a=1", "b=1.5", "c=true", "d=null", "e=org/m", "f=007", "g=NaN", "h=", 'i="7"']
    given += ["j=[1]", "k=1e999", "l=x=y", "m.n=2", "m.o.p=q.r"]
    assert parse_options(given) == {
        "a": 1, "b": 1.5, "c": True, "d": None, "e": "org/m", "f": "007", "g": "NaN", "h": "",
        "i": "7", "j": "[1]", "k": "1e999", "l": "x=y", "m.n": 2, "m.o.p": "q.r",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["seed"], "an option must be key=value, got 'seed'"),
        (["=1"], "an option must be key=value"),
        (["a b=1"], "an option must be key=value"),
        (["a=1", "a=1"], "an option must be given once, got a twice"),
        ([".a=1"], "an option must be key=value"),
        (["a.=1"], "an option must be key=value"),
        (["a..b=1"], "an option must be key=value"),
        (["api_key=abc"], "a secret must be in an environment variable"),
        (["describe.api_key=abc"], "a secret must be in an environment variable"),
    ],
)
def test_options_that_are_none_are_named(given: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_options(given)
