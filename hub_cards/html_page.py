"""What the pages share: a template filled, its style and script within, and nothing let in.

A page asks nothing of any network and says so: its content security policy lets in no address, and
no script but its own, by digest. Everything that a run fills is either escaped by Jinja or handed
to the script as JSON, which sets it as text.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from .text import shorten, visible

THUMBNAILS_A_CHUNK: Final = 400


def fill(
    template: str,
    styles: Sequence[str],
    scripts: Sequence[str],
    data: Mapping[str, Any],
    thumbnails: Sequence[str],
    filters: Mapping[str, Any] | None = None,
    *,
    packed: Sequence[str] = (),
    pictures: str = "data:",
    **values: Any,
) -> str:
    """Return a page's text.

    Args:
        template: Its name among `templates/`.
        styles: Its style sheets, in order.
        scripts: Its scripts, in order.
        data: What the scripts read.
        thumbnails: Pictures in base64, read by the scripts when they are first shown.
        filters: What the template has beyond Jinja's.
        packed: Blocks of base64 that the scripts unpack when they are first needed.
        pictures: Where pictures may come from, as the policy's `img-src` says it.
        values: What the template shows.
    """
    environment = Environment(
        loader=PackageLoader("cobsat.hub_cards"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters.update(filters or {})
    style, script = (
        "".join(_asset(environment, name) for name in names) for names in (styles, scripts)
    )
    return environment.get_template(template).render(
        policy=f"default-src 'none'; img-src {pictures}; style-src '{_digest(style)}'; "
        f"script-src '{_digest(script)}'; base-uri 'none'; form-action 'none'",
        style=own(style),
        script=own(script),
        data=json_block({"chunk": THUMBNAILS_A_CHUNK, **data}),
        thumbnails=[json_block(chunk) for chunk in _chunks(thumbnails)],
        packed=[own(block) for block in packed],
        **values,
    )


def json_block(data: object) -> Markup:
    r"""Return JSON that nothing inside can end early, for a `<script type="application/json">`.

    >>> print(json_block("</script><!-- & \u2028"))
    "\u003c/script\u003e\u003c!-- \u0026 \u2028"
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - no character is left that HTML knows


def own(text: str) -> Markup:
    """Return text that this package wrote, in which all of a run's words are escaped already."""
    return Markup(text)  # noqa: S704


def _shown(value: object) -> object:
    """Return what a template shows for a value: markup of our own, or text made harmless."""
    return value if isinstance(value, Markup) else visible(shorten(str(value)))


def _asset(environment: Environment, name: str) -> str:
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _chunks(thumbnails: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(thumbnails), THUMBNAILS_A_CHUNK):
        yield thumbnails[start : start + THUMBNAILS_A_CHUNK]
