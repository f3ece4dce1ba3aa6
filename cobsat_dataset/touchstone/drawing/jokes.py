"""Two-panel jokes, and a small case to be solved: animals as actors."""

from __future__ import annotations

import random
from typing import Final

from cobsat.drawing.actions.props import cape, cushion, tear_stream
from cobsat.drawing.actions.stage import box, cloud, oval, poly
from cobsat.drawing.animals.paint import stroke
from cobsat.drawing.backgrounds.kit import linear, radial, star_d
from cobsat.drawing.svg import ellipse_d, group, num, path

from .canvas import Canvas
from .things import clipped, figure

__all__ = ["cake_case", "code_joke", "morning_joke"]

_INK: Final = "#1f2330"


def _panels(captions: tuple[tuple[str, ...], tuple[str, ...]]) -> Canvas:
    """Return a canvas of two rows: the pictures go left, the captions stand right."""
    canvas = Canvas(width=640, height=640)
    canvas.add(box(0, 0, 640, 640, "#ffffff"))
    for row, lines in enumerate(captions):
        y = 160 + 320 * row - 18 * (len(lines) - 1) + 10
        for k, line in enumerate(lines):
            canvas.write(line, 482, y + 38 * k, 30, weight=3.6, anchor="middle", fill=_INK)
    return canvas


def _ruled(canvas: Canvas) -> Canvas:
    """Paint the lines between the panels."""
    canvas.add(stroke("M0 320H640M324 0V640", _INK, 4))
    canvas.add(box(2, 2, 636, 636, "none", stroke=_INK, stroke_width=4))
    return canvas


def _cell(canvas: Canvas, row: int, *elements: str) -> None:
    """Paint elements, drawn from (0, 0) on, into the left cell of a row."""
    y = 320 * row
    frame = f"M0 {y}H324V{y + 320}H0Z"
    canvas.add(clipped(canvas, frame, group(*elements, transform=f"translate(0 {y})")))


def morning_joke() -> Canvas:
    """Draw a dog that plans like a hero at night and sleeps on in the morning."""
    canvas = _panels((("Me at night:", "tomorrow I will", "get up at 5!"),
                      ("Me when", "the alarm", "rings"),))  # fmt: skip
    night = [box(0, 0, 324, 320, linear(canvas, (0, "#101a45"), (1, "#35408c")))]
    rng = random.Random(5)
    night.append(path("".join(star_d(rng.uniform(8, 316), rng.uniform(8, 190), rng.uniform(2, 4.5))
                              for _ in range(26)), fill="#fff3b8"))  # fmt: skip
    night.append(oval(262, 62, 34, 34, "#ffe9a3"))
    night.append(oval(276, 52, 30, 30, "#18225a"))
    night.append(path("M-10 320V262C60 220 110 214 162 214C214 214 270 226 340 264V320Z",
                      fill="#232c63"))  # fmt: skip
    dog = figure(canvas, "dog", x=162, ground=292, height=230, pose="stand", arms="fists", seed=3)
    night += [
        cape((dog.anchors.neck[0] - 20, dog.anchors.neck[1] + 12), 0.78, 1, "#d12d36"),
        dog.back, dog.front, dog.top,
    ]  # fmt: skip
    _cell(canvas, 0, *night)
    day = [box(0, 0, 324, 320, linear(canvas, (0, "#ffe7bd"), (1, "#ffd59a")))]
    day += [
        box(22, 26, 104, 108, "#ffffff", stroke="#c9a36b", stroke_width=4),
        box(32, 36, 84, 88, linear(canvas, (0, "#8fd0f5"), (1, "#fdf3d0"))),
        oval(88, 66, 15, 15, "#ffd23f"),
        stroke("M74 36V124M32 80H116", "#ffffff", 5),
    ]
    day.append(box(0, 256, 324, 64, "#b98552"))
    day.append(_alarm(canvas))
    canvas_dog = figure(
        canvas, "dog", x=112, ground=262, height=84, pose="sleep", mood="asleep", seed=3
    )
    day += [cushion(canvas, 112, 238, 200, "#5c7fc4"), canvas_dog.back, canvas_dog.front,
            canvas_dog.top]  # fmt: skip
    _cell(canvas, 1, *day)
    for k, (x, y, size) in enumerate(((196, 480, 22), (214, 452, 28), (236, 420, 34))):
        canvas.write("Z", x, y, size, weight=3 + k, fill="#37508f")
    canvas.write("5:00", 266, 514, 19, weight=2.4, anchor="middle", fill="#ffef9e")
    return _ruled(canvas)


