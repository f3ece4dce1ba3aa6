"""Two scenes that films made famous, drawn anew: Méliès's Moon (1902) and the yellow brick road."""

from __future__ import annotations

import math
import random

from ...drawing.backgrounds.kit import radial, star_d
from ...drawing.objects.geometry import Point, curve
from ...drawing.svg import group, path, polygon_d, shade
from .brush import at, blob, box, disc, fade, line, mirrored, oval, shadow, stroke
from .canvas import Canvas

__all__ = ["rocket_in_the_moon", "yellow_brick_road"]


def rocket_in_the_moon() -> Canvas:
    """The Moon's face with a shell in its eye, in the greys of an old film."""
    c = Canvas(width=640, height=512)
    c.add(
        box(0, 0, 640, 512, radial(c, (0, "#4a4843"), (0.6, "#26251f"), (1, "#0f0e0b"), radius=0.7))
    )
    rng = random.Random(1902)
    for _ in range(70):
        x, y, r = rng.uniform(0, 640), rng.uniform(0, 430), rng.uniform(0.8, 2)
        c.add(disc(x, y, r, "#e9e3d0", opacity=rng.uniform(0.4, 0.9)))
    for x, y, r in ((80, 90, 13), (560, 70, 11), (590, 250, 9), (46, 280, 10), (500, 32, 8)):
        c.add(path(star_d(x, y, r), fill="#efe8d2"))
    face = radial(c, (0, "#f4eedc"), (0.55, "#d9d1bb"), (0.85, "#a9a18b"), (1, "#6f6a5b"),
                  center=(0.42, 0.4), radius=0.64)  # fmt: skip
    c.add(disc(320, 250, 214, "#d9d1bb", opacity=0.14), disc(320, 250, 194, face))
    for x, y, r in ((206, 148, 25), (396, 106, 20), (470, 330, 22), (188, 330, 20), (270, 92, 14),
                    (440, 386, 14), (150, 238, 15), (240, 404, 17), (334, 80, 10)):  # fmt: skip
        c.add(
            disc(x, y, r, "#9a927c", opacity=0.7),
            disc(x + r * 0.16, y + r * 0.2, r * 0.78, "#c9c0a8"),
        )
    _moon_features(c)
    _shell(c)
    for y, tone in ((442, "#8b867a"), (470, "#6d695f"), (494, "#4d4a42")):
        d = "".join(f"M{x - 60} {y + 40}a60 {46 + (k % 3) * 9} 0 0 1 120 0z" for k, x in enumerate(
            range(-10 + (y % 40), 690, 74)))  # fmt: skip
        c.add(path(d, fill=tone), box(0, y + 38, 640, 90, tone))
    for _ in range(9):
        x = rng.uniform(0, 640)
        c.add(stroke(f"M{x:.0f} 0V512", "#ffffff", 0.8, stroke_opacity=0.14))
    iris = radial(c, (0, "#000000", 0), (0.75, "#000000", 0), (1, "#000000", 0.8), radius=0.66)
    c.add(box(0, 0, 640, 512, iris))
    return c


def _moon_features(c: Canvas) -> None:
    dark, mid = "#4a4437", "#8d8570"
    eye = "M214 210C226 190 262 188 276 208C262 224 230 226 214 210Z"
    clip = c.define("clipPath", path(eye))
    c.add(
        path("M200 210C216 172 274 170 290 208C276 236 216 238 200 210Z", fill="#b3aa93"),
        path(eye, fill="#f8f4e8"),
        group(
            disc(250, 204, 14, "#57503f"),
            disc(250, 204, 7, "#17140f"),
            disc(255, 199, 3.4, "#fff"),
            clip_path=clip,
        ),
        stroke("M210 212C224 186 264 184 280 208", dark, 4.5),
        stroke("M218 218C234 228 258 228 274 214", mid, 3),
        stroke("M204 178C222 150 262 148 288 172", dark, 8),
        stroke("M352 168C372 138 420 140 440 172", dark, 8),
        path(
            "M308 196C304 232 286 262 282 284C284 302 306 308 322 306C340 308 360 300 360 284"
            "C356 262 338 232 334 196Z",
            fill="#efe8d4",
            opacity=0.7,
        ),
        stroke("M306 200C302 234 288 262 282 282C282 298 300 300 308 298", mid, 4),
        stroke("M358 286C358 298 344 302 334 298", mid, 4),
        oval(304, 297, 8, 4, dark, 10),
        oval(338, 297, 8, 4, dark, -10),
        path(
            "M248 350C270 330 300 326 320 334C342 326 374 330 396 348C376 392 270 396 248 350Z",
            fill="#6a604c",
            stroke=dark,
            stroke_width=3,
        ),
        path("M262 350C290 342 350 340 382 348C372 358 276 360 262 350Z", fill="#efe9da"),
        path("M290 380C308 368 336 368 354 378C336 388 308 388 290 380Z", fill="#a3967c"),
        stroke("M236 326C226 344 230 362 242 372M408 326C418 342 416 358 404 370", mid, 4),
        stroke("M292 408Q320 418 350 406", mid, 4),
        stroke("M212 262C224 290 226 300 218 320", "#b7ae97", 4),
        stroke("M432 268C424 290 424 304 432 320", "#b7ae97", 4),
        stroke("M250 126Q318 108 392 128M262 146Q320 132 380 146", "#b7ae97", 3.5),
    )


