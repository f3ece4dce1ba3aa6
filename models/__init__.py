"""What is put under test: the adapters, and the runner that asks them.

    from cobsat.models import load_model
    model = load_model("copy")

An adapter of your own is a class that follows `Model`: `cobsat predict --model mymodule:MyModel`.
"""

from .protocol import Capabilities, Model, Output, UsesImageSource
from .registry import MODELS, load_model

__all__ = ["MODELS", "Capabilities", "Model", "Output", "UsesImageSource", "load_model"]
