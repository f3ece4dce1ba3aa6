"""The CoBSAT benchmark as a `datasets` builder: a config per task and shot count.

    import cobsat
    from datasets import load_dataset

    load_dataset("cobsat", "color_i-2shot", split="test")
    load_dataset("cobsat", "all-4shot", split="ft_train", prompt_type="exact")

`import cobsat` registers this file as one of `datasets`' packaged modules (`registration.py`).
With `datasets` before 4 it is a loading script as well: `load_dataset("…/cobsat_dataset/cobsat.py",
"color_i-2shot", trust_remote_code=True)`.

Source: CoBSAT, Sec. 3 and App. A; `examples.py` makes the rows.
"""

import copy
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa

from .decoding import decode_once
from .examples import (
    CONFIGS,
    Options,
    check_split,
    is_train,
    parse_config,
    prompt_list,
    splits,
    task_splits,
)
from .images import ImageSource, image_source, settle

# A loading script takes along only the files that it names itself: these stand behind the others.
from .instructions import Instruction
from .layout import Label
from .official import official_folder
from .prompt_lists import PromptIndices
from .spec import CITATION, choose
from .tables import (
    NUMBERS,
    TEST_FEATURES,
    TRAIN_FEATURES,
    expand,
    features_of,
    numbered,
    task_table,
)
from .training import TrainExample

_HOMEPAGE = "https://github.com/UW-Madison-Lee-Lab/CoBSAT"
_DESCRIPTION = """\
CoBSAT asks whether multimodal models can learn a mapping from text to images from demonstrations
in the prompt ("red: [red car] blue: [blue car] pink:"). Ten tasks over five themes; 1,000 prompts
for each task and number of demonstrations.
"""


@dataclass
class CobsatConfig(datasets.BuilderConfig):  # type: ignore[misc]
    """A config: task and shots are in its name, the rest are options of `load_dataset`.

    Attributes:
        prompt_type: `default`; `misleading` (App. D.1: a word that names another latent
            variable); `exact` (Sec. 6.2: the text says it all; the only one for 0 shots, and the
            default there); `caption` (Sec. 6.1: descriptions in place of pictures); `instruct`
            (App. A.2: the relation is spelled out); `cot` (Sec. 7.2: two rounds, the second's
            text in `followup`).
        output: What is asked for, `image` or `description`.
        instructions_for: Whose wording of App. A and A.1 surrounds the prompt: `neutral` (none
            for images, one sentence of this package's for descriptions), `emu`, `gill`,
            `seed_llama`, `llava`, `qwen_vl`, `gpt4v`. The prompt types `caption`, `instruct` and
            `cot` have the paper's wording of their own in its place.
        seed: Seed of the prompt lists; 123 gives the released ones.
        images: `rendered` (drawn by this package, shipped with it), `official` (the authors' Hub
            file), or a folder in the official layout.
    """

    prompt_type: str = "default"
    output: str = "image"
    instructions_for: str = "neutral"
    seed: int = 123
    images: str = "rendered"

    def create_config_id(
        self, config_kwargs: dict[str, Any], custom_features: datasets.Features | None = None
    ) -> str:
        """Name the cache after the options, and after the pictures and descriptions themselves."""
        kwargs = dict(config_kwargs)
        if self.images != "rendered":  # the shipped ones are in the module's own hash
            source = image_source(os.fspath(self.images))
            shown = (source.name, source.digest, tuple(source.descriptions.values()))
            kwargs["images"] = hashlib.sha256(repr(shown).encode()).hexdigest()[:16]
        config_id: str = super().create_config_id(kwargs, custom_features=custom_features)
        return config_id

    def options(self) -> Options:
        """Return the options, checked."""
        return Options(
            prompt_type=self.prompt_type,
            output=self.output,
            instructions_for=self.instructions_for,
            seed=self.seed,
            images=os.fspath(self.images),
        ).check()


