"""The instructions of the papers' prompts, word for word.

Source: CoBSAT, App. A (images), A.1 (descriptions, per model), A.2 (one sentence a task and
output), Sec. 6.1 (captions in place of images), Sec. 7.2 (chain of thought). Where a wording is
joined to the demonstrations, the white space is that of the released prompts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Instruction:
    """What stands around the demonstrations and the query.

    Attributes:
        system: A system message, if any.
        before: Text before the first demonstration.
        after: Text after the query.
    """

    system: str = ""
    before: str = ""
    after: str = ""


_ASSISTANT: Final = (
    "You are a professional assistant and always answer my question directly and perfectly "
    "without any excuses."
)
_IF_APPLICABLE: Final = (
    "including attributes such as the main object, color, texture, background, action, style, if "
    "applicable."
)

FOR_MODELS: Final[dict[str, dict[str, Instruction]]] = {
    "image": {
        "neutral": Instruction(),
        "emu": Instruction(),
        "seed_llama": Instruction(),
        "gill": Instruction(
            system=(
                "You are a professional assistant who can generate a new image based on the "
                "sequence."
            )
        ),
    },
    "description": {
        "neutral": Instruction(after="\nBased on the sequence, describe the next image."),
        "emu": Instruction(
            system=f"Based on the sequence, describe the next image clearly, {_IF_APPLICABLE}"
        ),
        "gill": Instruction(
            before=f"{_ASSISTANT} ",
            after=(
                "Based on the sequence, describe what the next image should be clearly, "
                f"{_IF_APPLICABLE} Your response should only contain a description of the image, "
                "and any additional information can cause significant loss."
            ),
        ),
        "seed_llama": Instruction(
            before=(
                "I will provide you a few examples with text and image. Complete the example with "
                "the description of next image. Tell me only the text prompt and I'll use your "
                "entire answer as a direct input to A Dalle-3. Never say other explanations. "
            )
        ),
        "llava": Instruction(
            after=(
                "\nBased on the sequence, describe the next image to be generated clearly, "
                f"{_IF_APPLICABLE}"
            )
        ),
        "qwen_vl": Instruction(
            before=f"{_ASSISTANT} ",
            after=(
                "\nBased on the sequence, describe what the next image should be clearly, "
                f"{_IF_APPLICABLE} Your response should only contain a description of the image, "
                "and all other information can cause huge loss."
            ),
        ),
        "gpt4v": Instruction(
            before=(
                "I will provide you with a few examples with text and images. Complete the example "
                "with the description of the next image. The description should be clear with main "
                "object, and include attributes such as color, texture, background, style, and "
                "action, if applicable. Tell me only the text prompt and I'll use your entire "
                "answer as a direct input to A Dalle-3. Never say other explanations. "
            )
        ),
    },
}
"""Output kind → whose wording → instruction (App. A and A.1). `neutral` is this package's own."""

CAPTION: Final = {
    "image": (
        "We provide a few examples, each with an input, and an output of the image description. "
        "Based on the examples, predict the next image description and visualize it. "
    ),
    "description": (
        "We provide a few examples, each with an input, and an output of the image description. "
        "Based on the examples, predict the next image description. "
    ),
}
"""Sec. 6.1: before demonstrations whose images are replaced by descriptions."""

COT_BEFORE: Final = (
    "We provide a few examples, each of which is an input-output pair where the output is a "
    "description of the image associated with the input. Based on the examples, the task is to "
    "predict the next image description.\n\n\n"
)
COT_AFTER: Final = (
    "\n\n\n Before predicting the next image, let's first think step by step and analyze the "
    "relationship between the text input and image output in each example.\n\n\n"
)
COT_SECOND: Final = {
    "image": (
        "\n\n\n Based on the analysis, please generate the next image for the request '{query}: '"
    ),
    "description": (
        "\n\n\n Based on the analysis, please describe what the next image should look like for "
        "the request '{query}: '"
    ),
}
"""Sec. 7.2: the second round, which follows the first round and the model's reply to it."""

_GIVEN: Final = {
    "color_i": ("common main object", "requested color"),
    "color_ii": ("requested object", "common color"),
    "background_i": ("common animal", "requested background"),
    "background_ii": ("requested animal", "common background"),
    "style_i": ("common object", "requested style"),
    "style_ii": ("requested object", "common style"),
    "action_i": ("common animal", "requested action"),
    "action_ii": ("requested animal", "common action/mood"),
    "texture_i": ("common main object", "requested texture"),
    "texture_ii": ("requested object", "common texture"),
}
_IDENTIFY: Final = {
    "color_i": "common main object",
    "color_ii": "common main color",
    "background_i": "common animal",
    "background_ii": "common background",
    "style_i": "common object",
    "style_ii": "common style",
    "action_i": "common animal",
    "action_ii": "common action/mood the animal is doing",
    "texture_i": "common main object",
    "texture_ii": "common texture of the objects",
}
_GENERATE: Final = {
    "color_i": "the common main object in the images, and generate another image of this object "
    "of the requested color",
    "color_ii": "the common color in the images, and generate another image of the requested "
    "object in the same color",
    "background_i": "the common animal in the images, and generate another image of this animal "
    "walking in the requested background",
    "background_ii": "the common background in the images, and generate another image of the "
    "requested animal walking in the same background",
    "style_i": "the common object in the images, and generate another image of this object in the "
    "requested style",
    "style_ii": "the common style in the images, and generate another image of the requested "
    "object in the same style",
    "action_i": "the common animal in the images, and generate another image of this animal doing "
    "the requested action",
    "action_ii": "the common action/mood the animal is doing in the images, and generate another "
    "image of the requested animal doing the same action/mood",
    "texture_i": "the common main object in the images, and generate another image of this object "
    "of the requested texture",
    "texture_ii": "the common texture of the objects in the images, and generate another image of "
    "the requested object in the same texture",
}


def articulated(task: str, output: str) -> str:
    """Return App. A.2's sentence for a task and output kind, with the space that follows it.

    >>> articulated("color_i", "description")[:60]
    'Please identify the common main object in the images, and de'
    """
    if output == "image":
        return f"Please identify {_GENERATE[task]}. "
    shown, asked = _GIVEN[task]
    return (
        f"Please identify the {_IDENTIFY[task]} in the images, and describe the next image to be "
        f"generated based on the sequence below. Your description of the image should contain the "
        f"description of the {shown} and the {asked}. "
    )
