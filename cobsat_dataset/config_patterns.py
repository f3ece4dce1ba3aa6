"""Config names and patterns of them, as the commands take them."""

from __future__ import annotations

import difflib
import fnmatch

from .examples import CONFIGS, Options, check_split, parse_config

__all__ = ["matching_configs"]


def matching_configs(name: str, split: str, options: Options) -> list[str]:
    """Return the configs that a name or a pattern means, in order.

    A pattern stands for those of its configs that go with split and options; a name in full must
    go with them.

    Raises:
        ValueError: A name is unknown, a pattern matches nothing, or they do not go together.

    >>> matching_configs("color_*-2shot", "test", Options())
    ['color_i-2shot', 'color_ii-2shot']
    """
    if not any(sign in name for sign in "*?["):
        parse_config(name)
        check_split(name, split, options)
        return [name]
    matches = fnmatch.filter(CONFIGS, name)
    if not matches:
        nearest = difflib.get_close_matches(name.replace("*", ""), CONFIGS, n=1, cutoff=0.3)
        hint = f"; did you mean a pattern for {nearest[0]!r}?" if nearest else ""
        raise ValueError(
            f"config must be a name like color_i-2shot or a pattern that matches one, got "
            f"{name!r}{hint}"
        )
    fitting, first_error = [], None
    for config in matches:
        try:
            check_split(config, split, options)
            fitting.append(config)
        except ValueError as error:
            first_error = first_error or error
    if not fitting and first_error:
        raise first_error
    return fitting
