"""touchstone-mini: charts, diagrams and sequences say what their questions say of them."""

import itertools
import json
import math
import random
import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import cobsat.touchstone
import pytest
from cobsat.drawing.objects import build
from cobsat.drawing.objects.geometry import bounds, points_of
from cobsat.drawing.svg import Picture
from cobsat.touchstone import CATEGORIES, SUBTASKS
from cobsat.touchstone.drawing import charts, diagrams, products, things
from cobsat.touchstone.drawing.gallery_b import PICTURES

SVG = "{http://www.w3.org/2000/svg}"
FOLDER = Path(cobsat.touchstone.__file__).parent / "mini"
OURS = ("comprehension", "storytelling", "multi_image")
QUESTIONS = {
    entry["index"]: entry
    for category in OURS
    for entry in json.loads((FOLDER / f"{category}.json").read_text("utf-8"))
}
SHOWN = [
    (name.removesuffix(".webp"), index)
    for index, entry in QUESTIONS.items()
    for name in entry["images"]
]


def annotation(picture: str) -> str:
    return next(
        entry["annotation"] for entry in QUESTIONS.values() if f"{picture}.webp" in entry["images"]
    )


def elements(picture: str, kind: str, **having: str) -> list[dict[str, str]]:
    root = ET.fromstring(PICTURES[picture]().svg())
    return [
        e.attrib
        for e in root.iter(SVG + kind)
        if all(e.get(key.replace("_", "-")) == value for key, value in having.items())
    ]


def test_every_subtask_has_two_questions_or_more_and_every_picture_one() -> None:
    counts = Counter(entry["subtask"] for entry in QUESTIONS.values())
    wanted = {name for name, category in SUBTASKS.items() if category in OURS}
    assert set(counts) == wanted
    assert min(counts.values()) >= 2
    assert {name for name, _ in SHOWN} == set(PICTURES)


def test_a_question_belongs_to_its_subtasks_category_and_its_index_to_the_file() -> None:
    first = {"comprehension": 301, "storytelling": 501, "multi_image": 601}
    for index, entry in QUESTIONS.items():
        category = SUBTASKS[entry["subtask"]]
        assert entry["categories"][0] == category
        assert set(entry["categories"]) <= set(CATEGORIES)
        assert first[category] <= index < first[category] + 99
        assert (len(entry["images"]) > 1) == (category == "multi_image")
        assert 50 <= len(entry["annotation"].split()) <= 220
    assert sum(len(entry["categories"]) > 1 for entry in QUESTIONS.values()) >= 3


def test_answers_that_look_like_something_else_are_texts() -> None:
    answers = [entry["reference_answer"] for entry in QUESTIONS.values()]
    assert {"None", "0"} <= set(answers)
    assert any(re.search("[\u4e00-\u9fff]", answer) for answer in answers)
    assert any("\n" in answer and '"' in answer for answer in answers)


@pytest.mark.parametrize(("picture", "index"), SHOWN)
def test_all_text_in_a_picture_is_in_the_annotation_verbatim(picture: str, index: int) -> None:
    for text in PICTURES[picture]().texts:
        # The numbers along an axis are told as ends and steps.
        if not re.fullmatch(r"-?\d+", text):
            assert text in QUESTIONS[index]["annotation"]


@pytest.mark.parametrize("picture", PICTURES)
def test_a_picture_is_the_same_each_time_and_of_the_size_asked_for(picture: str) -> None:
    canvas = PICTURES[picture]()
    assert canvas.svg() == PICTURES[picture]().svg()
    assert 512 <= max(canvas.width, canvas.height) <= 768
    assert "nan" not in canvas.svg()
    ET.fromstring(canvas.svg())


@pytest.mark.parametrize(
    ("picture", "chart"),
    [
        ("bread-chart", charts.BREAD),
        ("towns-chart", charts.TOWNS),
        ("budget-chart", charts.BUDGET),
    ],
)
def test_a_charts_annotation_has_the_numbers_it_is_drawn_from(
    picture: str, chart: charts.Chart
) -> None:
    text = annotation(picture)
    assert f'"{chart.title}"' in text
    for name, numbers in chart.series.items():
        told = text if len(chart.series) == 1 else re.search(rf"{name}: ([^.]*)\.", text)[1]  # type: ignore[index]
        pairs = re.findall(r"(\w+): (-?\d+)", told)
        assert [(label, int(number)) for label, number in pairs] == list(
            zip(chart.labels, numbers, strict=True)
        )


