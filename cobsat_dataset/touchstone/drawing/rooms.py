"""Rooms in which much is wrong: a dangerous kitchen, and a bad hotel room."""

from __future__ import annotations

from cobsat.drawing.actions.stage import box, drop, oval, poly
from cobsat.drawing.animals.paint import stroke
from cobsat.drawing.backgrounds.kit import glow, linear, smooth_d
from cobsat.drawing.svg import group, path

from .canvas import Canvas

__all__ = ["hotel_room", "unsafe_kitchen"]


def unsafe_kitchen() -> Canvas:
    """Draw a kitchen in which five things are about to go wrong."""
    canvas = Canvas(width=768, height=512)
    canvas.add(box(0, 0, 768, 512, "#e7eef0"))
    tiles = "".join(f"M{x} 96V300" for x in range(0, 780, 48)) + "M0 148H768M0 200H768M0 252H768"
    canvas.add(
        box(0, 96, 768, 204, "#dbe8e6"), path(tiles, fill="none", stroke="#ffffff", stroke_width=3)
    )
    for x, w in ((20, 150), (186, 150), (560, 180)):
        canvas.add(box(x, 0, w, 92, "#7fa3a0", stroke="#4f6f6d", stroke_width=2.5),
                   box(x + 10, -10, w - 20, 92, "none", stroke="#5f8583", stroke_width=2.5, rx=4),
                   oval(x + w - 22, 68, 5, 5, "#e9d9a8"))  # fmt: skip
    floor = linear(canvas, (0, "#cfb28c"), (1, "#b39169"))
    canvas.add(
        box(0, 440, 768, 72, floor),
        stroke(
            "M0 476H768M130 440L90 512M320 440L306 512M520 440L532 512M690 440L724 512",
            "#a07f58",
            1.6,
        ),
    )
    canvas.add(box(0, 318, 768, 126, "#f4efe4", stroke="#b7a98e", stroke_width=2))
    for x in (16, 120, 560, 660):
        canvas.add(
            box(x, 334, 92, 98, "none", stroke="#b7a98e", stroke_width=2.5, rx=4),
            box(x + 30, 346, 32, 6, "#9aa6a8", rx=3),
        )
    canvas.add(box(-4, 300, 776, 20, "#6d5a4a"), box(-4, 300, 776, 5, "#8a7462"))
    _stove(canvas)
    _sink(canvas)
    # The knife lies across the edge, its blade out.
    canvas.add(
        group(
            path("M0 0H74L86 8Q60 14 0 13Z", fill="#dfe6ec", stroke="#7d8a94", stroke_width=1.8),
            box(-46, -1, 48, 15, "#3a2a20", rx=5),
            oval(-34, 6, 2, 2, "#c9b48a"),
            oval(-16, 6, 2, 2, "#c9b48a"),
            transform="translate(486 296) rotate(38)",
        )
    )
    canvas.add(
        path(
            "M238 470C262 454 352 452 378 468C400 482 352 498 300 498C252 498 218 486 238 470Z",
            fill="#7cc0e8",
            opacity=0.8,
            stroke="#4d94c2",
            stroke_width=1.6,
        ),
        path(
            "M262 476q24 -8 52 -4M300 486q26 2 48 -6", fill="none", stroke="#e6f6fd", stroke_width=3
        ),
    )
    canvas.add(
        group(
            oval(0, 0, 13, 13, "#2b2b30"),
            oval(0, 0, 5, 5, "#c9ccd0"),
            oval(62, 0, 13, 13, "#2b2b30"),
            oval(62, 0, 5, 5, "#c9ccd0"),
            path(
                "M-16 -6V-26H10L24 -42H52L64 -26H82V-6Z",
                fill="#e0483e",
                stroke="#8d1d26",
                stroke_width=2,
            ),
            path("M28 -38H48L56 -26H18Z", fill="#bfe3f2"),
            transform="translate(446 482)",
        )
    )
    return canvas


