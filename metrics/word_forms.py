"""Which options of Table 1 a description names: a table of word forms, and a pure function.

A form is a word or a phrase in lower case; hyphens in a description count as spaces. Forms are
whole words: "carpet" names no car, "leatherback" no leather, "tired" no red. What only sounds like
an option ("guinea pig", "swimming pool", "leaves a trail") is listed beside it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from cobsat.spec import THEMES, choose

__all__ = ["FORMS", "NOT_MEANT", "Mentions", "find_mentions"]

FORMS: Final[dict[str, tuple[str, ...]]] = {
    # objects
    "leaf": ("leaf", "leafs", "leaves"),
    "hat": ("hat", "hats"),
    "cup": ("cup", "cups", "teacup", "teacups"),
    "chair": ("chair", "chairs", "armchair", "armchairs"),
    "car": ("car", "cars", "racecar", "racecars"),
    "box": ("box", "boxes"),
    "book": ("book", "books", "notebook", "notebooks", "textbook", "textbooks"),
    "ball": ("ball", "balls", "baseball", "baseballs", "basketball", "basketballs", "football",
             "footballs", "volleyball", "volleyballs"),
    "bag": ("bag", "bags", "handbag", "handbags"),
    "apple": ("apple", "apples"),
    # animals
    "zebra": ("zebra", "zebras"),
    "tiger": ("tiger", "tigers", "tigress", "tigresses"),
    "sheep": ("sheep", "sheeps"),
    "pig": ("pig", "pigs", "piglet", "piglets", "piggy"),
    "monkey": ("monkey", "monkeys"),
    "lion": ("lion", "lions", "lioness", "lionesses"),
    "dog": ("dog", "dogs", "doggy", "doggie"),
    "cow": ("cow", "cows"),
    "cat": ("cat", "cats"),
    "bird": ("bird", "birds", "birdie"),
    # color
    "yellow": ("yellow", "yellows", "yellowish", "yellowed"),
    "white": ("white", "whites", "whitish", "whitened"),
    "red": ("red", "reds", "reddish", "reddened"),
    "purple": ("purple", "purples", "purplish"),
    "pink": ("pink", "pinks", "pinkish"),
    "orange": ("orange", "orangish", "orangey"),
    "green": ("green", "greens", "greenish"),
    "brown": ("brown", "browns", "brownish", "browned"),
    "blue": ("blue", "blues", "bluish", "blueish"),
    "black": ("black", "blacks", "blackish", "blackened"),
    # background
    "beach": ("beach", "beaches", "beachfront", "beachside"),
    "desert": ("desert", "deserts"),
    "glacier": ("glacier", "glaciers", "glacial"),
    "volcano": ("volcano", "volcanoes", "volcanos", "volcanic"),
    "park": ("park", "parks"),
    "gym": ("gym", "gyms", "gymnasium", "gymnasiums"),
    "waterfall": ("waterfall", "waterfalls", "water fall", "water falls"),
    "space": ("space", "outerspace"),
    "cave": ("cave", "caves", "cavern", "caverns", "cavernous"),
    "seafloor": ("seafloor", "sea floor", "ocean floor", "seabed", "sea bed", "ocean bed"),
    # style
    "watercolor": ("watercolor", "watercolors", "watercolored", "watercolour", "watercolours",
                   "watercoloured", "water color", "water colors", "water colour",
                   "water colours"),
    "sketch": ("sketch", "sketches", "sketched", "sketching", "sketchy"),
    "pixel": ("pixel", "pixels", "pixelated", "pixellated", "pixelation", "pixelart"),
    "origami": ("origami", "origamis"),
    "lego": ("lego", "legos"),
    "icon": ("icon", "icons"),
    "graffiti": ("graffiti", "graffito", "graffitied"),
    "futuristic": ("futuristic", "futuristically", "futurism", "futurist", "of the future",
                   "from the future"),
    "wireframe": ("wireframe", "wireframes", "wireframed", "wire frame", "wire frames",
                  "wire framed"),
    "old": ("old", "older", "oldest", "olden"),
    # action
    "swim": ("swim", "swims", "swam", "swum", "swimming", "swimmer", "swimmers"),
    "sleep": ("sleep", "sleeps", "slept", "sleeping", "sleepy", "sleepily", "asleep", "sleeper"),
    "sing": ("sing", "sings", "sang", "sung", "singing", "singer", "singers"),
    "run": ("run", "runs", "ran", "running", "runner", "runners"),
    "read": ("read", "reads", "reading", "reader", "readers"),
    "fly": ("fly", "flies", "flew", "flown", "flying", "flight"),
    "eat": ("eat", "eats", "ate", "eaten", "eating", "eater"),
    "drink": ("drink", "drinks", "drank", "drunk", "drinking", "drinker"),
    "cry": ("cry", "cries", "cried", "crying"),
    "angry": ("angry", "angrier", "angriest", "angrily", "anger", "angered"),
    # texture
    "wood": ("wood", "wooden", "hardwood", "plywood"),
    "wicker": ("wicker", "wickerwork"),
    "sequined": ("sequined", "sequinned", "sequin", "sequins"),
    "plastic": ("plastic", "plastics", "plasticky"),
    "paper": ("paper", "papers", "papery"),
    "metal": ("metal", "metals", "metallic"),
    "leather": ("leather", "leathers", "leathery"),
    "lace": ("lace", "lacy", "lacey", "lacework"),
    "denim": ("denim", "denims"),
    "ceramic": ("ceramic", "ceramics"),
}  # fmt: skip
"""The forms of every object, animal and attribute of Table 1; another word stands for itself."""

NOT_MEANT: Final[dict[str, tuple[str, ...]]] = {
    "leaf": ("leaves a", "leaves an", "leaves the", "leaves no", "leaves it", "leaves behind"),
    "book": ("notebook paper",),
    "ball": ("baseball cap", "baseball hat"),
    "pig": ("guinea pig", "guinea pigs", "piggy bank"),
    "lion": ("sea lion", "sea lions"),
    "dog": ("hot dog", "hot dogs", "prairie dog", "prairie dogs"),
    "park": ("car park", "ball park"),
    "space": ("parking space", "storage space", "empty space", "negative space"),
    "old": ("year old", "years old", "month old", "months old"),
    "swim": ("swimming pool", "swimming pools"),
    "run": ("running water", "run down"),
}  # fmt: skip
"""Phrases around a form that name something else."""

_WORD: Final = re.compile(r"[^\W_]+")
_POSSESSIVE: Final = re.compile(r"(?<=\w)['\u2019\u02bc]s\b")


@dataclass(frozen=True)
class Mentions:
    """The options that a description names, each once, in Table 1's order."""

    objects: tuple[str, ...]
    attributes: tuple[str, ...]


def find_mentions(description: str, theme: str) -> Mentions:
    """Return which of a theme's ten objects and ten attributes a description names.

    Raises:
        ValueError: There is no such theme.

    >>> find_mentions("Two swimming cats; a carpet hangs beside them.", "action")
    Mentions(objects=('cat',), attributes=('swim',))
    """
    spec = THEMES[choose("theme", theme, THEMES)]
    words = _words(description)
    text = f" {' '.join(words)} "
    return Mentions(
        tuple(option for option in spec.objects if _names(text, option)),
        tuple(option for option in spec.attributes if _names(text, option)),
    )


def _words(text: str) -> list[str]:
    text = unicodedata.normalize("NFKC", text)
    text = "".join(c for c in text if unicodedata.category(c) != "Cf").casefold()
    return _WORD.findall(_POSSESSIVE.sub("", text))


def _names(text: str, option: str) -> bool:
    for phrase in NOT_MEANT.get(option, ()):
        # the word between is put back, so that "sea lion lion" still names a lion
        while f" {phrase} " in text:
            text = text.replace(f" {phrase} ", " · ")
    return any(f" {form} " in text for form in FORMS.get(option, (option,)))
