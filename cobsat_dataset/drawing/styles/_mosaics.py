"""The ten objects as mosaics of studs, for the style lego: one letter a stud.

m is the object's colour, l a lighter and d a darker brick of it, x a second colour; w white,
k black, g grey, y yellow, r red, b brown, c light blue, G green, and "." nothing.
"""

from __future__ import annotations

import math
import random

_LEAF = """
................mm
............mmmmmm
.........mmmmmmddm
.......mmmmmmmdmmm
......mmmmmmmdmmmm
....mmmdmmmmdmmmmm
...mmmmmdmmdmmmmm.
..mmmmmmddddmmmmm.
..mmmmmmmddmmmmm..
.mmmdmmmddddddmm..
.mmmmddddmmmmmmm..
.mmmmmdddmmmmmm...
.mmmmmddddddmmm...
.mmmddddmmmmmm....
..mmmddmmmmmm.....
..mmddmmmmm.......
..mdd.............
..dd..............
.dd...............
dd................
"""
_MAPLE = """
.........m.........
........mmm........
........mdm........
..m....mmdmm....m..
..mm..mmmdmmm..mm..
..mmm.mmmdmmm.mmm..
m.mmmmmmmdmmmmmmm.m
mmmmdmmmmdmmmmdmmmm
.mmmmdmmmdmmmdmmmm.
..mmmmdmmdmmdmmmm..
..mmmmmdmdmdmmmmm..
mmmmmmmmdddmmmmmmmm
.mmdddddddddddddmm.
..mmmmmmmdmmmmmmm..
....mmmmmdmmmmm....
....mmm..d..mmm....
.........d.........
.........d.........
.........d.........
"""
_FEDORA = """
......mmmm..mmm.....
.....mmmmmddmmmm....
.....mlmmmmdmmmm....
.....mlmmmmmmmmm....
....mmlmmmmmmmmmd...
....mmlmmmmmmmmdd...
....mmmmmmmmmmmdd...
....xxxxxxxxxxxxx...
....xxxxxxxxxxxxx...
....xxxxxxxxxxxxx...
mm.mmmmmmmmmmmmmm.mm
mmmmmmmmmmmmmmmmmmmm
.mmmmmmmmmmmmmmmmdd.
...ddddddddddddddd..
"""
_TOP_HAT = """
....mmmmmmmmmmmm....
....mmmmmmmmmmmm....
.....mlmmmmmmmd.....
.....mlmmmmmmmd.....
.....mlmmmmmmmd.....
.....mlmmmmmmmd.....
.....mlmmmmmmmd.....
.....mmmmmmmmmd.....
.....mmmmmmmmmd.....
.....xxxxxxxxxx.....
.....xxxxxxxxxx.....
mm..mxxxxxxxxxxm..mm
mmmmmmmmmmmmmmmmmmmm
.mmmmmmmmmmmmmmmmmm.
...dddddddddddddd...
"""
_CUP = """
....w...w.........
...w...w..........
....w...w.........
...w...w..........
..................
mmmmmmmmmmmmm.....
mbbbbbbbbbbbm.....
mmmmmmmmmmmmd.....
mlmmmmmmmmmddmmm..
mlmmmmmmmmmddmmmm.
mlmmmmmmmmmdd..mmm
mlmxxxxxxxmdd...mm
mlmxxxxxxxmdd...mm
mmmmmmmmmmmdd...mm
mmmmmmmmmmmdd..mmm
mmmmmmmmmmmddmmmm.
mmmmmmmmmmmddmmm..
mmmmmmmmmmddd.....
.mmmmmmmmmdd......
..ddddddddd.......
"""
_CHAIR = """
..mm.........mm..
..mmmmmmmmmmmmm..
..mmmmmmmmmmmmm..
..mm.........mm..
..mmmmmmmmmmmmm..
..mmmmmmmmmmmmm..
..mm.........mm..
..mm.........mm..
..mm.........mm..
.lllllllllllllll.
lllllllllllllllll
ddddddddddddddddd
.mm...........mm.
.mm.dd.....dd.mm.
.mm.dd.....dd.mm.
.mm.dd.....dd.mm.
.mm.dd.....dd.mm.
.mm...........mm.
.mm...........mm.
"""
_SIDE_CHAIR = """
mm..............
mmm.............
mmm.............
.mm.............
.mmm............
.mmm............
.mmm............
..mm............
..mmm...........
..mmmlllllllllll
..mmmmmmmmmmmmmm
..dddddddddddddd
..mm..........mm
..mm..........mm
..mm..........mm
.mmm.........mmm
.mmdddddddddddmm
.mm..........mm.
mmm..........mmm
mm............mm
"""
_CAR = """
......mmmmmmmmm......
.....mmmmmmmmmmm.....
....mmcccmccccmmm....
...mmccccmcccccmm....
..mmcccccmccccccmm...
.mmmmmmmmmmmmmmmmmmm.
rmmmmmmmmggmmmmmmmmmy
rmmmmmmmmmmmmmmmmmmmy
mmmmkkkkmmmmmmkkkkmmm
dddkkkkkkddddkkkkkkdd
gggkkggkkggggkkggkkgg
...kkggkk....kkggkk..
...kkkkkk....kkkkkk..
....kkkk......kkkk...
"""
_BOX = """
....lllllxxxlllll
...lllllxxxllllld
..lllllxxxllllldd
.lllllxxxlllllddd
mmmmmxxxmmmmmdddd
mmmmmxxxmmmmmdddd
mmmmmxxxmmmmmdddd
mmmmmmmmmmmmmdddd
mmmmmmmmmmmmmdddd
mmmmmmmmmmmmmdddd
mmmmmmmmmmmmmdddd
mmmmmmmmmmmmmdddd
mmwwwmmmmmmmmdddd
mmwwwmmmmmmmmddd.
mmmmmmmmmmmmmdd..
mmmmmmmmmmmmmd...
"""
_GIFT_BOX = """
....xxx....xxx....
...xx.xx..xx.xx...
...xx..xxxx..xx...
....xxxxxxxxxx....
......xxxxxx......
llllllllxxllllllll
mmmmmmmmxxmmmmmmmm
mmmmmmmmxxmmmmmmmm
mmmmmmmmxxmmmmmmmm
.dddddddxxddddddd.
.mmmmmmmxxmmmmmdd.
.mmmmmmmxxmmmmmdd.
.mmmmmmmxxmmmmmdd.
.mmmmmmmxxmmmmmdd.
.mmmmmmmxxmmmmmdd.
.mmmmmmmxxmmmmmdd.
.mmmmmmmxxmmmmmdd.
.mmmmmmmxxmmmmddd.
.dddddddxxddddddd.
"""
_BOOK = """
.ddmmmmmmmmmmmm...
dddmmmmmmmmmmmmw..
dddmmmmmmmmmmmmwm.
dddmmxxxxxxxxmmwwm
dddmmxwwwwwwxmmwwm
dddmmxwkkkkwxmmwwm
dddmmxwwwwwwxmmwwm
dddmmxxxxxxxxmmwwm
dddmmmmmmmmmmmmwwm
dddmmmmmmmmmmmmwwm
dddmmmmmmmmmmmmwwm
dddmmmmmmmmmmmmwwm
dddmmmmmxxmmmmmwwm
dddmmmmmxxmmmmmwwm
dddmmmmmmmmmmmmwwm
dddmmmmmmmmmmmmwwm
.ddwwwwwwwwwwwwwwm
..ddwwwwwwwwwwwwwm
...dmmmmmmmmmmmmmm
"""
_OPEN_BOOK = """
...wwwwww...wwwwww...
mwwwwwwwwwgwwwwwwwwwm
mwwkkkkkwwgwwwwwwwwwm
mwwwwwwwwwgwwxxxxxwwm
mwkkkkkkwwgwwxxxxxwwm
mwwwwwwwwwgwwxxxxxwwm
mwkkkkkkwwgwwwwwwwwwm
mwwwwwwwwwgwwkkkkkkwm
mwkkkkkkwwgwwwwwwwwwm
mwwwwwwwwwgwwkkkkkkwm
mwkkkkwwwwgwwwwwwwwwm
mwwwwwwwwwgwwkkkkwwwm
mwwwwwwwwwgwwwwwwwwwm
mwggggggwwgwwggggggwm
mmmmmmmmggdggmmmmmmmm
..mmmmmmmmdmmmmmmmm..
"""
_BAG = """
.....mmmmmmm.....
....mm.....mm....
...mm.......mm...
...m.........m...
...m.........m...
.ddddddddddddddd.
.lmmmmmmmmmmmmmm.
mmmmmmmmmmmmmmmmm
mlmmmmmmmmmmmmmmm
mlmmmmmyyymmmmmdm
mdmmmmmyyymmmmddm
mmdddddyyydddddmm
mlmmmmmmmmmmmmmdm
mlmmmmmmmmmmmmmdm
mlmmmmmmmmmmmmmdm
mmmmmmmmmmmmmmmdm
mmmmmmmmmmmmmmddm
.ddddddddddddddd.
"""
_TOTE = """
.....kk...kk.....
....kk.....kk....
....k.......k....
....k.......k....
....k.......k....
mmmmkmmmmmmmkmmdd
mmmmkmmmmmmmkmmdd
mmmmmmmmmmmmmmmdd
mlmmmmmxxxmmmmmdd
mlmmmmxxxxxmmmmdd
mlmmmmxxxxxmmmmdd
mlmmmmxxxxxmmmmdd
mmmmmmmxxxmmmmmdd
mmmmmmmmmmmmmmmdd
mmmmmmmmmmmmmmmdd
mmmmmmmmmmmmmmmdd
mmmmmmmmmmmmmmmd.
"""
_APPLE = """
.........bb...GGG.
.........b..GGGGG.
........bb.GGGGG..
...mmmm.b.mGGmm...
..mmmmmmbmmmmmmm..
.mmllmmmmmmmmmmmm.
mmllmmmmmmmmmmmmmm
mmlmmmmmmmmmmmmmmm
mmlmmmmmmmmmmmmmdm
mmmmmmmmmmmmmmmmdm
mmmmmmmmmmmmmmmmdd
mmmmmmmmmmmmmmmddd
.mmmmmmmmmmmmmmdd.
.mmmmmmmmmmmmmddd.
..mmmmmmmmmmmddd..
...mmmmmmmmmddd...
....mmmmm.dddd....
"""