def _stove(canvas: Canvas) -> None:
    """Paint a gas stove: a pot whose handle sticks out to the front, and a towel over a flame."""
    canvas.add(
        box(224, 300, 236, 146, "#dfe3e6", stroke="#7d868c", stroke_width=2.5),
        box(224, 292, 236, 14, "#3b4046", rx=4),
        box(250, 350, 184, 82, "#4a5157", rx=8, stroke="#2b3035", stroke_width=3),
        box(250, 338, 184, 7, "#9aa3a8", rx=3),
        *(oval(x, 324, 9, 9, "#2f3439") for x in (262, 302, 342, 382, 422)),
    )
    # The extractor hood, from which the towel hangs down.
    canvas.add(
        poly(
            [(276, 66), (408, 66), (446, 104), (238, 104)],
            "#c4ccd1",
            stroke="#7d868c",
            stroke_width=2.5,
        ),
        box(300, -6, 84, 74, "#d6dce0", stroke="#7d868c", stroke_width=2.5),
        box(238, 102, 208, 12, "#aab4ba"),
    )
    towel = (
        "M384 112C388 168 380 216 392 262L402 254L410 266L420 252L428 262C440 214 434 168 440 112Z"
    )
    canvas.add(
        path(towel, fill="#f4efe2", stroke="#b3a98f", stroke_width=2),
        stroke("M385 138H438M384 150H438M386 220H436M387 230H436", "#d8343c", 4),
        path(
            "M388 262L392 240L402 250L410 238L420 250L428 238L432 262L420 252L410 266L402 254Z",
            fill="#3a2416",
            opacity=0.75,
        ),
    )
    flames = "".join(
        f"M{x} 292C{x - 8} 280 {x - 2} 272 {x} 262C{x + 4} 272 {x + 9} 280 {x} 292Z"
        for x in (384, 398, 412, 426)
    )
    canvas.add(
        glow(canvas, 406, 272, 58, "#ffb347", 0.8),
        path(flames, fill="#2f7fe0", stroke="#9fd0ff", stroke_width=1.6),
        path("M398 268C388 250 400 244 404 228C412 240 424 248 414 268Z", fill="#ff8a1f"),
        path("M402 268C398 258 404 252 406 244C410 252 416 260 410 268Z", fill="#ffe07a"),
        box(372, 290, 68, 5, "#22262a"),
    )
    pot = linear(canvas, (0, "#b0362f"), (0.35, "#e0584c"), (1, "#8c2720"), end=(1, 0))
    canvas.add(
        box(242, 232, 108, 60, pot, rx=8, stroke="#5c1712", stroke_width=2.5),
        oval(296, 232, 54, 10, "#f2f2ee", stroke="#5c1712", stroke_width=2.5),
        oval(296, 233, 46, 7, "#cfe3ea"),
        *(oval(x, y, 4, 3, "#ffffff") for x, y in ((276, 232), (292, 235), (308, 231))),
        stroke(
            "M276 218C266 198 286 186 276 164M300 216C290 192 310 180 300 154M322 218C314 200 "
            "330 190 322 170",
            "#ffffff",
            6,
        ),
    )
    canvas.add(
        poly(
            [(250, 248), (266, 248), (222, 360), (204, 356)],
            "#2b2b30",
            stroke="#101014",
            stroke_width=2,
            stroke_linejoin="round",
        )
    )


