"""The pictures of comprehension, storytelling and several pictures, by the name of their files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from . import (
    charts,
    diagrams,
    jokes,
    manuals,
    nights,
    paintings,
    pairs,
    places,
    products,
    rooms,
    sequences,
    shelves,
)
from .canvas import Canvas

__all__ = ["PICTURES"]

PICTURES: Final[dict[str, Callable[[], Canvas]]] = {
    draw.__name__.replace("_", "-"): draw
    for draw in (
        paintings.cubist_still_life,
        paintings.ink_landscape,
        paintings.storm_and_calm,
        paintings.untangling,
        jokes.morning_joke,
        jokes.code_joke,
        jokes.cake_case,
        rooms.unsafe_kitchen,
        rooms.hotel_room,
        shelves.empty_shop,
        shelves.jars_on_a_shelf,
        places.thaw_in_the_square,
        nights.lighthouse,
        places.frog_pond,
        places.desert_door,
        nights.bedtime_reading,
        charts.bread_chart,
        charts.towns_chart,
        charts.budget_chart,
        charts.coffee_chart,
        diagrams.parcel_flow,
        diagrams.garden_plan,
        diagrams.road_map,
        diagrams.recipe_card,
        diagrams.balances,
        products.denim_bag,
        products.wooden_car,
        products.garden_party,
        products.kettle_a,
        products.kettle_b,
        products.tent_a,
        products.tent_b,
        pairs.desk_a,
        pairs.desk_b,
        pairs.street_2005,
        pairs.street_2025,
        sequences.tomato_1,
        sequences.tomato_2,
        sequences.tomato_3,
        sequences.tomato_4,
        sequences.monkey_1,
        sequences.monkey_2,
        sequences.monkey_3,
        manuals.chair_1,
        manuals.chair_2,
        manuals.chair_3,
        manuals.chair_4,
        manuals.hat_1,
        manuals.hat_2,
        manuals.hat_3,
        manuals.hat_4,
    )
}
"""File name without its ending → what draws it."""