def _alarm(canvas: Canvas) -> str:
    """Return an alarm clock on a stool, shaking; its time is written later."""
    ring = "M218 160l-12 -10M214 176h-16M314 160l10 -10M316 176h16"
    return "".join(
        (
            box(234, 232, 66, 12, "#8a5a30", rx=3),
            stroke("M244 244L238 286M290 244L296 286", "#8a5a30", 8),
            oval(244, 164, 15, 12, "#b7252e", transform="rotate(-28 244 164)"),
            oval(288, 164, 15, 12, "#b7252e", transform="rotate(28 288 164)"),
            box(226, 166, 80, 66, "#d8343c", rx=18, stroke="#8d1d26", stroke_width=3),
            box(236, 178, 60, 32, linear(canvas, (0, "#22304f"), (1, "#162038")), rx=6),
            stroke(ring, "#b7252e", 4),
        )
    )


def code_joke() -> Canvas:
    """Draw a proud lion, and a weeping cat: one program, on two occasions."""
    canvas = _panels((("My program", "on my own", "computer"),
                      ("The same", "program in", "the demo"),))  # fmt: skip
    rays = [box(0, 0, 324, 320, "#f7b733")]
    rays += [poly([(162, 170), *ends], "#fcd46b") for ends in (
        [(-60, -60), (40, -60)], [(112, -60), (212, -60)], [(284, -60), (384, -60)],
        [(384, 60), (384, 150)], [(384, 250), (384, 340)], [(-60, 60), (-60, 150)],
        [(-60, 250), (-60, 340)])]  # fmt: skip
    lion = figure(canvas, "lion", x=162, ground=304, height=262, pose="stand", arms="fists", seed=2)
    crown = lion.anchors.head_top
    rays += [
        oval(162, 304, 92, 12, "#8a5a00", fill_opacity=0.4), lion.back, lion.front, lion.top,
        poly([(crown[0] + dx, crown[1] + dy) for dx, dy in
              ((-34, 14), (-40, -24), (-18, -6), (0, -34), (18, -6), (40, -24), (34, 14))],
             "#ffe066", stroke="#a8750a", stroke_width=3, stroke_linejoin="round"),
        *(oval(crown[0] + dx, crown[1] + 4, 5, 5, c) for dx, c in
          ((-18, "#d8343c"), (0, "#2b78c5"), (18, "#d8343c"))),
    ]  # fmt: skip
    _cell(canvas, 0, *rays)
    rain = [box(0, 0, 324, 320, linear(canvas, (0, "#7888a0"), (1, "#b4c0cf")))]
    rng = random.Random(7)
    lines = "".join(f"M{num(rng.uniform(0, 324))} {num(rng.uniform(50, 250))}l-6 20"
                    for _ in range(26))  # fmt: skip
    rain += [stroke(lines, "#d5deea", 2.6), cloud(84, 66, 190, "#56647a"),
             cloud(236, 58, 200, "#4c596d"), box(0, 268, 324, 52, "#6b7686"),
             oval(162, 292, 134, 24, "#6bb6ee", stroke="#3a7fb8", stroke_width=3)]  # fmt: skip
    cat = figure(canvas, "cat", x=162, ground=292, height=176, pose="sit", mood="sad", seed=1)
    rain += [cat.back, cat.front, cat.top]
    r = cat.anchors.eye_radius
    for side, (ex, ey) in zip((-1, 1), sorted(cat.anchors.eyes), strict=True):
        rain.append(tear_stream((ex, ey), r, side, 280 - ey, "#3fa6f2"))
    _cell(canvas, 1, *rain)
    return _ruled(canvas)


def cake_case() -> Canvas:
    """Draw a plate with crumbs, a trail of paw prints, a cat with cream on its face, a dog, a bird.

    The prints lead from the table to the cat; the dog is asleep; the bird is in its cage.
    """
    canvas = Canvas(width=768, height=512)
    canvas.add(box(0, 0, 768, 360, linear(canvas, (0, "#f6dfc0"), (1, "#efcfa6"))))
    for x in range(0, 768, 64):
        canvas.add(box(x, 0, 28, 360, "#ffffff", fill_opacity=0.22))
    canvas.add(box(0, 360, 768, 152, linear(canvas, (0, "#b98756"), (1, "#94673c"))),
               box(0, 350, 768, 12, "#fdf3e2"),
               stroke("M0 400H768M0 448H768M120 362L60 512M360 362V512M620 362L690 512",
                      "#83572f", 1.6))  # fmt: skip
    _cake_table(canvas)
    _cage(canvas)
    canvas.add(oval(632, 462, 128, 26, "#8f2f45"), oval(632, 456, 122, 22, "#b5475f"))
    dog = figure(canvas, "dog", x=632, ground=464, height=88, pose="sleep", mood="asleep", seed=5)
    canvas.add(dog.back, dog.front, dog.top)
    canvas.write("z", 730, 372, 22, weight=2.6, fill="#5a4632")
    canvas.write("z", 744, 350, 28, weight=3, fill="#5a4632")
    for k, (x, y) in enumerate(((246, 430), (272, 456), (304, 434), (330, 462), (360, 440))):
        canvas.add(_paw(x, y, 74 + 12 * (k % 2)))
    canvas.add(oval(440, 470, 66, 12, "#3b2410", fill_opacity=0.3))
    cat = figure(canvas, "cat", x=430, ground=474, height=196, pose="sit", seed=4)
    canvas.add(cat.back, cat.front, cat.top)
    mx, my = cat.anchors.mouth
    cream = "".join(
        ellipse_d(mx + dx, my + dy, r, r * 0.8)
        for dx, dy, r in (
            (-17, 5, 9),
            (-5, 10, 8),
            (8, 9, 9),
            (18, 3, 7),
            (-24, -4, 5),
            (24, -6, 4),
        )
    )
    canvas.add(path(cream, fill="#fff7fb", stroke="#d9b7c6", stroke_width=1.4),
               oval(mx + 13, my - 1, 3.5, 3.5, "#d8232a"))  # fmt: skip
    return canvas


