"""What is put under test: the adapters, and the runner that asks them.

    from cobsat.models import load_model
    model = load_model("copy")

An adapter of your own is a class that follows `Model`, in any module:

    class MyModel:
        name = "my-model"
        capabilities = Capabilities(frozenset({"description"}), max_images=8)

        def __init__(self, temperature: float = 0.0) -> None:  # --model-option temperature=0.5
            self.temperature = temperature

        def record(self) -> dict:
            return {"temperature": self.temperature}

        def predict(self, examples):
            return [Output(text=self.reply(example["messages"])) for example in examples]

    cobsat predict --model mymodule:MyModel --config color_i-2shot --output description
"""

from .protocol import Capabilities, Model, Output, Streams, UsesImageSource
from .registry import MODELS, load_model

__all__ = ["MODELS", "Capabilities", "Model", "Output", "Streams", "UsesImageSource", "load_model"]
