"""Rows of things to be named: tools on a wall, instruments on a stage."""

from __future__ import annotations

from ...drawing.backgrounds.kit import radial
from ...drawing.svg import group, path, shade
from .brush import at, blob, box, disc, fade, mirrored, oval, shadow, stroke
from .canvas import Canvas

__all__ = ["five_instruments", "tool_wall"]


def tool_wall() -> Canvas:
    """Six tools on a pegboard: hammer, saw, spanner, screwdriver, pliers, paint brush."""
    c = Canvas(width=768, height=512)
    c.add(box(0, 0, 768, 512, fade(c, "#d9bd8c", "#c9a873")))
    for x in range(16, 768, 30):
        for y in range(16, 430, 30):
            c.add(disc(x, y, 2.6, "#7a5c34"))
    c.add(box(0, 430, 768, 82, fade(c, "#8f5f34", "#6b4524")), box(0, 424, 768, 12, "#a9763f"))
    tools = (_hammer, _saw, _spanner, _screwdriver, _pliers, _brush)
    for x, tool in zip((84, 214, 344, 444, 556, 680), tools, strict=True):
        for k in (-8, 8):
            c.add(stroke(f"M{x + k} 62V78Q{x + k} 84 {x + k + 5} 84", "#4a4f57", 4))
        c.add(group(tool(c), transform=f"translate({x + 5} 7)", opacity=0.18), at(x, 0, 1, tool(c)))
    c.add(
        at(
            150,
            428,
            1,
            box(-52, -44, 104, 44, "#c9302c", 5, stroke="#7a1d1a", stroke_width=2),
            box(-52, -48, 104, 12, "#e04a45", 4),
            stroke("M-22 -50V-62H22V-50", "#4a4f57", 6),
            box(-10, -34, 20, 12, "#e6d9a0", 2),
        ),
        at(
            610,
            430,
            1,
            disc(0, -30, 30, "#f3cc2e", stroke="#8a6f10", stroke_width=2.5),
            disc(0, -30, 15, "#3a3f47"),
            disc(0, -30, 6, "#c9d0d6"),
            path("M26 -10H86V-2H18Z", fill="#fff6c4", stroke="#8a6f10", stroke_width=1.5),
            box(82, -12, 6, 14, "#9aa3ab"),
            *(stroke(f"M{k} -10v{5 if k % 20 else 8}", "#333333", 1.4) for k in range(32, 82, 10)),
        ),
    )
    return c


def _hammer(c: Canvas) -> str:
    return (
        path(
            "M-11 120H11L14 372C14 386 -14 386 -14 372Z",
            fill=fade(c, "#d99a52", "#a9692a", across=True),
            stroke="#6b4016",
            stroke_width=2,
        )
        + path("M-14 300H14L14 372C14 386 -14 386 -14 372Z", fill="#c9302c")
        + path(
            "M-46 84H20C40 84 58 92 66 116C48 108 34 112 20 124H-46Z",
            fill=fade(c, "#9aa3ab", "#5a636b"),
            stroke="#3a4047",
            stroke_width=2,
        )
        + box(-60, 78, 20, 52, fade(c, "#aab3bb", "#6a737b"), 3, stroke="#3a4047", stroke_width=2)
    )


def _saw(c: Canvas) -> str:
    return (
        path(
            "M-34 170L-24 376H6L34 170Z",
            fill=fade(c, "#e3e8ec", "#aab3bb", across=True),
            stroke="#6a737b",
            stroke_width=2,
        )
        + stroke("M-33 176" + "".join("l-7 8l7.7 6" for _ in range(14)), "#6a737b", 2)
        + path(
            "M-40 174C-48 100 -24 72 4 72C40 72 50 110 42 174Z",
            fill=fade(c, "#3f7fb8", "#2a5a8a"),
            stroke="#173a5c",
            stroke_width=2,
        )
        + path(
            "M-20 146C-26 112 -10 98 4 98C22 98 28 118 22 146Z",
            fill="#d3b681",
            stroke="#173a5c",
            stroke_width=2,
        )
        + disc(-22, 162, 4, "#e3e8ec")
        + disc(26, 162, 4, "#e3e8ec")
    )


def _spanner(c: Canvas) -> str:
    steel = fade(c, "#8f989f", "#e3e8ec", "#8f989f", across=True)
    return (
        path("M-11 130H11L9 320H-9Z", fill=steel, stroke="#4a5258", stroke_width=2)
        + path(
            "M-12 134C-34 126 -38 98 -22 80L-10 72V104H10V72L22 80C38 98 34 126 12 134Z",
            fill=steel,
            stroke="#4a5258",
            stroke_width=2,
        )
        + disc(0, 338, 27, steel, stroke="#4a5258", stroke_width=2)
        + path(
            "M0 322L14 330V346L0 354L-14 346V330Z", fill="#cfb07a", stroke="#4a5258", stroke_width=2
        )
        + stroke("M0 150V306", "#6a737b", 3)
    )