def _shell(c: Canvas) -> None:
    steel = fade(c, "#57534a", "#d9d4c6", "#6b675c", across=True)
    goo = path(curve([(346, 214), (360, 184), (398, 174), (436, 186), (448, 212), (440, 240),
                      (432, 290),
                      (424, 292), (420, 250), (406, 246), (398, 312), (388, 312), (386, 250),
                      (370, 246),
                      (362, 276), (354, 272), (356, 240)]), fill="#5d5646")  # fmt: skip
    tube = (
        path("M-31 22L-31 -98H31L31 22C20 34 -20 34 -31 22Z", fill=steel, stroke="#2b2822",
             stroke_width=2.5)
        + oval(0, -98, 31, 9, "#a39d8d") + oval(0, -98, 20, 5, "#3b3830")
        + "".join(stroke(f"M-31 {y}C-14 {y + 9} 14 {y + 9} 31 {y}", "#3b3830", 2.4)
                  for y in (-72, -30, 6))
        + "".join(disc(x, y + 9 - abs(x) * 0.1, 2.2, "#2b2822") for y in (-80, -38)
                  for x in (-22, -8, 8, 22))
        + box(-11, -62, 22, 20, "#3b3830", 4)
    )  # fmt: skip
    c.add(
        goo,
        at(404, 200, 1, tube, turn=24),
        path(
            curve(
                [
                    (352, 222),
                    (368, 206),
                    (398, 212),
                    (428, 224),
                    (446, 222),
                    (438, 242),
                    (404, 236),
                    (366, 240),
                ]
            ),
            fill="#6f6754",
        ),
    )


def yellow_brick_road() -> Canvas:
    """Four friends from the back, on the way to the green city of Oz."""
    c = Canvas(width=736, height=544)
    c.add(box(0, 0, 736, 330, fade(c, "#6db7f0", "#bfe3f7", "#f3f6d8")))
    for k, color in enumerate(("#e8505b", "#f29a4a", "#f7dc6f", "#7cc576", "#5aa7e0", "#9b6fc4")):
        r = 300 - k * 10
        c.add(path(f"M{368 - r} 330A{r} {r} 0 0 1 {368 + r} 330", fill="none", stroke=color,
                   stroke_width=10, stroke_opacity=0.55))  # fmt: skip
    glow_ = radial(c, (0, "#eaffd8", 0.95), (1, "#eaffd8", 0))
    c.add(oval(368, 220, 190, 150, glow_))
    _city(c)
    for color, top in (
        (
            "#86b86a",
            [(-20, 300), (110, 262), (250, 296), (368, 286), (500, 296), (620, 258), (760, 300)],
        ),
        ("#6aa653", [(-20, 340), (150, 308), (368, 312), (590, 304), (760, 338)]),
    ):
        c.add(
            path(
                curve(top, closed=False) + "L760 560L-20 560Z",
                fill=fade(c, color, shade(color, -0.2)),
            )
        )
    _poppies(c)
    _road(c)
    _four_friends(c)
    return c


