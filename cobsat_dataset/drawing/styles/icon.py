"""Style icon: an app's icon: a bold, simplified glyph on a tile with rounded corners.

The ten glyphs are drawn for this style, in the middle of the picture. A glyph's marks have tones:
"glyph" is its own colour, "soft" a weaker one, "tile" cuts through to the tile.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..svg import Picture, element, ellipse_d, group, num, path, shade
from ._geometry import line_d
from ._scene import blend, hsl, mix, sentence

Tone: TypeAlias = Literal["glyph", "soft", "tile"]


@dataclass(frozen=True)
class Mark:
    """One mark of a glyph: a filled path, or a stroke where `width` is not 0."""

    d: str
    tone: Tone = "glyph"
    width: float = 0.0


_GLYPHS: dict[str, tuple[Mark, ...]] = {
    "leaf": (
        Mark("M140 384Q170 340 206 306", width=20),
        Mark("M164 336C130 236 214 142 378 134C388 296 300 392 196 366Q176 360 164 336Z"),
        Mark("M164 360Q220 282 310 214", "tile", 14),
        Mark("M222 292V228M222 290H298M268 246V200M266 246H326", "tile", 11),
    ),
    "hat": (
        Mark("M172 308C172 200 186 150 222 150C240 150 242 164 256 164C270 164 272 150 290 150"
             "C326 150 340 200 340 308Z"),
        Mark("M172 262H340V300H172Z", "tile"),
        Mark("M122 300C104 300 104 328 122 338C180 366 332 366 390 338C408 328 408 300 390 300"
             "C340 318 172 318 122 300Z"),
        Mark("M172 270H340V294H172Z", "soft"),
    ),
    "cup": (
        Mark("M326 226H340A40 40 0 0 1 340 306H318", width=22),
        Mark("M146 204H332V286A64 64 0 0 1 268 350H210A64 64 0 0 1 146 286Z"),
        Mark("M146 226H332V240H146Z", "tile"),
        Mark("M132 368H346", width=20),
        Mark("M196 180Q182 160 196 144T196 110M240 180Q226 160 240 144T240 110M284 180"
             "Q270 160 284 144T284 110", "soft", 13),
    ),
    "chair": (
        Mark("M190 272V140M322 272V140", width=22),
        Mark("M179 148Q179 128 199 128H313Q333 128 333 148V172H179ZM190 196H322V226H190Z"),
        Mark("M162 262H350Q362 262 362 274V288Q362 296 352 296H160Q150 296 150 288V274"
             "Q150 262 162 262Z", "soft"),
        Mark("M172 296V388M340 296V388", width=24),
        Mark("M172 344H340", width=12),
    ),
    "car": (
        Mark("M118 300Q118 262 152 256L182 250L216 196Q226 180 246 180H304Q322 180 334 196"
             "L370 250Q396 258 396 288V310Q396 324 382 324H132Q118 324 118 310Z"),
        Mark("M214 250L236 212Q241 204 250 204H266V250ZM284 204H304Q312 204 317 212L342 250"
             "H284Z", "tile"),
        Mark(ellipse_d(188, 324, 42), "tile"), Mark(ellipse_d(328, 324, 42), "tile"),
        Mark(ellipse_d(188, 324, 30)), Mark(ellipse_d(328, 324, 30)),
        Mark(ellipse_d(188, 324, 11), "tile"), Mark(ellipse_d(328, 324, 11), "tile"),
        Mark("M372 276H396V292H372ZM118 280H138V294H118Z", "soft"),
    ),
    "box": (
        Mark("M256 124L374 182L256 242L138 182Z"),
        Mark("M138 200L248 256V390L138 332Z", "soft"),
        Mark("M374 200L264 256V390L374 332Z"),
        Mark("M194 154L226 138L342 196L312 212Z", "tile"),
        Mark("M312 232L342 217V262L312 278Z", "tile"),
    ),
    "book": (
        Mark("M250 188Q206 156 140 160Q128 161 128 173V332Q128 344 140 344Q206 342 250 372Z"),
        Mark("M262 188Q306 156 372 160Q384 161 384 173V332Q384 344 372 344Q306 342 262 372Z",
             "soft"),
        Mark("M152 200Q196 200 226 216M152 238Q196 238 226 254M152 276Q196 276 226 292M286 216"
             "Q316 200 360 200M286 254Q316 238 360 238M286 292Q316 276 360 276", "tile", 12),
    ),
    "ball": (
        Mark(ellipse_d(256, 256, 128)),
        Mark("M256 128V384M128 256H384M166 166Q222 256 166 346M346 166Q290 256 346 346", "tile",
             14),
    ),
    "bag": (
        Mark("M164 208H348L366 372Q367 392 348 392H164Q145 392 146 372Z"),
        Mark("M206 206V182A50 50 0 0 1 306 182V206", width=22),
        Mark("M206 206V252M306 206V252", "tile", 18),
        Mark("M152 322H360L363 350H149Z", "soft"),
    ),
    "apple": (
        Mark("M258 210Q256 176 240 154", width=16),
        Mark("M256 212C222 186 158 192 142 252C126 314 172 396 220 396C238 396 244 386 256 386"
             "C268 386 274 396 292 396C340 396 386 314 370 252C354 192 290 186 256 212Z"),
        Mark("M268 180C266 144 294 120 338 120C338 160 310 184 268 180Z", "soft"),
        Mark("M168 288Q164 246 196 232", "tile", 14),
    ),
}  # fmt: skip

_HUES = {
    "blue": 214, "teal": 176, "green": 142, "orange": 26, "red": 356, "pink": 332,
    "purple": 266, "indigo": 238,
}  # fmt: skip


def compose(object_: str, rng: random.Random) -> tuple[str, str]:
    """Draw an object as an app's icon; return SVG and description."""
    name = rng.choice(tuple(_HUES))
    hue = _HUES[name] + rng.uniform(-8, 8)
    bend = rng.choice((-26, 24))
    kind = rng.choice(("tile", "tile", "white", "dark"))
    bright, deep = hsl(hue + bend, 0.82, 0.62), hsl(hue, 0.78, 0.44)
    top, bottom, glyph, words = {
        "tile": (bright, deep, "#ffffff", f"white on a {name} tile"),
        "white": ("#ffffff", "#e9edf3", deep, f"{name} on a white tile"),
        "dark": ("#3a4254", "#1a1f2c", bright, f"{name} on a dark tile"),
    }[kind]
    picture = Picture()
    _desk(picture, hue, kind, rng)
    size = rng.uniform(0.94, 1.06)
    turn = rng.uniform(-3, 3)
    mirror = rng.choice((1, -1))
    blur = picture.define("filter", element("feGaussianBlur", stdDeviation=12))
    fill = blend(picture, top, bottom, x1=0, y1=0, x2=0.25, y2=1)
    gloss = picture.define(
        "linearGradient",
        '<stop offset="0" stop-color="#fff" stop-opacity="0.3"/>'
        '<stop offset="0.5" stop-color="#fff" stop-opacity="0"/>',
        x1=0, y1=0, x2=0, y2=1,
    )  # fmt: skip
    tile = _squircle(190, rng.uniform(4.2, 5.4))
    paint = {"glyph": glyph, "soft": mix(glyph, mix(top, bottom, 0.5), 0.36)}
    whole = group(
        path(tile, fill="#101828", opacity=0.45, filter=blur, transform="translate(0 20)"),
        path(tile, fill=fill),
        path(tile, fill=gloss),
        path(tile, fill="none", stroke="#fff", stroke_width=3, opacity=0.4),
        group(
            group(*_marks(object_, {"glyph": "#000", "soft": "#000"}, None),
                  transform="translate(0 7)", opacity=0.16),
            group(*_marks(object_, paint, fill)),
            transform=f"translate(256 256) scale({num(mirror * 1.02)} 1.02) translate(-256 -256)",
        ),
        transform=f"translate(256 256) rotate({num(turn)}) scale({num(size)}) "
        "translate(-256 -256)",
    )  # fmt: skip
    picture.add(whole)
    description = sentence(
        rng.choice(
            (
                f"an app icon of a {object_}: a flat glyph, {words} with rounded corners.",
                f"a {object_} as a simple icon, {words}, with a soft shadow beneath.",
                f"this icon shows a bold, simplified {object_}, {words}.",
            )
        )
    )
    return picture.svg(), description