def test_the_scatter_charts_annotation_has_every_dot() -> None:
    pairs = re.findall(r"\((\d), (\d\.\d)\)", annotation("coffee-chart"))
    assert [(int(x), float(y)) for x, y in pairs] == list(charts.COFFEE)


def test_bars_are_as_high_as_their_numbers() -> None:
    bars = elements("bread-chart", "rect", stroke="#7a4a22")
    heights = [float(bar["height"]) for bar in bars]
    values = [45, 40, 55, 75, 95, 30]
    assert [h / max(heights) for h in heights] == pytest.approx([v / 95 for v in values], abs=1e-4)
    assert len({float(bar["y"]) + float(bar["height"]) for bar in bars}) == 1
    assert [bar["fill"] for bar in bars].index("#c8553d") == 4


def test_marks_and_dots_lie_where_their_numbers_are() -> None:
    marks = [float(e["cy"]) for e in elements("towns-chart", "ellipse", rx="6", fill="#2466a8")]
    north = charts.TOWNS.series["Northport"]
    marks = marks[:12]
    unit = (marks[0] - marks[6]) / (north[6] - north[0])
    assert unit > 0
    assert [marks[0] - m for m in marks] == pytest.approx(
        [(v - north[0]) * unit for v in north], abs=0.05
    )
    dots = elements("coffee-chart", "ellipse", rx="8.5")
    assert len(dots) == 12
    (x0, y0), (x1, y1) = charts.COFFEE[0], charts.COFFEE[-1]
    across = (float(dots[-1]["cx"]) - float(dots[0]["cx"])) / (x1 - x0)
    down = (float(dots[-1]["cy"]) - float(dots[0]["cy"])) / (y1 - y0)
    for dot, (x, y) in zip(dots, charts.COFFEE, strict=True):
        assert float(dot["cx"]) == pytest.approx(float(dots[0]["cx"]) + (x - x0) * across, abs=0.05)
        assert float(dot["cy"]) == pytest.approx(float(dots[0]["cy"]) + (y - y0) * down, abs=0.05)


def test_slices_are_as_wide_as_their_shares() -> None:
    angles = []
    for slice_ in elements("budget-chart", "path", stroke="#fbfaf7"):
        numbers = [float(n) for n in re.findall(r"-?[\d.]+", slice_["d"])]
        cx, cy, x0, y0, *_, x1, y1 = numbers
        turn = math.atan2(y1 - cy, x1 - cx) - math.atan2(y0 - cy, x0 - cx)
        angles.append(turn % math.tau / math.tau * 100)
    assert angles == pytest.approx(charts.BUDGET.series["Percent"], abs=0.01)
    assert sum(charts.BUDGET.series["Percent"]) == 100


def test_the_budgets_euros_follow_from_its_shares() -> None:
    text = annotation("budget-chart")
    for label, percent in zip(charts.BUDGET.labels, charts.BUDGET.series["Percent"], strict=True):
        assert re.search(rf"{percent * 24} for {label.lower()}", text)
    assert "72 euros more" in QUESTIONS[312]["reference_answer"]


def test_the_maps_annotation_has_every_road_and_the_answer_is_the_shortest_way() -> None:
    text = annotation("road-map")
    pairs = re.findall(r"(\w+) - (\w+): (\d+) km", text)
    assert {(a, b): int(km) for a, b, km in pairs} == diagrams.ROADS
    both = diagrams.ROADS | {(b, a): km for (a, b), km in diagrams.ROADS.items()}
    ways = {}
    for count in range(4):
        for middle in itertools.permutations(("Birch", "Cedar", "Dale"), count):
            steps = list(itertools.pairwise(("Alder", *middle, "Elm")))
            if all(step in both for step in steps):
                ways[" - ".join(("Alder", *middle, "Elm"))] = sum(both[step] for step in steps)
    best = min(ways, key=ways.__getitem__)
    answer = QUESTIONS[316]["reference_answer"]
    assert f"is {best}: 4 + 2 + 5 + 3 = {ways[best]} km" in answer
    assert sorted(ways.values())[1] > ways[best]