def _city(c: Canvas) -> None:
    towers = (
        (368, 190, 30), (326, 150, 24), (410, 156, 24), (288, 116, 22), (448, 120, 22),
        (254, 84, 20),
        (482, 88, 20), (346, 118, 20), (390, 112, 20), (224, 56, 18), (512, 58, 18),
    )  # fmt: skip
    for x, high, half in sorted(towers, key=lambda t: -t[1]):
        glass = fade(c, "#1f8a5a", "#7fe0a4", "#2fa56c", across=True)
        top = 304 - high
        c.add(path(f"M{x - half} 306V{top}C{x - half} {top - 14} {x - half * 0.5} {top - 22} {x} "
                   f"{top - 44}"
                   f"C{x + half * 0.5} {top - 22} {x + half} {top - 14} {x + half} {top}V306Z",
                   fill=glass,
                   stroke="#14603e", stroke_width=1.8),
              stroke(f"M{x} {top - 44}v-15", "#14603e", 2.2), disc(x, top - 60, 3, "#eafff0"),
              *(box(x - half * 0.5 + k * half * 0.62, y, half * 0.34, 9, "#d9ffe6", 2, opacity=0.8)
                for k in range(2) for y in range(int(top) + 8, 290, 22)))  # fmt: skip


def _poppies(c: Canvas) -> None:
    rng = random.Random(39)
    spots = sorted((rng.uniform(330, 540), rng.uniform(-10, 746)) for _ in range(260))
    for y, x in spots:
        t = (y - 312) / 230
        if abs(x - 368) < 40 + 250 * t:
            continue
        r = 2.5 + 8.5 * t
        c.add(
            stroke(f"M{x:.0f} {y:.0f}v{r * 1.8:.1f}", "#3f7a34", 0.8 + t * 1.6),
            oval(x - r * 0.4, y, r * 0.8, r * 0.75, "#d6302f", -20),
            oval(x + r * 0.4, y, r * 0.8, r * 0.75, "#e8483f", 20),
            disc(x, y, r * 0.28, "#2b1a1a"),
        )


def _road(c: Canvas) -> None:
    def edge(t: float) -> tuple[float, float, float]:
        return 368 + 26 * math.sin(t * 4.2) * (1 - t), 12 + 250 * t**1.25, 312 + 236 * t

    left: list[Point] = []
    right: list[Point] = []
    for k in range(25):
        x, half, y = edge(k / 24)
        left.append((x - half, y))
        right.append((x + half, y))
    c.add(path(polygon_d((*left, *reversed(right))), fill=fade(c, "#f2d24a", "#f7c62f"),
               stroke="#b98a16",
               stroke_width=3))  # fmt: skip
    row, t = 0, 0.02
    while t < 1:
        x, half, y = edge(t)
        u = min(1.0, t + 0.028 + t * 0.06)
        x2, half2, y2 = edge(u)
        c.add(stroke(f"M{x - half:.1f} {y:.1f}H{x + half:.1f}", "#c9981c", 0.8 + 2 * t))
        for k in range(9):
            a = -1 + (k + (row % 2) * 0.5) * 2 / 8
            if -1 < a < 1:
                c.add(stroke(f"M{x + a * half:.1f} {y:.1f}L{x2 + a * half2:.1f} {y2:.1f}",
                             "#c9981c",
                             0.7 + 1.8 * t))  # fmt: skip
        row, t = row + 1, u


def _four_friends(c: Canvas) -> None:
    for x in (196, 316, 430, 552):
        c.add(shadow(c, x, 520, 62, 11, 0.45))
    c.add(
        at(196, 518, 1.0, _scarecrow()),
        at(430, 518, 1.02, _tin_man(c)),
        at(552, 518, 1.0, _lion(c)),
        at(316, 518, 0.94, _girl(c)),
        at(258, 520, 1.0, _little_dog()),
    )


