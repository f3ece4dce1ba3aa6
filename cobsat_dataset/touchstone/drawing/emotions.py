"""Pictures of people whose faces say how they feel."""

from __future__ import annotations

import math
import random

from ...drawing.backgrounds.kit import cloud
from ...drawing.objects.geometry import curve
from ...drawing.svg import group, path, shade
from .brush import at, blob, box, disc, fade, line, mirrored, oval, shadow, stroke
from .canvas import Canvas
from .faces import Face, head, shoulders

__all__ = ["dropped_ice_cream", "four_faces", "surprise_party"]


def dropped_ice_cream() -> Canvas:
    """A boy who cries over the ice cream that fell from his cone."""
    c = Canvas(width=640, height=512)
    c.add(box(0, 0, 640, 512, fade(c, "#8fd0f5", "#dff3fb")),
          cloud(120, 84, 150, "#ffffff", 0.9), cloud(540, 60, 120, "#ffffff", 0.85),
          box(0, 300, 640, 212, fade(c, "#9fd07c", "#6fae56")))  # fmt: skip
    for x, y, r in ((70, 240, 74), (160, 268, 50), (560, 236, 82), (470, 272, 46)):
        c.add(box(x - 9, y, 18, 90, "#7a5636"), disc(x, y - 10, r, "#4f9a4b"),
              disc(x - r * 0.35, y - 24, r * 0.6, "#66b25d"))  # fmt: skip
    c.add(box(0, 430, 640, 82, fade(c, "#cfc4b4", "#a99c8a")),
          stroke("M0 432H640", "#e6ded2", 5),
          stroke("M130 436V512M330 436V512M540 436V512", "#8f8373", 2.5))  # fmt: skip
    skin = "#f2c4a0"
    face = Face(skin=skin, eyes="#6a4a2c", brows="#8a5a2c", worry=12, lift=4, open=0.62,
                mouth="wail", jaw=1.16, long=0.88, large=1.25, blush=0.55, gaze=(0, 2))  # fmt: skip
    hair = fade(c, "#b9793a", "#8f5524")
    cap = path("M-86 -10C-94 -96 -40 -136 6 -132C62 -132 96 -84 86 -12C78 -34 72 -56 60 -70"
               "C50 -60 36 -66 26 -76C12 -62 -6 -66 -16 -78C-30 -60 -48 -62 -58 -56"
               "C-70 -46 -78 -30 -86 -10Z", fill=hair, stroke="#6d3f18",
               stroke_width=2)  # fmt: skip
    tears = mirrored(
        path("M-36 10C-46 30 -50 50 -44 58C-38 64 -28 60 -28 50C-28 38 -32 24 -36 10Z",
             fill="#8fd3f7", stroke="#4f9fd0", stroke_width=1.5)
        + path("M-54 66C-60 76 -62 84 -56 88C-50 90 -46 84 -48 78Z", fill="#8fd3f7",
               stroke="#4f9fd0", stroke_width=1.5))  # fmt: skip
    body = shoulders("#e8b420", skin, wide=118, neck=27)
    shirt = c.define(
        "clipPath", path("M-118 330C-118 190 -98 156 -70 136L0 178L70 136C98 156 118 190 118 330Z")
    )
    bands = group(*(stroke(f"M-130 {y}Q0 {y + 26} 130 {y}", "#ffffff", 10)
                    for y in (158, 184, 210, 236)), clip_path=shirt)  # fmt: skip
    c.add(at(286, 220, 1.08, body, bands), head(c, face, 286, 220, 1.08, front=cap + tears),
          box(0, 430, 640, 82, fade(c, "#cfc4b4", "#a99c8a")), stroke("M0 432H640", "#e6ded2", 5),
          stroke("M130 436V512M330 436V512M540 436V512", "#8f8373", 2.5))  # fmt: skip
    _arm_with_cone(c, skin)
    _splat(c)
    return c