def _sink(canvas: Canvas) -> None:
    """Paint a full sink with a tap; a plugged-in toaster stands on its very edge."""
    canvas.add(
        path(
            "M556 300H742V314Q742 318 734 318H564Q556 318 556 314Z",
            fill="#c9d2d8",
            stroke="#7d868c",
            stroke_width=2.5,
        ),
        oval(650, 303, 84, 8, "#8fc7e6", stroke="#5a97c2", stroke_width=1.6),
        stroke("M676 300V214Q676 190 652 190Q630 190 630 214V222", "#9aa6ae", 13),
        stroke("M676 300V214Q676 190 652 190Q630 190 630 214V222", "#d5dde2", 6),
        box(660, 284, 32, 14, "#9aa6ae", rx=5),
        stroke("M630 228V298", "#a8d8f2", 7),
    )
    body = linear(canvas, (0, "#e9edf0"), (1, "#aab4bb"))
    canvas.add(
        group(
            box(-52, -64, 104, 62, body, rx=16, stroke="#5d6a72", stroke_width=2.5),
            box(-36, -68, 72, 8, "#3b4046", rx=3),
            path(
                "M-28 -66V-86Q-28 -94 -12 -94H12Q26 -94 26 -86V-66Z",
                fill="#d99a48",
                stroke="#8c5a22",
                stroke_width=2,
            ),
            box(-46, -4, 20, 8, "#2b2b30"),
            box(26, -4, 20, 8, "#2b2b30"),
            box(46, -44, 12, 8, "#2b2b30", rx=2),
            oval(-30, -24, 7, 7, "#5d6a72"),
            transform="translate(556 296) rotate(7)",
        )
    )
    canvas.add(
        box(486, 176, 34, 34, "#ffffff", rx=5, stroke="#9aa6ae", stroke_width=2),
        oval(498, 193, 3, 3, "#5d6a72"),
        oval(509, 193, 3, 3, "#5d6a72"),
        stroke("M503 196C500 240 470 260 494 282C500 288 506 288 508 280", "#22262a", 4.5),
        box(495, 186, 17, 16, "#22262a", rx=3),
    )