def _girl(c: Canvas) -> str:
    checks = "".join(
        stroke(f"M-70 {y}H70", "#ffffff", 2.2, stroke_opacity=0.75) for y in range(-120, -40, 10)
    )
    checks += "".join(
        stroke(f"M{x} -130V-40", "#ffffff", 2.2, stroke_opacity=0.75) for x in range(-60, 61, 10)
    )
    skirt = "M-22 -126H22L50 -46C20 -38 -20 -38 -50 -46Z"
    clip = c.define("clipPath", path(skirt))
    arm = stroke("M24 -168C42 -150 46 -132 44 -110", "#f0c29c", 11)
    return (
        stroke("M-13 -44V-8M13 -44V-8", "#f0c29c", 12)
        + stroke("M-13 -22V-8M13 -22V-8", "#9cc9ef", 12)
        + oval(-14, -4, 11, 6.5, "#d01f2f")
        + oval(14, -4, 11, 6.5, "#d01f2f")
        + oval(-17, -6, 3, 1.6, "#ff9aa2")
        + oval(11, -6, 3, 1.6, "#ff9aa2")
        + mirrored(arm)
        + path("M-24 -178H24L22 -122H-22Z", fill="#ffffff")
        + mirrored(oval(25, -168, 12, 11, "#ffffff"))
        + path("M-20 -178L-12 -126H-4L-9 -178ZM20 -178L12 -126H4L9 -178Z", fill="#4f84d6")
        + path(skirt, fill="#4f84d6", stroke="#2c5aa0", stroke_width=1.6)
        + group(checks, clip_path=clip)
        + path("M-14 -132L0 -124L14 -132L12 -116L0 -122L-12 -116Z", fill="#2c5aa0")
        + disc(0, -204, 25, "#6b3d20")
        + stroke("M0 -228V-182", "#54301a", 2.5)
        + mirrored(
            path("M18 -204C34 -194 34 -160 26 -144C20 -158 14 -176 12 -190Z", fill="#6b3d20")
            + path("M20 -178l14 -6v12zM20 -178l-10 -6v12z", fill="#7db7f2")
        )
        + box(36, -112, 32, 20, "#b98848", 4)
        + stroke("M37 -110C40 -134 64 -134 67 -110", "#8a5f2a", 3)
        + stroke("M38 -104H66M44 -111V-93M52 -111V-93M60 -111V-93", "#8a5f2a", 1.6)
    )


def _little_dog() -> str:
    return (
        stroke("M-16 -14V-2M-8 -14V-2M10 -14V-2M17 -14V-2", "#17181c", 6)
        + blob(
            [(-24, -24), (-10, -32), (10, -31), (24, -26), (22, -12), (0, -9), (-22, -12)],
            "#24262c",
        )
        + stroke("M-22 -26C-30 -32 -32 -40 -28 -46", "#24262c", 6)
        + disc(26, -34, 11, "#24262c")
        + oval(36, -30, 8, 6, "#24262c")
        + oval(42, -32, 3, 2.6, "#0c0c0e")
        + path("M17 -40C12 -46 16 -50 22 -46L20 -34ZM27 -45L33 -50L36 -42Z", fill="#17181c")
        + stroke("M-18 -20l-4 8M-6 -18l-3 8M8 -18l-2 8M18 -18l2 8", "#3d4048", 2.2)
        + disc(31, -37, 2, "#fff")
    )


def _scarecrow() -> str:
    straw = "".join(
        stroke(f"M{x} {y}l{dx} {dy}", "#e9c65a", 3)
        for x, y in ((-60, -118), (60, -146), (-16, -12), (18, -12))
        for dx, dy in ((-9, 9), (-3, 13), (4, 12), (9, 8))
    )
    return (
        straw
        + stroke("M-16 -96L-17 -18", "#6b6f5a", 20)
        + stroke("M16 -96L18 -18", "#6b6f5a", 20)
        + box(-26, -44, 16, 14, "#b5634a")
        + stroke("M-24 -172C-44 -156 -54 -138 -58 -122", "#4f7a4a", 16)
        + stroke("M24 -172C44 -168 54 -158 60 -150", "#4f7a4a", 16)
        + path(
            "M-30 -184H30L34 -92C14 -84 -14 -84 -34 -92Z",
            fill="#4f7a4a",
            stroke="#2f4f2d",
            stroke_width=2,
        )
        + box(-6, -160, 18, 18, "#c98a3d")
        + stroke("M-4 -158l3 3M8 -158l-3 3M-4 -146l3 -3M8 -146l-3 -3", "#5a3d1a", 1.6)
        + stroke("M-33 -108Q0 -100 33 -108", "#c9a35a", 5)
        + disc(0, -204, 23, "#e3c08a")
        + path("M-16 -188C-6 -180 6 -180 16 -188L14 -180H-14Z", fill="#b5934f")
        + "".join(stroke(f"M{x} -206l{x * 0.5:.0f} 22", "#e9c65a", 3) for x in (-22, -16, 16, 22))
        + path("M-46 -208C-20 -220 20 -220 46 -208C30 -204 -30 -204 -46 -208Z", fill="#2f2a26")
        + path(
            "M-25 -212C-20 -240 -8 -262 8 -272C8 -254 20 -232 25 -212C10 -206 -10 -206 -25 -212Z",
            fill="#3d3731",
        )
    )