def _arm_with_cone(c: Canvas, skin: str) -> None:
    cone = path("M420 292L484 292L452 396Z", fill="#e0a557", stroke="#a46a24", stroke_width=2.5)
    lattice = stroke("M430 294L462 364M446 294L470 338M462 294L476 318M474 294L442 364"
                     "M458 294L434 338M442 294L428 318", "#b97c34", 2)  # fmt: skip
    c.add(
        stroke("M392 424C414 426 436 418 448 392", shade("#e8b420", -0.08), 46),
        stroke("M440 402L450 384", skin, 34),
        cone, lattice, oval(452, 292, 33, 8, "#c58a40"), oval(452, 292, 25, 5, "#8a5a22"),
        path("M424 289C432 284 442 286 446 292C446 306 440 308 439 300C436 296 432 300 430 310"
             "C426 312 424 298 424 289Z", fill="#f6a9c4"),
        *(stroke(f"M434 {y}C446 {y - 5} 458 {y - 5} 468 {y}", shade(skin, s), 13)
          for y, s in ((358, 0.0), (371, -0.05), (384, 0.0))),
    )  # fmt: skip


def _splat(c: Canvas) -> None:
    pool = [(462, 470), (476, 456), (500, 460), (520, 452), (560, 452), (584, 458), (612, 454),
            (620, 468), (606, 480), (604, 500), (596, 508), (588, 500), (584, 484), (556, 486),
            (540, 490), (538, 503), (530, 504), (526, 490), (500, 484), (480, 482)]  # fmt: skip
    ball = [(496, 462), (490, 450), (500, 444), (504, 424), (522, 406), (546, 402), (568, 412),
            (580, 430), (584, 446), (594, 452), (586, 464), (572, 458), (560, 466), (546, 460),
            (530, 468), (514, 460)]  # fmt: skip
    c.add(shadow(c, 540, 482, 92, 22, 0.3), blob(pool, "#f9b4cc", stroke="#d9779c", stroke_width=2),
          blob(ball, fade(c, "#ffd0e0", "#ea86ac"), stroke="#d9779c", stroke_width=2),
          line([(508, 440), (524, 446), (548, 440), (576, 444)], "#d9779c", 1.8),
          line([(514, 424), (530, 430), (550, 424), (566, 428)], "#f7b9cf", 3),
          oval(526, 418, 12, 6, "#fff0f6", -30))  # fmt: skip
    rng = random.Random(3)
    for color in ("#4aa3df", "#f4d03f", "#58b368", "#ffffff", "#e74c3c") * 3:
        x, y = rng.uniform(510, 574), rng.uniform(412, 478)
        dx, dy = rng.uniform(-5, 5), rng.uniform(-4, 4)
        c.add(stroke(f"M{x:.1f} {y:.1f}l{dx:.1f} {dy:.1f}", color, 3.4))