def test_fence_and_seed_follow_from_the_plans_lengths() -> None:
    plot = diagrams.PLOT
    assert diagrams.garden_plan().texts[3:] == [
        *(f"{plot[side]} m" for side in ("top", "left", "bottom", "right")),
        "All corners are right angles.",
    ]
    # An L has the perimeter of its rectangle.
    fence = 2 * (plot["bottom"] + plot["left"])
    area = plot["top"] * plot["left"] + (plot["bottom"] - plot["top"]) * plot["right"]
    assert (fence, area) == (42, 88)
    answer = QUESTIONS[315]["reference_answer"]
    assert f"You need {fence} m of fence and {area * 40:,} g" in answer


def test_the_recipe_for_six_is_one_and_a_half_times_that_for_four() -> None:
    text, answer = annotation("recipe-card"), QUESTIONS[317]["reference_answer"]
    for item in diagrams.INGREDIENTS:
        assert f'"{item}"' in text
        amount, rest = item.split(" ", 1)
        if rest != "pinch of salt":
            assert f"- {int(amount) * 3 // 2} {rest}" in answer


def test_the_balances_weigh_what_the_answer_says() -> None:
    apple = 1
    box = 3 * apple
    ball = (box + apple) / 2
    assert QUESTIONS[318]["reference_answer"] == f"{abs(ball + apple - box):.0f}"


@pytest.mark.parametrize(
    ("kind", "table"), [("kettle", products.KETTLES), ("tent", products.TENTS)]
)
def test_product_cards_show_their_table(
    kind: str, table: dict[str, tuple[str, str, str, str, str, str, float]]
) -> None:
    for key, facts in table.items():
        told = annotation(f"{kind}-{key}")
        assert all(f'"{fact}"' in told for fact in facts)
        shown = PICTURES[f"{kind}-{key}"]().texts
        assert {str(fact) for fact in facts} <= set(shown)


def test_the_two_desks_differ_in_what_the_answer_lists() -> None:
    books = [len(elements(f"desk-{key}", "rect", width="27")) for key in "ab"]
    hands = [elements(f"desk-{key}", "path", stroke_width="6", stroke="#2d3142") for key in "ab"]
    assert books == [4, 3]
    # From the clock's middle to the right at three, and down at six.
    assert [hand[0]["d"] for hand in hands] == ["M320 92L342 92", "M320 92L320 114"]
    assert len(re.findall(r"^\d\. ", QUESTIONS[601]["reference_answer"], re.MULTILINE)) == 5


def test_the_towers_hands_show_the_time_of_the_annotation() -> None:
    turns = []
    for width in ("6", "3.6"):
        (hand,) = elements("thaw-in-the-square", "path", stroke_width=width, stroke="#22180f")
        x0, y0, x1, y1 = (float(n) for n in re.findall(r"[\d.]+", hand["d"]))
        turns.append(math.degrees(math.atan2(x1 - x0, y0 - y1)) % 360)
    hours, minutes = turns[0] / 30, turns[1] / 6
    assert "shows 7:40." in annotation("thaw-in-the-square")
    assert (hours, minutes) == (pytest.approx(7 + 40 / 60, abs=0.02), pytest.approx(40, abs=0.2))


def test_a_thing_stands_on_its_ground_as_high_as_asked_for() -> None:
    art = things.thing(Picture(), "apple", "#d8232a", x=100, ground=400, height=60, seed=1)
    a, b, c, d, e, f = (float(n) for n in re.findall(r"-?[\d.]+", art[: art.index(")")]))
    shape = build("apple", random.Random(1))
    points = [(a * x + e, d * y + f) for part in shape.parts for x, y in points_of(part.d)]
    left, top, right, bottom = bounds(points)
    assert (b, c) == (0, 0)
    assert (left + right) / 2 == pytest.approx(100, abs=0.2)
    assert (top, bottom) == (pytest.approx(340, abs=0.2), pytest.approx(400, abs=0.2))


@pytest.mark.parametrize("flip", [False, True])
def test_a_figure_stands_at_its_place_as_high_as_asked_for(flip: bool) -> None:
    actor = things.figure(Picture(), "cat", x=200, ground=430, height=150, seed=3, flip=flip)
    left, top, right, bottom = actor.anchors.box
    assert ((left + right) / 2, bottom - top) == (pytest.approx(200), pytest.approx(150))
    assert bottom == pytest.approx(430, abs=6)