def _tin_man(c: Canvas) -> str:
    tin, edge = fade(c, "#7f8b96", "#eef3f6", "#8b97a2", across=True), "#4d5862"
    style = {"fill": tin, "stroke": edge, "stroke_width": 2.0}
    leg = path("M-27 -92H-8L-9 -14H-26Z", **style) + path("M-31 -16H-6V-2H-35Z", **style) + stroke(
        "M-27 -52H-8", edge, 2)  # fmt: skip
    arm = stroke("M34 -170C50 -156 54 -136 52 -112", edge,
                 17) + stroke("M34 -170C50 -156 54 -136 52 -112",
        "#c3ccd4", 13)  # fmt: skip
    axe = stroke("M58 -70L40 -196", "#8a5a2c",
                 6) + path("M38 -198C60 -206 72 -196 76 -180C62 -182 52 -178 44 -168"
                           "Z", fill="#d5dde2", stroke=edge, stroke_width=2)  # fmt: skip
    return (
        mirrored(leg)
        + mirrored(arm)
        + axe
        + oval(52, -110, 9, 9, "#c3ccd4")
        + path("M-34 -180C-38 -150 -38 -120 -34 -92H34C38 -120 38 -150 34 -180Z", **style)
        + stroke("M-36 -136C-14 -130 14 -130 36 -136", edge, 2)
        + "".join(disc(x, y, 2, edge) for x in (-26, 26) for y in (-170, -148, -122, -102))
        + box(-10, -194, 20, 14, "#8b97a2")
        + path("M-23 -190V-222C-23 -232 23 -232 23 -222V-190Z", **style)
        + path("M-22 -226L0 -268L22 -226C10 -220 -10 -220 -22 -226Z", **style)
    )


def _lion(c: Canvas) -> str:
    fur, mane = fade(c, "#d9a04c", "#b9782c"), "#8a4a1c"
    tufts = "".join(
        oval(42 * math.sin(a), -194 - 42 * math.cos(a), 19, 14, shade(mane, 0.1 * (k % 2)), 30 * k)
        for k, a in enumerate(math.tau * i / 12 for i in range(12))
    )
    return (
        line([(8, -60), (44, -40), (66, -64), (62, -96)], "#c98c3d", 8)
        + oval(61, -102, 9, 15, mane, -10)
        + mirrored(
            path(
                "M-34 -96C-40 -60 -34 -30 -30 -12H-8C-8 -40 -8 -70 -6 -96Z",
                fill=fur,
                stroke="#8a5a20",
                stroke_width=1.8,
            )
            + oval(-20, -6, 17, 9, "#d9a04c")
        )
        + mirrored(
            stroke("M32 -160C46 -144 48 -126 44 -106", "#c98c3d", 19)
            + oval(43, -104, 11, 10, "#d9a04c")
        )
        + blob(
            [
                (-34, -166),
                (0, -176),
                (34, -166),
                (42, -120),
                (36, -82),
                (0, -76),
                (-36, -82),
                (-42, -120),
            ],
            fur,
            stroke="#8a5a20",
            stroke_width=1.8,
        )
        + tufts
        + disc(0, -194, 40, mane)
        + mirrored(disc(-24, -230, 11, "#c98c3d") + disc(-24, -230, 6, mane))
        + "".join(
            stroke(
                f"M{x} {-222 + abs(x) * 0.4:.0f}q{x * 0.3:.0f} 24 {x * 0.2:.0f} 48", "#6b3612", 3
            )
            for x in (-26, -14, 0, 14, 26)
        )
        + path("M-7 -236L0 -231L7 -236V-225L0 -229L-7 -225Z", fill="#d6302f")
    )