_MOSAICS = {
    "leaf": (_LEAF, _MAPLE), "hat": (_FEDORA, _TOP_HAT), "cup": (_CUP,),
    "chair": (_CHAIR, _SIDE_CHAIR), "car": (_CAR,), "box": (_BOX, _GIFT_BOX),
    "book": (_BOOK, _OPEN_BOOK), "bag": (_BAG, _TOTE), "apple": (_APPLE,),
}  # fmt: skip


def mosaic(object_: str, rng: random.Random) -> list[str]:
    """Return an object's rows of letters, at times mirrored."""
    rows = _beach_ball(rng) if object_ == "ball" else rng.choice(_MOSAICS[object_]).split()
    return [row[::-1] for row in rows] if rng.random() < 0.5 else rows


def _beach_ball(rng: random.Random) -> list[str]:
    """Lay a ball of six gores that meet in a cap, turned towards the viewer."""
    radius, lean, roll = 9.4, rng.uniform(0.75, 1.0), rng.uniform(-0.6, 0.6)
    start = rng.uniform(0, math.tau)
    rows = []
    for j in range(19):
        row = ""
        for i in range(19):
            x, y = (i - 9) / radius, (j - 9) / radius
            if math.hypot(x, y) > 1:
                row += "."
                continue
            z = math.sqrt(1 - x * x - y * y)
            x, y = x * math.cos(roll) - y * math.sin(roll), x * math.sin(roll) + y * math.cos(roll)
            up = -y * math.cos(lean) + z * math.sin(lean)
            depth = y * math.sin(lean) + z * math.cos(lean)
            gore = int((math.atan2(x, depth) + start) / math.tau * 6 + 12) % 6
            row += "w" if up > 0.96 else "mwxmwx"[gore]
        rows.append(row)
    return rows
