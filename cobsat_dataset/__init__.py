"""CoBSAT: text-to-image in-context learning, as a `datasets` builder and what belongs to it."""

from .examples import CONFIGS, Example, Options, examples, splits
from .images import ImageCache, ImageSource, image_source
from .run_folder import Prediction, RunFolder, RunSettings, Verdict
from .spec import OUTPUTS, PROMPT_TYPES, SHOTS, TASKS, THEMES, Task, Theme

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
    "Verdict",
    "examples",
    "image_source",
    "splits",
]
