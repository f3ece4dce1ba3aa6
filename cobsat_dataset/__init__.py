"""CoBSAT: text-to-image in-context learning, as a `datasets` builder and what belongs to it."""

from .decoding import decode_once
from .examples import CONFIGS, Example, Options, examples, splits
from .images import ImageCache, ImageSource, image_source
from .registration import register
from .run_folder import Prediction, RunFolder, RunSettings, Verdict
from .spec import OUTPUTS, PROMPT_TYPES, SHOTS, TASKS, THEMES, Task, Theme
from .training import TrainExample, train_examples

__all__ = [
    "CONFIGS",
    "OUTPUTS",
    "PROMPT_TYPES",
    "SHOTS",
    "TASKS",
    "THEMES",
    "Example",
    "ImageCache",
    "ImageSource",
    "Options",
    "Prediction",
    "RunFolder",
    "RunSettings",
    "Task",
    "Theme",
    "TrainExample",
    "Verdict",
    "decode_once",
    "examples",
    "image_source",
    "splits",
    "train_examples",
]

register()