def _cake_table(canvas: Canvas) -> None:
    """Paint a table with a cloth, a cake of which most is gone, and a knocked-over fork."""
    canvas.add(stroke("M58 300L48 470M226 300L236 470", "#6f4e2f", 14))
    canvas.add(oval(142, 476, 130, 12, "#3b2410", fill_opacity=0.25))
    canvas.add(path("M24 282H262L272 344Q252 358 232 344Q212 358 192 344Q172 358 152 344"
                    "Q132 358 112 344Q92 358 72 344Q52 358 14 344Z", fill="#e9f1f6",
                    stroke="#b9c8d3", stroke_width=2))  # fmt: skip
    canvas.add(oval(143, 282, 120, 15, "#ffffff", stroke="#b9c8d3", stroke_width=2))
    canvas.add(oval(140, 276, 84, 13, "#d2dae1"), oval(140, 273, 84, 12, "#f6fafc"))
    cake = radial(canvas, (0, "#e9b872"), (1, "#c98f45"))
    canvas.add(poly([(84, 226), (148, 226), (142, 270), (84, 272)], cake, stroke="#9a6427",
                    stroke_width=2),
               path("M80 216H152L150 236Q140 246 132 236Q122 250 112 236Q102 246 94 236"
                    "Q86 244 82 232Z", fill="#fff7fb", stroke="#e3c4d1", stroke_width=2),
               box(84, 248, 60, 6, "#d8435e"), oval(116, 208, 9, 9, "#d8232a"),
               stroke("M116 200C118 190 124 188 128 186", "#3f6b2a", 2.4))  # fmt: skip
    rng = random.Random(2)
    crumbs = "".join(ellipse_d(rng.uniform(154, 214), rng.uniform(266, 280), rng.uniform(1.6, 4))
                     for _ in range(20))  # fmt: skip
    crumbs += "".join(ellipse_d(rng.uniform(196, 300), rng.uniform(398, 440), rng.uniform(2, 4))
                      for _ in range(16))  # fmt: skip
    canvas.add(path(crumbs, fill="#c98f45"), oval(182, 272, 15, 5, "#fff7fb"))


def _cage(canvas: Canvas) -> None:
    """Paint a closed bird cage that hangs from the ceiling, a yellow bird in it."""
    canvas.add(stroke("M628 0V52", "#6b5a45", 4))
    bird = figure(canvas, "bird", x=624, ground=226, height=104, pose="sit", seed=2)
    canvas.add(box(556, 222, 144, 14, "#a9843f", rx=5, stroke="#6b5a45", stroke_width=2))
    canvas.add(stroke("M572 222H684", "#8a6d4b", 5), bird.back, bird.front, bird.top)
    bars = "".join(f"M{x} 224V110Q{num(x + (628 - x) * 0.35)} 66 628 54"
                   for x in range(562, 700, 22))  # fmt: skip
    canvas.add(path(bars, fill="none", stroke="#b08d45", stroke_width=3.4),
               stroke("M560 120H696M560 176H696", "#b08d45", 3.4),
               box(640, 164, 14, 18, "#6b5a45", rx=3), oval(628, 52, 7, 7, "#6b5a45"))  # fmt: skip


def _paw(x: float, y: float, angle: float) -> str:
    """Return a white paw print, its toes towards `angle` degrees from up."""
    d = ellipse_d(0, 4, 9, 7) + "".join(
        ellipse_d(dx, dy, 3.6, 4.4) for dx, dy in ((-10, -5), (-3.6, -10), (3.6, -10), (10, -5))
    )
    return path(
        d,
        fill="#fff7fb",
        opacity=0.95,
        transform=f"translate({num(x)} {num(y)}) rotate({num(angle)})",
    )