def _screwdriver(c: Canvas) -> str:
    return (
        box(-5, 196, 10, 150, fade(c, "#aab3bb", "#eef2f4", "#8f989f", across=True))
        + path("M-5 346H5L9 364L6 376H-6L-9 364Z", fill="#7a838b")
        + path(
            "M-17 84C-17 68 17 68 17 84L20 176C20 186 10 198 6 200H-6C-10 198 -20 186 -20 176Z",
            fill=fade(c, "#f6c63d", "#d99a1e", across=True),
            stroke="#8a6210",
            stroke_width=2,
        )
        + stroke("M-8 90V182M8 90V182", "#a97814", 3.5)
    )


def _pliers(c: Canvas) -> str:
    half = path(
        "M4 150C-4 150 -10 170 -16 200C-30 260 -40 300 -36 364C-34 376 -18 376 -18 364"
        "C-20 310 -8 262 4 214Z",
        fill="#2f8a5a",
        stroke="#1c5a38",
        stroke_width=2,
    )
    jaw = path(
        "M0 152C-20 146 -20 110 -8 74L-1 70V152Z",
        fill=fade(c, "#b9c2c9", "#7a838b"),
        stroke="#3a4047",
        stroke_width=2,
    )
    return (
        mirrored(half)
        + mirrored(jaw)
        + disc(0, 166, 17, "#8f989f", stroke="#3a4047", stroke_width=2)
        + disc(0, 166, 6, "#4a5258")
        + stroke("M-6 92h12M-7 104h14M-8 116h16", "#3a4047", 2)
    )


def _brush(c: Canvas) -> str:
    hairs = "".join(
        stroke(
            f"M{x} 282L{x * 1.12:.1f} {352 + (k * 5) % 9}", "#e3cfa0" if k % 2 else "#c9b07a", 3.4
        )
        for k, x in enumerate(range(-36, 37, 4))
    )
    return (
        path(
            "M-12 78C-12 66 12 66 12 78C10 130 16 170 34 226H-34C-16 170 -10 130 -12 78Z",
            fill=fade(c, "#b5773f", "#8a5426", across=True),
            stroke="#5a3418",
            stroke_width=2,
        )
        + disc(0, 86, 5, "#d3b681")
        + box(
            -40,
            226,
            80,
            56,
            fade(c, "#8f989f", "#e3e8ec", "#8f989f", across=True),
            2,
            stroke="#4a5258",
            stroke_width=2,
        )
        + stroke("M-40 240H40M-40 268H40", "#6a737b", 2)
        + hairs
        + path("M-41 340C-20 332 20 348 41 338L44 366C20 376 -20 372 -44 366Z", fill="#3f8fd0")
    )


def five_instruments() -> Canvas:
    """A guitar, a drum, a trumpet, a xylophone and a pair of maracas on a stage."""
    c = Canvas(width=768, height=512)
    c.add(box(0, 0, 768, 512, "#6b1f2f"))
    for k in range(16):
        c.add(
            path(
                f"M{k * 48} 0H{k * 48 + 48}V380H{k * 48}Z",
                fill=fade(c, "#7d2436", "#b8394f", "#5f1826", across=True),
            )
        )
    c.add(
        box(0, 372, 768, 140, fade(c, "#c98a4a", "#8f5a28")),
        stroke("M0 374H768", "#6b4016", 5),
        stroke(
            "M90 380L40 512M250 380L226 512M420 380L432 512M590 380L632 512M730 380L800 512",
            "#7a4a20",
            2.5,
        ),
    )
    for x, w in ((104, 80), (268, 84), (424, 56), (578, 96), (710, 44)):
        c.add(shadow(c, x, 470, w, 12, 0.5))
    c.add(_guitar(c), _drum(c), _trumpet(c), _xylophone(c), _maracas(c))
    return c


def _guitar(c: Canvas) -> str:
    wood = radial(c, (0, "#f3c37a"), (0.7, "#d9963f"), (1, "#8f5518"))
    return at(
        104,
        470,
        1,
        box(-13, -380, 26, 210, "#4a2a14", 2),
        *(stroke(f"M-13 {y}H13", "#d9d0bd", 2) for y in range(-350, -180, 22)),
        path("M-19 -430H19L15 -376H-15Z", fill="#3a2010"),
        *(disc(s * 24, y, 5, "#d9d0bd") for s in (-1, 1) for y in (-418, -402, -386)),
        blob(
            [
                (0, -196),
                (46, -186),
                (54, -150),
                (44, -118),
                (74, -70),
                (66, -18),
                (0, 2),
                (-66, -18),
                (-74, -70),
                (-44, -118),
                (-54, -150),
                (-46, -186),
            ],
            wood,
            stroke="#6b3d12",
            stroke_width=3,
        ),
        disc(0, -108, 27, "#2b170a", stroke="#a9692a", stroke_width=5),
        box(-32, -42, 64, 12, "#4a2a14", 3),
        *(
            stroke(f"M{x} -424L{x * 1.15:.1f} -36", "#f3eee0", 1.3)
            for x in (-9, -5.4, -1.8, 1.8, 5.4, 9)
        ),
        turn=-6,
    )