def _marks(object_: str, paint: dict[str, str], tile: str | None) -> list[str]:
    out = []
    for mark in _GLYPHS[object_]:
        color = paint.get(mark.tone, tile)
        if color is None:
            continue
        if mark.width:
            out.append(path(mark.d, fill="none", stroke=color, stroke_width=mark.width,
                            stroke_linecap="round", stroke_linejoin="round"))  # fmt: skip
        else:
            out.append(path(mark.d, fill=color))
    return out


def _squircle(radius: float, power: float) -> str:
    points = []
    for k in range(96):
        c, s = math.cos(math.tau * k / 96), math.sin(math.tau * k / 96)
        x = math.copysign(abs(c) ** (2 / power), c)
        y = math.copysign(abs(s) ** (2 / power), s)
        points.append((256 + radius * x, 256 + radius * y))
    return line_d(points, closed=True)


def _desk(picture: Picture, hue: float, kind: str, rng: random.Random) -> None:
    """Paint the calm ground that the tile lies on."""
    light = rng.uniform(0.86, 0.93) if kind != "white" else rng.uniform(0.72, 0.8)
    color = hsl(hue + rng.choice((0, 30, 180)), 0.4, light)
    fill = blend(picture, shade(color, 0.4), shade(color, -0.1))
    picture.add(element("rect", width=512, height=512, fill=fill))
