"""The prompts equal the released ones: worked out again here from the two shuffled lists."""

from __future__ import annotations

import hashlib
import json
import random
from functools import lru_cache
from itertools import permutations

import pytest
from cobsat import CONFIGS, PROMPT_TYPES, Example, Options, examples, splits
from cobsat.instructions import FOR_MODELS, articulated
from cobsat.prompt_lists import ft_test_prompts

OBJECTS = ["leaf", "hat", "cup", "chair", "car", "box", "book", "ball", "bag", "apple"]
ANIMALS = ["zebra", "tiger", "sheep", "pig", "monkey", "lion", "dog", "cow", "cat", "bird"]
_TABLE_1 = """
color: yellow white red purple pink orange green brown blue black
background: beach desert glacier volcano park gym waterfall space cave seafloor
style: watercolor sketch pixel origami lego icon graffiti futuristic wireframe old
action: swim sleep sing run read fly eat drink cry angry
texture: wood wicker sequined plastic paper metal leather lace denim ceramic
"""
ATTRIBUTES = {
    theme: words.split()
    for theme, words in (line.split(": ") for line in _TABLE_1.strip().splitlines())
}
TASK_NAMES = [f"{theme}_{suffix}" for suffix in ("i", "ii") for theme in ATTRIBUTES]
RELEASED = "06f1c92f2e75bcf637b4f33a94e6399be667860da716eaede40955e6e1338f2f"
RELEASED_FT_TEST = "65725f0227632454b39b5d0665ead51ad8821daaf160e875aa020333504be6c3"
SENTENCES_OF_APPENDIX_A2 = (
    "f487d72993c122e5c1ef69ec2482ed55a38dac76c56efc012b84223e63c87c15"  # of the paper's own text
)


@lru_cache
def lists(items: range) -> list[tuple[list[int], list[int]]]:
    generator = random.Random(123)
    x, theta = list(items), list(items)
    drawn = []
    for _ in range(1000):
        generator.shuffle(x)
        generator.shuffle(theta)
        drawn.append((list(x), list(theta)))
    return drawn


