"""CoBSAT's accuracy, as judged by two multiple-choice questions, as an `evaluate` module.

Source: "Can MLLMs Perform Text-to-Image In-Context Learning?" (CoBSAT), Sec. 4.2.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

import evaluate
from cobsat.examples import Reference
from cobsat.metrics.grading import check_reference, count_reasons, regrade, summarize, unscored
from cobsat.metrics.intervals import share_interval
from cobsat.metrics.module_inputs import features, given, output_kind
from cobsat.metrics.pictures import Output
from cobsat.metrics.protocol import Judge, OutputKind
from cobsat.metrics.registry import judge_parameters, load_judge
from cobsat.run_folder import Verdict

_CITATION = """\
@article{zeng2024can,
  title={Can MLLMs Perform Text-to-Image In-Context Learning?},
  author={Zeng, Yuchen and Kang, Wonjun and Chen, Yicong and Koo, Hyung Il and Lee, Kangwook},
  journal={arXiv preprint arXiv:2402.01293},
  year={2024}
}
"""

_DESCRIPTION = """\
Whether an output shows the object and the attribute that it should: a judge is asked for both, by
multiple choice. With the judge `llava` and the checkpoint llava-hf/llava-1.5-13b-hf it is the
paper's accuracy.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: With the configuration "image" (the default), pictures: paths or PIL images. With
        "description", texts.
    references: The rows' `reference`: dicts of task ("color_i"), object and attribute, in the words
        of Table 1.
    judge: "llava" (the default), "api", "mention" (descriptions only), "clip", "module:Class", or a
        judge object. An option below goes to a judge that has it, and is refused by the others;
        one that is not given is the judge's own default.
    checkpoint: Of llava: "mini-llava" (the default, which ships with the package), a name on the
        Hub, or a folder.
    method: Of llava: "generate" (the default: greedy replies, the paper's) or "options" (the option
        numbers' probabilities in one forward pass, faster).
    wording: Of llava and api: "paper" (the default) or "released" (the authors' code).
    revision: Of llava: of a name on the Hub.
    dtype: Of llava: as torch names it; by default float32 on a CPU, else the checkpoint's own.
    device: Of llava: as torch names it; by default a GPU if there is one.
    batch_size: Of llava: outputs in one forward pass.
    max_new_tokens: Of llava: the most tokens of a reply.
    least_mass: Of llava's "options": without an answer where the ten numbers together are less
        likely than this.
    trust_remote_code: Of llava: whether code that comes with the checkpoint may run.
    model: Of api: the server's name for the model.
    base_url: Of api: its address up to /v1; by default OPENAI_BASE_URL's.
    key_variable: Of api: the environment variable that holds the key.
    max_tokens: Of api: the most tokens of a reply.
    temperature: Of api: 0 (the default) for the likeliest reply.
    seed: Of api: for servers that sample with one.
    body: Of api: more of the request, as JSON or a dict.
    description_limit: Of api: characters of a description that are asked about.
    image_detail: Of api: "low", "high" or "auto".
    concurrency: Of api: the most calls at once.
    timeout: Of api: seconds that a call may take.
    retries: Of api: how often a failed call is made again.

Returns:
    accuracy: Share of outputs whose object and attribute are both right, 0 to 1, higher is better.
        An unscored output counts as wrong, a failed one not at all.
    accuracy_standard_error: Clustered by what was asked for.
    accuracy_interval: Its 95% interval (low, high): a modified Wilson interval, clustered likewise.
    object_accuracy, attribute_accuracy: Of each half.
    textual_accuracy, visual_accuracy: Of the half that the prompt's text gave, and of the half that
        its pictures gave.
    accuracy_scored: Accuracy over the outputs that the judge gave a clear answer for.
    scored, unscored, failed, truncated: Counts: with a clear answer; without one (an unclear reply,
        a picture that cannot be read, an empty description); where the judge's call failed; judged
        by their beginning.
    reasons: Why outputs were unscored or failed, and how often.
    judge: Its name and record: checkpoint or model, revision, dtype, digest of the prompts,
        versions of the libraries.

Examples:
    >>> import cobsat.metrics, evaluate
    >>> accuracy = evaluate.load(cobsat.metrics.path("cobsat_accuracy"), "description")
    >>> reference = {"task": "color_i", "object": "car", "attribute": "red"}
    >>> predictions = ["A red car.", "A red hat.", ""]
    >>> results = accuracy.compute(predictions=predictions, references=[reference] * 3)
    >>> results["object_accuracy"], results["unscored"], results["judge"]["name"]
    (0.3333333333333333, 1, 'llava')
"""

_RENAMED = {"batch_size": "forward_batch_size"}
"""What a judge calls an option that has a plainer name here."""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class CobsatAccuracy(evaluate.Metric):  # type: ignore[misc]
    """A thin class over the judges of `cobsat.metrics`."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=features(output_kind(self.config_name)),
            reference_urls=["https://arxiv.org/abs/2402.01293"],
        )

    def _compute(
        self,
        predictions: Sequence[Any],
        references: Sequence[Reference],
        judge: str | Judge = "llava",
        checkpoint: str | None = None,
        method: str | None = None,
        wording: str | None = None,
        revision: str | None = None,
        dtype: str | None = None,
        device: str | None = None,
        batch_size: int | None = None,
        max_new_tokens: int | None = None,
        least_mass: float | None = None,
        trust_remote_code: bool | None = None,
        model: str | None = None,
        base_url: str | None = None,
        key_variable: str | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        seed: int | None = None,
        body: str | dict[str, Any] | None = None,
        description_limit: int | None = None,
        image_detail: str | None = None,
        concurrency: int | None = None,
        timeout: float | None = None,
        retries: int | None = None,
    ) -> dict[str, Any]:
        options = {
            "checkpoint": checkpoint,
            "method": method,
            "wording": wording,
            "revision": revision,
            "dtype": dtype,
            "device": device,
            "batch_size": batch_size,
            "max_new_tokens": max_new_tokens,
            "least_mass": least_mass,
            "trust_remote_code": trust_remote_code,
            "model": model,
            "base_url": base_url,
            "key_variable": key_variable,
            "max_tokens": max_tokens,
            "temperature": temperature,
            "seed": seed,
            "body": body,
            "description_limit": description_limit,
            "image_detail": image_detail,
            "concurrency": concurrency,
            "timeout": timeout,
            "retries": retries,
        }
        asked = _judge(judge, {k: v for k, v in options.items() if v is not None})
        output = output_kind(self.config_name)
        verdicts = _verdicts(asked, [given(p) for p in predictions], references, output)
        known = [(v, r) for v, r in zip(verdicts, references, strict=True) if v.status != "error"]
        summary = summarize(verdicts, references)
        interval = share_interval(
            [v.correct for v, _ in known],
            [(r["task"], r["object"], r["attribute"]) for _, r in known],
        )
        return {
            "accuracy": summary.pop("accuracy"),
            "accuracy_standard_error": summary.pop("accuracy_standard_error"),
            "accuracy_interval": interval,
            **summary,
            "truncated": sum(bool((v.raw or {}).get("truncated")) for v, _ in known),
            "reasons": count_reasons(v for v in verdicts if v.status != "scored"),
            "judge": {"name": asked.name, **asked.record()},
        }


def _judge(judge: str | Judge, options: dict[str, Any]) -> Judge:
    """Return a judge by its name and options, or the object that was given."""
    if not isinstance(judge, str):
        if options:
            raise ValueError(
                "a judge object must be made with its options, got it together with "
                f"{', '.join(options)}"
            )
        return judge
    named = {_RENAMED.get(key, key): value for key, value in options.items()}
    if judge == "llava" and named.keys() <= judge_parameters(judge):
        return _checkpoint(**named)
    return load_judge(judge, **named)


@lru_cache(maxsize=1)
def _checkpoint(**options: Any) -> Judge:
    """Keep the last checkpoint in memory: `compute` is called again and again."""
    return load_judge("llava", **options)


def _verdicts(
    judge: Judge,
    predictions: Sequence[Output | None],
    references: Sequence[Reference],
    output: OutputKind,
) -> list[Verdict]:
    """Have outputs judged, identical ones once a theme, and grade each by its own reference."""
    if output not in judge.outputs:
        raise ValueError(
            f"outputs that the judge {judge.name} is given must be of kind "
            f"{' or '.join(sorted(judge.outputs))}, got the configuration {output!r}"
        )
    keys = [
        (_digest(prediction, output), check_reference(reference).name)
        for prediction, reference in zip(predictions, references, strict=True)
    ]
    new: dict[tuple[str, str], tuple[Output, Reference]] = {}
    for key, prediction, reference in zip(keys, predictions, references, strict=True):
        if prediction is not None:
            new.setdefault(key, (prediction, reference))
    # llava, clip and api take a picture's bytes too
    told = cast("Sequence[str]", [prediction for prediction, _ in new.values()])
    asked_for = [reference for _, reference in new.values()]
    answers = judge.judge(told, asked_for, output) if new else []
    if len(answers) != len(new):
        raise ValueError(
            f"verdicts of {judge.name} must be one an output ({len(new)}), got {len(answers)}"
        )
    known = dict(zip(new, answers, strict=True))
    empty = unscored(f"empty {output}")
    return [
        regrade(known.get(key, empty), "", reference)
        for key, reference in zip(keys, references, strict=True)
    ]


def _digest(prediction: Output | None, output: OutputKind) -> str:
    """Return what identical outputs share: of a picture, the digest of its file."""
    if prediction is None:
        return ""
    if isinstance(prediction, bytes):
        return hashlib.sha256(prediction).hexdigest()
    text = str(prediction)
    if output == "image":
        try:
            with open(text, "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except (OSError, ValueError):  # the judge will say so
            pass
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