class Cobsat(datasets.ArrowBasedBuilder):  # type: ignore[misc]
    """Builds the benchmark's splits; see `CobsatConfig` for the options."""

    info: datasets.DatasetInfo
    VERSION = datasets.Version("1.0.0")
    BUILDER_CONFIG_CLASS = CobsatConfig
    BUILDER_CONFIGS = [  # noqa: RUF012 (the name is datasets')
        CobsatConfig(
            name=name,
            version=datasets.Version("1.0.0"),
            description=f"{name}: {parse_config(name).shots} demonstrations a prompt",
            prompt_type="exact" if parse_config(name).shots == 0 else "default",
        )
        for name in CONFIGS
    ]

    def _create_builder_config(
        self, config_name: str | None = None, *args: Any, **kwargs: Any
    ) -> tuple[datasets.BuilderConfig, str]:
        """Refuse what is unknown with the nearest name, before `datasets` looks at it."""
        if config_name is None:
            raise ValueError(
                "a config must be named: load_dataset('cobsat', 'color_i-2shot'); the configs are "
                "ten tasks, or 'all', with 0, 2, 4, 6 or 8 shots"
            )
        parse_config(config_name)
        known = ("prompt_type", "output", "instructions_for", "seed", "images")
        others = ("custom_features", "config_id", "version", "data_files", "data_dir")
        for name in kwargs:
            if name not in others:
                choose("option", name, known)
        config, config_id = super()._create_builder_config(config_name, *args, **kwargs)
        check_split(config.name, "test", config.options())
        return config, config_id

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            description=_DESCRIPTION,
            features=TEST_FEATURES,
            homepage=_HOMEPAGE,
            citation=CITATION,
            license="apache-2.0 (code and rendered pictures)",
        )

    def _source(self, is_streaming: bool = False) -> ImageSource:
        config: Any = self.config
        source = image_source(os.fspath(config.images), _home(self.base_path))
        return source if is_streaming else settle(source, Path(self._cache_dir_root).absolute())

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        config: Any = self.config
        options = config.options()
        source = self._source(dl_manager.is_streaming)
        return [
            datasets.SplitGenerator(
                name=split,
                gen_kwargs={
                    "parts": task_splits(config.name, split, options),
                    "train": is_train(split),
                    "source": source,
                },
            )
            for split in splits(config.name, options)
        ]

    def _generate_tables(
        self,
        parts: list[tuple[str, str]],
        train: bool,
        source: ImageSource,
        numbers_only: bool = False,
    ) -> Iterator[tuple[int, pa.Table]]:
        config: Any = self.config
        shots = parse_config(config.name).shots
        options = config.options()
        for key, (task, prompts) in enumerate(parts):
            if numbers_only:
                yield key, numbered(task, prompts, len(prompt_list(prompts, shots, options.seed)))
            else:
                yield key, task_table(task, shots, prompts, train, options, source)

    def _prepare_split(
        self, split_generator: Any, file_format: str = "arrow", **kwargs: Any
    ) -> None:
        """Keep the rows' numbers in the cache; another format gets the rows."""
        features = features_of(split_generator.name)
        if file_format == "arrow":
            split_generator.gen_kwargs["numbers_only"] = True
            features = NUMBERS
        with self._speaking_of(features):
            super()._prepare_split(split_generator, file_format=file_format, **kwargs)

    def _as_dataset(self, split: Any = "test", in_memory: bool = False) -> datasets.Dataset:
        config: Any = self.config
        names = _names_in(str(split))
        for name in names:
            check_split(config.name, name, config.options())
        kinds = {is_train(name) for name in names}
        if len(kinds) > 1:
            raise ValueError(
                f"split must join train splits or test splits, which have other columns, got both "
                f"in {str(split)!r}"
            )
        train = kinds == {True}
        with self._speaking_of(NUMBERS):
            numbers = super()._as_dataset(split, in_memory)
        shots = parse_config(config.name).shots
        table = expand(numbers.data.table, shots, train, config.options(), self._source())
        with self._speaking_of(TRAIN_FEATURES if train else TEST_FEATURES):
            dataset = datasets.Dataset(
                table, self.info, numbers.split, fingerprint=self._get_dataset_fingerprint(split)
            )
        # Before 4.0, `datasets` leaves a list undecoded whose first part is a text.
        return decode_once(dataset) if int(datasets.__version__.split(".")[0]) < 4 else dataset

    def as_streaming_dataset(
        self, split: str | None = None, base_path: str | None = None
    ) -> datasets.IterableDataset | datasets.IterableDatasetDict:
        """Refuse a split that there is not with the reason, before `datasets` looks at it."""
        config: Any = self.config
        if split is not None:
            check_split(config.name, str(split), config.options())
        return super().as_streaming_dataset(split, base_path)

    def _as_streaming_dataset_single(self, splits_generator: Any) -> datasets.IterableDataset:
        with self._speaking_of(features_of(splits_generator.name)):
            return super()._as_streaming_dataset_single(splits_generator)

    @contextmanager
    def _speaking_of(self, features: datasets.Features) -> Iterator[None]:
        """Let `self.info` speak of one table: splits differ in columns, the library's infos not."""
        info = self.info
        self.info = copy.copy(info)
        self.info.features = features
        try:
            yield
        finally:
            self.info = info


def _names_in(split: str) -> list[str]:
    """Return the names in "ft_train[:10%]+ft_test"."""
    return [re.sub(r"[\[(].*", "", word).strip() for word in split.split("+")]


def _home(base_path: str | None) -> Path | None:
    """Return the folder beside which the shipped pictures lie, if this file's is not it.

    A loading script runs from a copy in a cache; its pictures stay where it was.
    """
    here = Path(__file__).parent
    return here if (here / "rendered").is_dir() or not base_path else Path(base_path)