def digest(pairs: list[tuple[list[int], list[int]]]) -> str:
    text = json.dumps([list(pair) for pair in pairs], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def expected(task: str, shots: int, split: str) -> list[tuple[list[str], str, list[str]]]:
    """Return (words of the demonstrations and the query, latent variable, other latents)."""
    theme = task.rsplit("_", 1)[0]
    things = ANIMALS if theme in ("background", "action") else OBJECTS
    inputs, latents = ATTRIBUTES[theme], things
    if task.endswith("_ii"):
        inputs, latents = latents, inputs
    if split == "ft_train":
        return [
            ([inputs[i] for i in order], latents[latent], [])
            for order in permutations(range(5), shots + 1)
            for latent in range(5)
        ]
    if split == "ft_test":
        return [
            (
                [inputs[i] for i in x[: shots + 1]],
                latents[theta[(shots + 1) % 5]],
                [latents[theta[position % 5]] for position in range(shots + 1)],
            )
            for x, theta in lists(range(5, 10))[:250]
        ]
    return [
        (
            [inputs[i] for i in x[: shots + 1]],
            latents[theta[shots + 1]],
            [latents[i] for i in theta[: shots + 1]],
        )
        for x, theta in lists(range(10))
    ]


def written(word: str) -> str:
    return "amusement park" if word == "park" else word


def text_of(example: Example) -> str:
    """Return the user's turn as one string, a picture as [file name]."""
    content = example["messages"][-1]["content"]
    pieces = [
        part["text"] or f"[{str(part['image']).rsplit('/', 1)[-1].rsplit('.', 1)[0]}]"
        for part in content
    ]
    return "".join(pieces)


def picture(task: str, word: str, latent: str) -> str:
    attribute, thing = (word, latent) if task.endswith("_i") else (latent, word)
    return f"[{'3d' if attribute == 'wireframe' else attribute}_{thing}]"


def test_lists_are_the_released_ones() -> None:
    assert digest(lists(range(10))) == RELEASED
    assert digest(lists(range(5, 10))) == RELEASED_FT_TEST


@pytest.mark.parametrize("task", TASK_NAMES)
@pytest.mark.parametrize("prompt_type", ["default", "misleading", "exact"])
def test_every_prompt_is_the_released_one(task: str, prompt_type: str, pictures: str) -> None:
    options = Options(prompt_type=prompt_type, images=pictures)
    for shots in (2, 4, 6, 8) if prompt_type != "exact" else (0, 2, 4, 6, 8):
        config = f"{task}-{shots}shot"
        for split in splits(config, options):
            if split == "ft_train":
                continue
            rows = examples(config, split, options)
            wanted = expected(task, shots, split)
            assert len(rows) == len(wanted)
            for number, (row, (words, latent, others)) in enumerate(zip(rows, wanted, strict=True)):
                texts = [written(word) for word in words]
                if prompt_type == "misleading":
                    texts = [f"{a} {written(b)}" for a, b in zip(texts, others, strict=True)]
                if prompt_type == "exact":
                    pairs = [(w, latent) if task.endswith("_i") else (latent, w) for w in words]
                    texts = [f"{written(a)} {written(b)}" for a, b in pairs]
                shown = [picture(task, word, latent) for word in words[:-1]]
                prompt = "".join(f"{t}: {p}" for t, p in zip(texts, [*shown, ""], strict=True))
                assert text_of(row) == prompt
                assert row["id"] == f"{task}-{shots}shot-{split}-{number:04d}"
                assert (row["query"], row["latent_variable"]) == (words[-1], latent)
                label = (words[-1], latent) if task.endswith("_i") else (latent, words[-1])
                reference = {"task": task, "object": label[1], "attribute": label[0]}
                assert row["reference"] == reference
                assert f"[{str(row['target_image']).rsplit('/', 1)[-1][:-4]}]" == picture(
                    task, words[-1], latent
                )


def test_misleading_words_are_never_the_latent_variable(pictures: str) -> None:
    options = Options(prompt_type="misleading", images=pictures)
    for config, split in (("color_ii-8shot", "test"), ("color_i-2shot", "ft_test")):
        for row in examples(config, split, options):
            words = [part["text"] for part in row["messages"][0]["content"] if part["text"]]
            assert all(f" {row['latent_variable']}: " not in word for word in words)


def test_ft_test_at_4_shots_names_no_misleading_words() -> None:
    assert all(prompt.misleading for prompt in ft_test_prompts(2))
    assert not any(prompt.misleading for prompt in ft_test_prompts(4))


def test_captions_stand_in_place_of_pictures(pictures: str) -> None:
    options = Options(prompt_type="caption", output="description", images=pictures)
    first = examples("color_i-2shot", "test", options)[0]
    assert text_of(first) == (
        "We provide a few examples, each with an input, and an output of the image description. "
        "Based on the examples, predict the next image description. "
        "blue: A car, blue. brown: A car, brown. orange: "
    )


def test_chain_of_thought_has_two_rounds(pictures: str) -> None:
    options = Options(prompt_type="cot", output="description", images=pictures)
    first = examples("background_i-2shot", "test", options)[7]
    query = written(first["query"])
    text = text_of(first)
    assert text.startswith(
        "We provide a few examples, each of which is an input-output pair where the output is a "
        "description of the image associated with the input. Based on the examples, the task is "
        "to predict the next image description.\n\n\n"
    )
    assert text.endswith(
        f"{query}: \n\n\n Before predicting the next image, let's first think step by step and "
        "analyze the relationship between the text input and image output in each example.\n\n\n"
    )
    assert first["followup"] == (
        "\n\n\n Based on the analysis, please describe what the next image should look like for "
        f"the request '{query}: '"
    )
    image = examples("background_i-2shot", "test", Options("cot", images=pictures))[7]
    assert image["followup"] == (
        f"\n\n\n Based on the analysis, please generate the next image for the request '{query}: '"
    )


def test_sentences_of_appendix_a2_are_the_papers() -> None:
    sentences = [
        articulated(f"{theme}_{suffix}", output).removesuffix(" ")
        for output in ("image", "description")
        for theme in ATTRIBUTES
        for suffix in ("i", "ii")
    ]
    assert hashlib.sha256("\n".join(sentences).encode()).hexdigest() == SENTENCES_OF_APPENDIX_A2


def test_instructions_of_appendix_a1_stand_where_the_paper_puts_them(pictures: str) -> None:
    end = "if applicable."
    options = Options(output="description", instructions_for="emu", images=pictures)
    row = examples("color_i-2shot", "test", options)[0]
    assert [message["role"] for message in row["messages"]] == ["system", "user"]
    assert str(row["messages"][0]["content"][0]["text"]).endswith(end)
    options = Options(output="description", instructions_for="llava", images=pictures)
    text = text_of(examples("color_i-2shot", "test", options)[0])
    assert text.startswith("blue: [blue_car]brown: [brown_car]orange: \nBased on the sequence, ")
    assert text.endswith(end)
    options = Options(instructions_for="gill", images=pictures)
    row = examples("color_i-2shot", "test", options)[0]
    assert row["messages"][0]["content"][0]["text"] == (
        "You are a professional assistant who can generate a new image based on the sequence."
    )
    assert set(FOR_MODELS["image"]) <= set(FOR_MODELS["description"])


def test_train_split_has_every_sequence_of_the_seen_half() -> None:
    for shots, count in ((2, 300), (4, 600)):
        for task in TASK_NAMES:
            assert len(expected(task, shots, "ft_train")) == count


def test_ids_are_the_same_for_all_options_and_unique(pictures: str) -> None:
    default = [row["id"] for row in examples("style_ii-4shot", "test", Options(images=pictures))]
    assert len(set(default)) == 1000
    for prompt_type in PROMPT_TYPES:
        options = Options(prompt_type, "description", "qwen_vl", images=pictures)
        assert [row["id"] for row in examples("style_ii-4shot", "test", options)] == default


def test_the_ten_tasks_together_are_the_tasks_in_order(pictures: str) -> None:
    options = Options(images=pictures)
    together = [row["id"] for row in examples("all-6shot", "test", options)]
    apart = [row["id"] for task in TASK_NAMES for row in examples(f"{task}-6shot", "test", options)]
    assert together == apart


def test_leaving_a_theme_out(pictures: str) -> None:
    options = Options(images=pictures)
    tests = examples("all-2shot", "leave_style_out_test", options)
    assert [row["id"] for row in tests] == [
        f"{task}-2shot-ft_test-{number:04d}"
        for task in ("style_i", "style_ii")
        for number in range(250)
    ]
    trains = examples("all-2shot", "leave_style_out_train", options)
    assert len(trains) == 8000
    assert {row["theme"] for row in trains} == set(ATTRIBUTES) - {"style"}


def test_another_seed_gives_another_list(pictures: str) -> None:
    first, second = (
        [
            text_of(row)
            for row in examples("color_i-2shot", "test", Options(seed=seed, images=pictures))
        ]
        for seed in (123, 124)
    )
    assert first != second


@pytest.mark.parametrize(
    ("config", "split", "options", "message"),
    [
        ("colour_i-2shot", "test", {}, "did you mean 'color_i'"),
        ("color_i-3shot", "test", {}, "2shot, 4shot, 6shot, 8shot, 0shot"),
        ("color_i", "test", {}, "shots in a config's name must be one of"),
        ("color_i-0shot", "test", {}, "must be 'exact'"),
        ("color_i-2shot", "test", {"prompt_type": "instruction"}, "did you mean 'instruct'"),
        ("color_i-2shot", "test", {"output": "text"}, "image, description"),
        ("color_i-2shot", "test", {"instructions_for": "llava"}, "with output='image'"),
        ("color_i-2shot", "test", {"seed": "123"}, "seed must be an integer"),
        ("color_i-2shot", "train", {}, "did you mean 'ft_train'"),
        ("color_i-6shot", "ft_test", {}, "2 and 4 shots"),
        ("color_i-4shot", "ft_test", {"prompt_type": "misleading"}, "the latent variable itself"),
        ("color_i-2shot", "ft_train", {"prompt_type": "cot"}, "has no training split"),
        ("color_i-2shot", "leave_color_out_test", {}, "all-2shot or all-4shot"),
    ],
)
def test_bad_names_are_told_what_to_do(
    config: str, split: str, options: dict[str, str], message: str, pictures: str
) -> None:
    with pytest.raises(ValueError, match=message):
        examples(config, split, Options(**{"images": pictures, **options}))  # type: ignore[arg-type]


def test_configs_are_tasks_and_shots() -> None:
    assert len(CONFIGS) == len(set(CONFIGS)) == 55
    assert CONFIGS[:2] == ("color_i-2shot", "background_i-2shot")