def surprise_party() -> Canvas:
    """A woman who gasps at a cake and a banner: she did not expect them."""
    c = Canvas(width=640, height=640)
    c.add(box(0, 0, 640, 640, fade(c, "#fbe3c4", "#f3c99c")))
    for x in range(0, 640, 64):
        c.add(box(x, 0, 32, 640, "#ffffff", opacity=0.18))
    c.add(stroke("M0 16Q320 84 640 16", "#8a5a3a", 3))
    banner = "SURPRISE!"
    for i, letter in enumerate(banner):
        x = 76 + i * 61
        y = 16 + 34 * (1 - ((x - 320) / 320) ** 2)
        color = ("#d8443c", "#2f7fc4", "#3c9d5a", "#e2972a", "#8a4fb0")[i % 5]
        c.add(path(f"M{x - 26} {y:.1f}H{x + 26}L{x} {y + 74:.1f}Z", fill=color))
        c.add(box(x - 26, y - 2, 52, 8, shade(color, -0.2)))
        c.write(letter, x, round(y + 36, 1), 34, weight=5, fill="#ffffff", anchor="middle")
    c.texts[-len(banner) :] = [banner]
    for x, y, color in ((68, 220, "#d8443c"), (118, 290, "#2f7fc4"), (578, 214, "#3c9d5a"),
                        (528, 292, "#e2972a")):  # fmt: skip
        c.add(line([(x, y + 54), (x + 8, y + 110), (x - 6, y + 170), (x, 640)], "#9a7a60", 1.8),
              path(f"M{x - 7} {y + 60}L{x} {y + 50}L{x + 7} {y + 60}Z", fill=shade(color, -0.2)),
              path(curve([(x, y + 52), (x - 38, y + 10), (x - 30, y - 34), (x, y - 48),
                          (x + 30, y - 34), (x + 38, y + 10)]), fill=color),
              oval(x - 14, y - 20, 8, 14, "#ffffff66", 20))  # fmt: skip
    skin = "#a8683f"
    face = Face(skin=skin, eyes="#3a2416", brows="#1d120c", heavy=6, lift=17, open=1.5,
                mouth="gasp", lips="#b03a44", lashes=True, blush=0.35)  # fmt: skip
    hair = "#1f1512"
    rng = random.Random(11)
    curls = "".join(
        disc(x, y, r, shade(hair, rng.uniform(0, 0.13)))
        for r, reach, count in ((30, 104, 17), (34, 70, 11))
        for x, y in (
            (reach * math.sin(a), -58 - reach * math.cos(a) * 0.92)
            for a in (math.tau * k / count for k in range(count))
        )
        if y < 30
    )
    fringe = "".join(disc(x, -104 + abs(x) * 0.34, 19, shade(hair, 0.05 + (i % 3) * 0.04))
                     for i, x in enumerate(range(-78, 79, 13)))  # fmt: skip
    rings = mirrored(disc(-92, 46, 13, "none", stroke="#e9b93a", stroke_width=4.5))
    c.add(at(320, 296, 1.12, shoulders("#2d8f86", skin, wide=140)),
          head(c, face, 320, 296, 1.12, back=curls, front=fringe + rings))  # fmt: skip
    c.add(at(0, 128, 1, _cake(c)))
    return c


def _cake(c: Canvas) -> str:
    parts = [box(0, 478, 640, 34, fade(c, "#b9763f", "#8f5527")),
          oval(320, 480, 150, 15, "#f4f1ec"), oval(320, 477, 138, 11, "#dcd6cc"),
          path("M206 410H434V470C434 484 206 484 206 470Z", fill=fade(c, "#fff6ea", "#f2d9bd",
               across=True)),
          path("M206 410C206 396 434 396 434 410C434 434 422 440 412 424C402 410 396 446 384 430"
               "C374 414 364 444 352 430C340 412 332 446 318 430C306 414 298 444 286 428"
               "C276 412 268 442 256 428C246 412 238 440 226 426C214 436 206 428 206 410Z",
               fill="#e8749a"),
          oval(320, 409, 114, 12, "#f391b2")]  # fmt: skip
    for x in (248, 284, 320, 356, 392):
        parts += [box(x - 5, 362, 10, 48, "#f7e04b", 2),
              stroke(f"M{x - 4} 374l8 -5M{x - 4} 388l8 -5M{x - 4} 402l8 -5", "#e0a020", 2.4),
              disc(x, 350, 17, "#ffdf7a", opacity=0.45),
              path(f"M{x} 334C{x + 10} 348 {x + 7} 360 {x} 361C{x - 7} 360 {x - 10} 348 {x} 334Z",
                   fill="#ff9d2e"), oval(x, 354, 3, 5, "#fff3b0")]  # fmt: skip
    return "".join(parts)


