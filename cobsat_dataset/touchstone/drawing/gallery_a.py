"""The pictures of the questions on description and recognition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from . import (
    boards,
    corner,
    counts,
    emotions,
    film,
    landmarks,
    old_masters,
    papers,
    pearl_girl,
    portraits,
    scenes,
    tools,
)
from .canvas import Canvas

PICTURES: Final[dict[str, Callable[[], Canvas]]] = {
    draw.__name__.replace("_", "-"): draw
    for draw in (
        scenes.harbour_morning, scenes.snowy_garden, corner.reading_corner,
        counts.fruit_stall, counts.aquarium, tools.tool_wall, tools.five_instruments,
        film.rocket_in_the_moon, film.yellow_brick_road,
        old_masters.night_village, old_masters.great_wave, pearl_girl.pearl_girl,
        landmarks.iron_tower, landmarks.marble_tomb, landmarks.mountain_wall,
        portraits.physicist_at_blackboard, portraits.flower_crown_painter,
        portraits.tramp_with_cane,
        emotions.dropped_ice_cream, emotions.surprise_party, emotions.four_faces,
        boards.cafe_board, boards.station_exit, boards.bus_timetable, boards.park_map,
        papers.boarding_pass, papers.fridge_note, papers.lab_notebook, papers.registration_form,
    )
}  # fmt: skip