def _drum(c: Canvas) -> str:
    zig = "M-78 -116" + "".join(
        f"L{-78 + k * 26 + 13} -16L{-78 + (k + 1) * 26} -116" for k in range(6)
    )
    stick = stroke("M-70 -170L44 -138", "#e3b877", 8) + oval(50, -136, 11, 8, "#e3b877", 15)
    return at(
        268,
        470,
        1,
        path(
            "M-80 -124V-12C-80 14 80 14 80 -12V-124Z",
            fill=fade(c, "#8f1d24", "#d8343c", "#8f1d24", across=True),
            stroke="#4a0d12",
            stroke_width=2.5,
        ),
        stroke(zig, "#f6d04a", 4),
        path(
            "M-82 -24C-82 4 82 4 82 -24V-8C82 20 -82 20 -82 -8Z",
            fill="#e8b93c",
            stroke="#8a6a14",
            stroke_width=2,
        ),
        oval(0, -124, 80, 24, "#fbf6ea"),
        path(
            "M-80 -124A80 24 0 1 0 80 -124A80 24 0 1 0 -80 -124Z",
            fill="none",
            stroke="#e8b93c",
            stroke_width=8,
        ),
        stick,
        stroke("M70 -176L-30 -132", "#c9995a", 8),
        oval(-36, -129, 11, 8, "#c9995a", -25),
    )


def _trumpet(c: Canvas) -> str:
    brass, edge = fade(c, "#fbe08a", "#e3ae2e", "#a8740f"), "#7a5208"
    crate = (
        box(-50, -96, 100, 98, fade(c, "#d9a767", "#a9763f"), 3, stroke="#6b4016", stroke_width=2)
        + stroke("M-50 -64H50M-50 -30H50", "#6b4016", 2)
        + stroke("M-44 -90L44 -4", "#8a5a2c", 7)
    )
    return at(424, 470, 1, crate) + at(
        438,
        344,
        0.95,
        stroke("M-70 -6H40", edge, 13),
        stroke("M-70 -6H40", "#efc24a", 9),
        stroke("M-34 -6C-66 -6 -66 -44 -34 -44H30C50 -44 50 -6 30 -6", edge, 13),
        stroke("M-34 -6C-66 -6 -66 -44 -34 -44H30C50 -44 50 -6 30 -6", "#efc24a", 9),
        path(
            "M36 -14C56 -14 70 -24 80 -46V34C70 12 56 2 36 2Z",
            fill=brass,
            stroke=edge,
            stroke_width=2,
        ),
        oval(80, -6, 9, 40, "#c98f1a"),
        oval(81, -6, 5, 32, "#6b4708"),
        path("M-88 -14L-70 -9V-3L-88 2Z", fill="#d9dde0", stroke=edge, stroke_width=1.5),
        *(
            box(x, -62, 13, 66, brass, 3, stroke=edge, stroke_width=1.6)
            + stroke(f"M{x + 6.5} -62V-76", edge, 4)
            + box(x, -82, 13, 7, "#f4f0e0", 3, stroke=edge, stroke_width=1)
            for x in (-26, -8, 10)
        ),
    )


def _xylophone(c: Canvas) -> str:
    colors = ("#d8342f", "#ef7f2a", "#f4cc36", "#58b04a", "#38a8b8", "#3f6fd0", "#8a4fb8")
    bars = "".join(
        box(
            -88 + k * 26,
            -62 + k * 5,
            20,
            78 - k * 10,
            color,
            4,
            stroke=shade(color, -0.4),
            stroke_width=1.8,
        )
        + disc(-78 + k * 26, -54 + k * 5, 2.6, "#ffffff")
        + disc(-78 + k * 26, 8 - k * 5, 2.6, "#ffffff")
        for k, color in enumerate(colors)
    )
    return at(584, 450, 1, path("M-98 -44L96 -26V-14L-98 -30ZM-98 -4L96 -22V-10L-98 10Z",
                                fill="#8a5426", stroke="#4a2a10", stroke_width=1.6), bars,
        stroke("M-60 -96L30 -74", "#e3c08a", 5), disc(36, -72, 10, "#2f5a8f"),
        stroke("M96 -92L34 -52", "#e3c08a", 5), disc(28, -49, 10, "#d8342f"))  # fmt: skip


def _maracas(c: Canvas) -> str:
    def one(color: str) -> str:
        return (
            stroke("M0 0V-84", "#a9692a", 10)
            + oval(
                0, -120, 29, 39, radial(c, (0, shade(color, 0.4)), (1, color), center=(0.36, 0.3))
            )
            + path("M-28 -128Q0 -116 28 -128L29 -112Q0 -100 -29 -112Z", fill="#fdf3d6")
            + stroke("M-20 -120l8 8l8 -7l8 8l8 -8l8 6", "#c9302c", 2.4)
            + disc(0, 0, 7, "#8a5426")
        )

    return at(702, 466, 0.9, one("#2f9a6a"), turn=-9) + at(722, 468, 0.9, one("#e8772e"), turn=7)
