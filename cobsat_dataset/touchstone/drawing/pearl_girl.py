"""A drawing of our own after Vermeer's Girl with a Pearl Earring (about 1665)."""

from __future__ import annotations

from ...drawing.backgrounds.kit import radial
from ...drawing.svg import path, shade
from .brush import blob, box, disc, fade, line, oval, stroke
from .canvas import Canvas

__all__ = ["pearl_girl"]


def pearl_girl() -> Canvas:
    """Vermeer's Girl with a Pearl Earring: she looks over her shoulder out of the dark."""
    c = Canvas(width=512, height=600)
    c.add(box(0, 0, 512, 600, radial(c, (0, "#2a2b26"), (0.7, "#141512"), (1, "#0b0b0a"))))
    jacket = fade(c, "#c08a3a", "#7d5420", "#3a2710", across=True)
    c.add(path("M84 600C96 520 150 474 214 452C250 470 330 470 372 440C430 462 466 520 474 600Z",
               fill=jacket),
          line([(150, 600), (176, 530), (214, 476)], "#5f3f16", 4),
          line([(250, 600), (262, 540), (258, 482)], "#5f3f16", 4),
          line([(350, 600), (366, 530), (364, 470)], "#3d2810", 5))  # fmt: skip
    skin = fade(c, "#f6d7b5", "#f0c8a2", "#b57f58", across=True)
    c.add(
        path(
            "M236 380L228 452C262 478 330 472 364 440L352 340Z",
            fill=fade(c, "#d9a67e", "#8a5a3c", across=True),
        ),
        path("M214 446C258 484 332 478 372 434L384 458C338 506 250 508 206 468Z", fill="#f3efe4"),
        path("M206 468C250 508 338 506 384 458L386 466C340 516 248 516 206 476Z", fill="#b8b09c"),
    )
    c.add(
        path(
            "M196 188C184 214 180 238 184 258C174 276 172 300 180 322C188 362 212 398 250 404"
            "C304 404 352 356 364 292L368 190C320 150 236 150 196 188Z",
            fill=skin,
        )
    )
    _features(c)
    _turban(c)
    pearl = radial(c, (0, "#ffffff"), (0.3, "#dfe3e4"), (0.8, "#7d8588"), (1, "#3f4548"),
                   center=(0.36, 0.3), radius=0.75)  # fmt: skip
    c.add(stroke("M352 352V362", "#d8c27a", 2.5),
          path("M352 360C366 376 371 388 370 396A18 18 0 1 1 334 396C333 388 338 376 352 360Z",
               fill=pearl),
          oval(345, 382, 4, 7, "#ffffff", 20), oval(356, 408, 8, 3, "#c9c2a8"))  # fmt: skip
    return c


def _features(c: Canvas) -> None:
    dark, shadow_ = "#6e4026", "#c08c66"
    cheek = radial(c, (0, "#d9644c", 0.3), (1, "#d9644c", 0))
    c.add(
        path(
            "M300 200C330 250 330 340 288 398C330 380 356 340 364 292L368 200Z",
            fill="#8a5a3c",
            opacity=0.16,
        )
    )
    for x, rx in ((206, 17), (280, 23)):
        eye = (
            f"M{x - rx} 264C{x - rx * 0.5} 248 {x + rx * 0.5} 247 {x + rx} 262"
            f"C{x + rx * 0.4} 274 {x - rx * 0.4} 275 {x - rx} 264Z"
        )
        clip = c.define("clipPath", path(eye))
        c.add(
            path(eye, fill="#f5f1ea"),
            f'<g clip-path="{clip}">',
            disc(x - 2, 261, 10, "#6f7f86"),
            disc(x - 2, 261, 5, "#15110e"),
            "</g>",
            disc(x + 2, 257, 2.8, "#ffffff"),
            stroke(
                f"M{x - rx} 264C{x - rx * 0.5} 248 {x + rx * 0.5} 247 {x + rx} 262", "#3c2114", 3.4
            ),
            stroke(
                f"M{x - rx} 252C{x - rx * 0.5} 238 {x + rx * 0.5} 238 {x + rx} 250", shadow_, 2.2
            ),
        )
    c.add(stroke("M188 234C198 226 210 225 222 231M258 230C274 220 294 222 308 236", "#a3714c", 4),
          path("M232 250C226 282 212 306 208 322C208 330 218 334 230 332C242 334 250 328 248 320"
               "C244 300 246 272 250 250Z", fill="#fbe3c6", opacity=0.55),
          stroke("M248 256C246 280 250 304 252 318C252 328 244 333 234 332", shadow_, 2.6),
          stroke("M228 332C220 334 209 332 208 324", shadow_, 2.4),
          oval(218, 330, 4.5, 2.4, dark, 10), oval(240, 330, 5, 2.6, dark, -10),
          path("M200 362C210 354 220 350 230 353C240 350 254 354 264 362C250 366 214 367 200 362Z",
               fill="#c04a44"),
          path("M204 363C214 384 248 386 262 363C248 368 216 368 204 363Z", fill="#d9645a"),
          path("M208 362C222 367 244 367 257 362C246 371 220 371 208 362Z", fill="#5a1c1a"),
          oval(238, 374, 8, 2.6, "#f6b0a4"), stroke("M222 390Q234 394 246 389", shadow_, 2.2),
          oval(294, 316, 36, 30, cheek), oval(200, 310, 19, 24, cheek))  # fmt: skip
    c.add(
        path(
            "M340 262C356 256 366 272 362 296C358 322 350 340 344 346C338 330 334 280 340 262Z",
            fill="#c08c66",
            stroke="#7a4c30",
            stroke_width=2,
        )
    )


def _turban(c: Canvas) -> None:
    blue, gold = (
        fade(c, "#5f8fd0", "#2f5aa6", "#132a5c", across=True),
        fade(c, "#f0d070", "#c99a34", "#6b4c14"),
    )
    c.add(
        path(
            "M340 126C390 120 428 150 436 210C446 300 438 372 452 448C430 470 396 466 384 440"
            "C372 380 378 300 360 236Z",
            fill=gold,
        ),
        line([(380, 160), (404, 240), (404, 330), (416, 440)], "#8a6420", 4),
        line([(404, 150), (424, 230), (420, 320), (436, 430)], "#f6e09a", 3),
        path("M384 440C396 466 430 470 452 448L450 462C430 484 396 480 384 456Z", fill="#3f63a8"),
        path(
            "M196 196C186 150 214 98 276 84C346 70 402 104 404 170C404 206 388 236 366 262"
            "C352 214 300 180 196 196Z",
            fill=blue,
        ),
        path(
            "M192 200C230 178 318 180 366 268L372 246C340 160 240 148 194 178Z",
            fill=shade("#3f6fb8", 0.05),
        ),
    )
    for d, color in (("M206 176C250 120 330 112 396 160", "#86b0e6"),
                     ("M222 136C270 98 340 96 390 128", "#24498c"),
                     ("M236 168C290 140 350 160 382 216", "#1d3c78"),
                     ("M250 108C290 84 340 88 372 108", "#86b0e6")):  # fmt: skip
        c.add(stroke(d, color, 4, stroke_opacity=0.75))
    c.add(
        blob([(330, 96), (366, 78), (408, 100), (412, 134), (384, 150), (344, 134)], gold),
        line([(346, 100), (376, 104), (402, 126)], "#8a6420", 3),
    )