def hotel_room() -> Canvas:
    """Draw room 214: a dripping ceiling over the bed, a broken lamp and a torn curtain."""
    canvas = Canvas(width=768, height=512)
    canvas.add(box(0, 0, 768, 400, linear(canvas, (0, "#d8cdb4"), (1, "#e5dcc6"))))
    canvas.add(
        path(
            "".join(f"M{x} 30V390" for x in range(24, 768, 40)),
            fill="none",
            stroke="#cdbf9f",
            stroke_width=5,
        )
    )
    canvas.add(
        box(0, 0, 768, 34, "#f3efe6"),
        box(0, 392, 768, 120, linear(canvas, (0, "#8a5f7a"), (1, "#6b465e"))),
        box(0, 384, 768, 12, "#f0e8d6"),
    )
    stain = smooth_d([(228, 20), (250, 60), (300, 76), (340, 62), (384, 84), (430, 62), (452, 20)])
    canvas.add(
        path(f"{stain}V0H228Z", fill="#9c7f4e", opacity=0.75),
        path(f"{stain}V0H228Z", fill="none", stroke="#7a6034", stroke_width=3, opacity=0.7),
    )
    for x, y in ((300, 108), (300, 176), (384, 122), (384, 210), (342, 146)):
        canvas.add(drop(x, y, 10, "#4f9fd6"))
    # Window with a curtain that came off its rail.
    canvas.add(
        box(38, 92, 146, 190, "#ffffff", stroke="#a39778", stroke_width=3),
        box(48, 102, 126, 170, linear(canvas, (0, "#9fb4c6"), (1, "#cfd9df"))),
        stroke("M111 102V272M48 186H174", "#ffffff", 6),
        stroke("M18 78H206", "#6b4a2e", 8),
        path(
            "M26 80C22 160 30 240 22 318H72C78 240 58 160 66 80Z",
            fill="#3f6f8f",
            stroke="#274a63",
            stroke_width=2.5,
        ),
        stroke("M38 84C36 170 42 240 36 312M54 84C54 170 62 240 56 312", "#305a76", 2.4),
        path(
            "M192 82C150 132 160 190 172 232L160 250L178 256L166 286L188 280L180 318H216C222 "
            "230 212 150 206 80Z",
            fill="#3f6f8f",
            stroke="#274a63",
            stroke_width=2.5,
        ),
        *(
            oval(x, 80, 5, 6, "none", stroke="#c9a13b", stroke_width=2.5)
            for x in (30, 42, 54, 66, 168, 204)
        ),
    )
    # Bed with a wet patch and a bucket on it.
    canvas.add(
        box(236, 214, 18, 226, "#6f4a2e", rx=6),
        box(238, 232, 250, 120, "#8a5d3a", rx=12, stroke="#5a3a22", stroke_width=3),
        path("M252 330H506L560 440H222Z", fill="#f4f2ea", stroke="#b9b39d", stroke_width=2.5),
        path("M222 440H560V470H222Z", fill="#cfc6b2", stroke="#a89d84", stroke_width=2),
        box(230, 468, 14, 24, "#5a3a22"),
        box(538, 468, 14, 24, "#5a3a22"),
        path(
            "M270 300H356Q366 300 364 316L360 336H266Z",
            fill="#ffffff",
            stroke="#b9b39d",
            stroke_width=2.5,
        ),
        path(
            "M392 300H476Q486 300 486 316L488 336H390Z",
            fill="#ffffff",
            stroke="#b9b39d",
            stroke_width=2.5,
        ),
        path(
            "M240 398C300 388 480 388 542 400L560 440H222Z",
            fill="#7a9c6a",
            stroke="#557148",
            stroke_width=2,
        ),
        path(
            "M282 352C320 340 420 344 440 362C452 384 400 396 350 394C300 394 262 376 282 352Z",
            fill="#a9b9bd",
            opacity=0.85,
        ),
    )
    canvas.add(
        poly(
            [(306, 322), (370, 322), (362, 378), (314, 378)],
            linear(canvas, (0, "#d8433c"), (0.4, "#f0766a"), (1, "#a8281f"), end=(1, 0)),
            stroke="#6b1510",
            stroke_width=2.5,
        ),
        oval(338, 322, 32, 8, "#6b1510"),
        oval(338, 323, 27, 6, "#8fc7e6"),
        path("M306 322C306 280 370 280 370 322", fill="none", stroke="#8d959c", stroke_width=3.5),
    )
    # Bedside table with a lamp that broke, and a telephone.
    canvas.add(
        box(580, 356, 110, 14, "#8a5d3a", rx=3),
        box(590, 370, 90, 90, "#9c6c45", stroke="#5a3a22", stroke_width=2.5),
        box(602, 384, 66, 26, "#8a5d3a", stroke="#5a3a22", stroke_width=2),
        oval(635, 397, 4, 4, "#e0c070"),
    )
    canvas.add(
        group(
            box(-16, -6, 32, 8, "#9aa0a6", rx=3),
            stroke("M0 -6L-6 -40L6 -52L2 -78", "#9aa0a6", 6),
            poly(
                [(-24, -76), (34, -64), (22, -112), (-10, -118)],
                "#e9dcc0",
                stroke="#a3926a",
                stroke_width=2.5,
            ),
            stroke("M-8 -108L6 -92L-4 -84L14 -72", "#6b5a3a", 2.5),
            transform="translate(614 356) rotate(-6)",
        )
    )
    canvas.add(
        box(640, 340, 42, 16, "#2b2f38", rx=4), stroke("M640 334Q661 322 682 334", "#2b2f38", 9)
    )
    canvas.add(
        box(590, 90, 130, 92, "#ffffff", rx=6, stroke="#a39778", stroke_width=3),
        box(598, 98, 114, 76, "#24405f"),
    )
    canvas.write("Room 214", 655, 132, 20, weight=2.4, anchor="middle", fill="#ffffff")
    canvas.write("Hotel Seaview", 655, 160, 14, weight=1.6, anchor="middle", fill="#dfe9f2")
    return canvas