def four_faces() -> Canvas:
    """Four portraits under letters: a happy, an angry, a frightened and a disgusted face."""
    c = Canvas(width=640, height=640)
    c.add(box(0, 0, 640, 640, "#faf7f0"))
    grey = Face(skin="#e9b995", eyes="#4c6f8c", brows="#b9b3ab", mouth="grin", open=0.7, lift=3,
                blush=0.5)  # fmt: skip
    red = Face(skin="#f0b79a", eyes="#3f5a34", brows="#7c2f12", heavy=10, worry=-13, lift=-7,
               open=0.72, mouth="clenched", blush=0.75)  # fmt: skip
    pale = Face(skin="#c98f64", eyes="#2b1b12", brows="#21140e", heavy=5, worry=11, lift=12,
                open=1.5, mouth="wail", blush=0.0, lashes=True, lips="#a34a4a")  # fmt: skip
    green = Face(skin="#7d4d30", eyes="#1d120c", brows="#120b08", heavy=8, worry=-6, lift=-2,
                 open=0.5, mouth="twisted", blush=0.1, gaze=(-7, 2), lips="#8a4048")  # fmt: skip
    bald = mirrored(path("M-72 -66C-98 -72 -112 -28 -98 -8C-94 -16 -86 -20 -80 -12"
                         "C-80 -30 -78 -48 -72 -66Z", fill="#dfdad2", stroke="#b5afa5",
                         stroke_width=2))  # fmt: skip
    glasses = mirrored(disc(-35, -4, 27, "#ffffff18", stroke="#4a4a52", stroke_width=4)) + stroke(
        "M-9 -8Q0 -14 9 -8", "#4a4a52", 4)  # fmt: skip
    short = path("M-84 -14C-96 -90 -46 -136 0 -136C50 -136 96 -90 84 -14C78 -40 70 -62 62 -72"
                 "C30 -82 -30 -82 -62 -72C-72 -60 -78 -38 -84 -14Z", fill="#b2481c",
                 stroke="#7c2f12", stroke_width=2)  # fmt: skip
    long_back = path("M-92 -30C-96 -110 -46 -144 0 -144C46 -144 96 -110 92 -30L104 150"
                     "C70 166 56 150 50 120L-50 120C-56 150 -70 166 -104 150Z",
                     fill="#2a1a14")  # fmt: skip
    long_front = path("M-86 -4C-92 -90 -40 -134 4 -132C54 -132 92 -84 86 -4C82 -40 64 -78 14 -92"
                      "C-30 -88 -74 -60 -86 -4Z", fill="#35211a")  # fmt: skip
    knots = path("M-84 -10C-96 -92 -46 -134 0 -134C46 -134 96 -92 84 -10C80 -44 74 -60 60 -74"
                 "C30 -84 -30 -84 -60 -74C-74 -60 -80 -44 -84 -10Z", fill="#17100d") + "".join(
        disc(x, -104 - (j % 2) * 16 + abs(x) ** 1.7 * 0.022, 11, shade("#17100d", 0.07 * (j % 3)))
        for j, x in enumerate(range(-72, 73, 12)))  # fmt: skip
    tiles = (
        ("A", 0, 0, "#ffe3a8", "#3f6fa8", grey, "", bald + glasses),
        ("B", 320, 0, "#f7b7a3", "#3a3f4a", red, "", short),
        ("C", 0, 320, "#c9d6ea", "#8a5fa8", pale, long_back, long_front),
        ("D", 320, 320, "#cfe3b4", "#d98a2b", green, "", knots),
    )
    for letter, x, y, ground, shirt, face, back, front in tiles:
        clip = c.define("clipPath", box(x + 8, y + 8, 304, 304, "#fff", 18))
        body = at(x + 164, y + 164, 0.98, shoulders(shirt, face.skin, wide=146))
        c.add(f'<g clip-path="{clip}">', box(x, y, 320, 320, ground), at(x + 164, y + 164, 0.98,
              back) if back else "", body, head(c, face, x + 164, y + 164, 0.98, front=front),
              "</g>", disc(x + 42, y + 42, 22, "#ffffff"))  # fmt: skip
        c.write(letter, x + 42, y + 52, 28, weight=4, fill="#222222", anchor="middle")
    return c
