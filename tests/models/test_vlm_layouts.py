"""How prompts are laid out: which layout is chosen, and what it makes of a chat."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from cobsat import Options, examples
from cobsat.chat_layouts import CHAT_LAYOUTS, llava_layout, pad_to_square
from cobsat.models.vlm_layouts import choose_layout, picture_mark
from jinja2 import Environment, TemplateError
from PIL import Image

IN_ORDER = (
    "{% for m in messages %}<{{ m.role }}>{% for part in m.content %}"
    "{% if part.type == 'image' %}<image>{% else %}{{ part.text }}{% endif %}{% endfor %}"
    "{% endfor %}{% if add_generation_prompt %}<answer>{% endif %}"
)
IMAGES_FIRST = (
    "{% for m in messages %}<{{ m.role }}>"
    "{% for part in m.content if part.type == 'image' %}<image>\n{% endfor %}"
    "{% for part in m.content if part.type == 'text' %}{{ part.text }} {% endfor %}"
    "{% endfor %}<answer>"
)
TEXT_FIRST = (
    "{% for m in messages %}"
    "{% for part in m.content if part.type == 'text' %}{{ part.text }}{% endfor %}"
    "{% for part in m.content if part.type == 'image' %}<image>{% endfor %}{% endfor %}<answer>"
)
LAST_PICTURE_ONLY = IN_ORDER.replace(
    "part.type == 'image' %}<image>",
    "part.type == 'image' %}{% if loop.index == 4 %}<image>{% endif %}",
)
OF_STRINGS = "{% for m in messages %}{{ '<' + m.role + '>' + m.content }}{% endfor %}<answer>"
PRINTS_LISTS = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<answer>"
NO_SYSTEM = (
    "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}"
    "{% endfor %}" + IN_ORDER
)
DROPS_SYSTEM = IN_ORDER.replace("in messages %}", "in messages if m.role != 'system' %}", 1)
REFUSES = "{{ raise_exception('nothing goes') }}"


class Processor:
    """A processor that has a chat template and nothing else."""

    image_token = "<image>"

    def __init__(self, template: str | None, *tokens: str) -> None:
        self.chat_template = template
        self.tokenizer = SimpleNamespace(
            chat_template=None, added_tokens_decoder=dict(enumerate(("<image>", *tokens)))
        )

    def apply_chat_template(
        self, turns: list[dict[str, Any]], add_generation_prompt: bool, tokenize: bool
    ) -> str:
        assert not tokenize
        environment = Environment()
        environment.globals["raise_exception"] = self._refuse
        template = environment.from_string(self.chat_template or "")
        return template.render(messages=turns, add_generation_prompt=add_generation_prompt)

    def _refuse(self, message: str) -> None:
        raise TemplateError(message)


def config(model_type: str = "other", language_model: str = "llama") -> Any:
    return SimpleNamespace(
        model_type=model_type,
        vision_config=SimpleNamespace(model_type="clip_vision_model"),
        get_text_config=lambda: SimpleNamespace(model_type=language_model),
    )


def messages(instructions_for: str = "neutral", output: str = "description") -> Any:
    options = Options(output=output, instructions_for=instructions_for)
    return examples("color_i-2shot", "test", options)[0]["messages"]


@pytest.mark.parametrize(
    ("template", "chosen"),
    [
        (IN_ORDER, "template"),
        (NO_SYSTEM, "template"),
        (IMAGES_FIRST, "inline"),
        (TEXT_FIRST, "inline"),
        (LAST_PICTURE_ONLY, "inline"),
        (OF_STRINGS, "inline"),
        (PRINTS_LISTS, "inline"),
        (None, "plain"),
    ],
)
def test_whatever_the_template_does_pictures_stay_in_their_places(
    template: str | None, chosen: str
) -> None:
    layout = choose_layout(Processor(template), config())
    assert layout.name == layout.record()["name"] == chosen
    text = layout.text(messages("emu"))
    assert "blue: <image>brown: <image>orange: " in text
    assert text.index("Based on the sequence, describe") < text.index("blue: ")
    assert text.count("<image>") == 2
    assert "'type'" not in text
    assert text.endswith("<answer>" if template else "orange: ")


def test_a_template_that_takes_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="must take a user's turn of text and pictures"):
        choose_layout(Processor(REFUSES), config())


@pytest.mark.parametrize(("template", "own_turn"), [(IN_ORDER, True), (NO_SYSTEM, False)])
def test_a_system_text_is_never_lost(template: str, own_turn: bool) -> None:
    layout = choose_layout(Processor(template), config())
    assert layout.system_turn is own_turn
    text = layout.text(messages("gill", "image"))
    assert text.startswith("<system>You are" if own_turn else "<user>You are")
    assert text.index("based on the sequence.") < text.index("blue: <image>")
    assert choose_layout(Processor(DROPS_SYSTEM), config()).system_turn is False


@pytest.mark.parametrize(
    ("model_type", "language_model", "tokens", "template", "chosen"),
    [
        ("llava", "llama", (), IMAGES_FIRST, "llava_v1"),
        ("llava", "llama", (), None, "llava_v1"),
        ("llava", "llama", (), IN_ORDER, "template"),
        ("llava", "qwen2", ("<|im_start|>",), IMAGES_FIRST, "inline"),
        ("llava_next", "llama", (), IMAGES_FIRST, "llava_v1"),
        ("llava_next", "llama", (), CHAT_LAYOUTS["llava_v1"].system + IMAGES_FIRST, "inline"),
        ("llava_next", "mistral", (), IMAGES_FIRST, "mistral_instruct"),
        ("llava_next", "mistral", (), "[INST]" + IMAGES_FIRST, "inline"),
        ("llava_next", "llama", ("<|im_start|>",), IMAGES_FIRST, "chatml_direct"),
        ("llava_next", "qwen2", ("<|im_start|>",), IMAGES_FIRST, "qwen_1_5"),
        ("llava_next", "llama", ("<|start_header_id|>",), IMAGES_FIRST, "llava_llama_3"),
        ("llava_next", "gpt2", (), IMAGES_FIRST, "inline"),
    ],
)
def test_llavas_checkpoints_are_asked_as_they_were_trained(
    model_type: str, language_model: str, tokens: tuple[str, ...], template: str, chosen: str
) -> None:
    layout = choose_layout(Processor(template, *tokens), config(model_type, language_model))
    assert layout.name == chosen
    assert "blue: <image>brown: <image>orange: " in layout.text(messages())


def test_a_layout_can_be_asked_for() -> None:
    for name in ("plain", "inline", "llava_v1", "chatml_direct"):
        layout = choose_layout(Processor(IN_ORDER), config(), name)
        assert (layout.name, layout.why) == (name, "asked for")
        assert "blue: <image>brown: <image>orange: " in layout.text(messages())
    with pytest.raises(ValueError, match=r"moves pictures out of their places.*got 'template'"):
        choose_layout(Processor(IMAGES_FIRST), config(), "template")
    with pytest.raises(ValueError, match=r"no chat template.*got 'inline'"):
        choose_layout(Processor(None), config(), "inline")
    with pytest.raises(ValueError, match=r"layout must be one of auto.*did you mean 'inline'"):
        choose_layout(Processor(IN_ORDER), config(), "inlin")


@pytest.mark.parametrize(
    ("name", "laid"),
    [
        ("llava_v1", "SYSTEM USER: A ASSISTANT: B</s>USER: C ASSISTANT:"),
        ("mistral_instruct", "[INST] A [/INST] B </s>[INST] C [/INST]"),
        (
            "chatml_direct",
            "<|im_start|>system\nSYSTEM<|im_end|><|im_start|>user\nA<|im_end|>"
            "<|im_start|>assistant\nB<|im_end|><|im_start|>user\nC<|im_end|>"
            "<|im_start|>assistant\n",
        ),
        (
            "qwen_1_5",
            "<|im_start|>system\nSYSTEM<|im_end|>\n<|im_start|>user\nA<|im_end|>\n"
            "<|im_start|>assistant\nB<|im_end|>\n<|im_start|>user\nC<|im_end|>\n"
            "<|im_start|>assistant\n",
        ),
        (
            "llava_llama_3",
            "<|start_header_id|>system<|end_header_id|>\n\nSYSTEM<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nA<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\nB<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nC<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n",
        ),
    ],
)
def test_two_rounds_in_each_of_llavas_layouts(name: str, laid: str) -> None:
    layout = CHAT_LAYOUTS[name]
    turns = [("user", "A"), ("assistant", "B"), ("user", "C")]
    assert layout.text(turns) == laid.replace("SYSTEM", layout.system)


def test_others_models_have_no_layout_of_llavas() -> None:
    assert llava_layout("qwen2_vl", "llama", "clip_vision_model", []) is None
    assert llava_layout("llava_next", "llama", "siglip_vision_model", []) is None


def test_a_picture_is_padded_on_both_sides() -> None:
    wide = pad_to_square(Image.new("RGB", (6, 2), "red"), (0.0, 0.5, 1.0))
    assert wide.size == (6, 6)
    assert [wide.getpixel((3, y)) for y in range(6)] == [
        *[(0, 127, 255)] * 2,
        *[(255, 0, 0)] * 2,
        *[(0, 127, 255)] * 2,
    ]
    square = Image.new("RGB", (3, 3))
    assert pad_to_square(square, (0.0, 0.0, 0.0)) is square


def test_a_picture_outside_the_text_has_no_mark() -> None:
    processor = Processor(None)
    assert picture_mark(processor) == "<image>"
    processor.qformer_tokenizer = object()  # type: ignore[attr-defined]
    assert picture_mark(processor) == ""
