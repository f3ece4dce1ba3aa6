"""TouchStone's degree of hallucination of descriptions, by a language model, for `evaluate`.

Source: "TouchStone: Evaluating Vision-Language Models by Language Models", Sec. 4.3.
"""

from collections.abc import Callable, Sequence
from typing import Any

import evaluate
from cobsat.metrics.protocol import Judge
from cobsat.metrics.touchstone_modules import choose_judge, judged, touchstone_features
from cobsat.metrics.touchstone_scores import hallucination_scores
from cobsat.touchstone.questions import Reference

_CITATION = """\
@article{bai2023touchstone,
  title={TouchStone: Evaluating Vision-Language Models by Language Models},
  author={Bai, Shuai and Yang, Shusheng and Bai, Jinze and Wang, Peng and Zhang, Xingxuan and
    Lin, Junyang and Wang, Xinggang and Zhou, Chang and Zhou, Jingren},
  journal={arXiv preprint arXiv:2308.16890},
  year={2023}
}
"""

_DESCRIPTION = """\
How much of what a model says of a picture is not there: a language model, which is given people's
annotation in place of the picture, gives each description a degree of hallucination from 1 to 10,
higher is worse. The paper's prompt was not published; this one is cobsat's own.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: Descriptions: texts.
    references: The rows' `reference`: dicts of id, question, annotation, reference_answer,
        categories and subtask; the annotation and the groups are used. Descriptions with one id are
        samples of one question.
    judge: A judge object, in place of the options below; one that is not given is the judge's own
        default.
    model: A server's name for the judge, such as "gpt-4"; key and address are the environment's
        (OPENAI_API_KEY, OPENAI_BASE_URL).
    checkpoint: A checkpoint of transformers with a chat template (a name on the Hub or a folder),
        or a pipeline "text-generation".
    ask: A function that is given chats and returns a reply for each.
    max_tokens: The most tokens of a reply.
    stop: Where a reply ends; an empty tuple for a server that takes none, and for models that
        reason or begin with an empty line.
    temperature: Of a server: 0 (the default) for the likeliest reply.
    seed: Of a server that samples with one.
    body: Of a server: more of the request, as JSON or a dict.
    again: Of a server: how often a reply that cannot be read is asked for again.
    base_url: Of a server: its address up to /v1; by default OPENAI_BASE_URL's.
    key_variable: Of a server: the environment variable that holds the key.
    concurrency: Of a server: the most calls at once.
    timeout: Of a server: seconds that a call may take.
    retries: Of a server: how often a failed call is made again.
    revision: Of a checkpoint on the Hub.
    dtype: Of a checkpoint: as torch names it; by default float32 on a CPU, else its own.
    device: Of a checkpoint: as torch names it; by default a GPU if there is one.
    device_map: Of a checkpoint: as accelerate takes it ("auto").
    forward_batch_size: Of a checkpoint: chats in one forward pass.
    trust_remote_code: Of a checkpoint: whether code that comes with it may run.

Returns:
    degree: The mean degree of hallucination, 1 to 10, lower is better; None where none is scored.
    degree_standard_error, degree_interval: Its standard error and 95% interval, clustered by
        question.
    words: The mean length of the descriptions, in words: beside the degree, because who says less
        hallucinates less.
    correlation: Pearson's correlation of degree and length; None without a spread of both.
    categories, subtasks: The same by category and by subtask: dicts with n, of, degree,
        standard_error, interval, words and correlation.
    scored, unscored, failed: Counts: with a degree; without (an empty description, a reply without
        one); where the judge's call failed.
    reasons: Why descriptions were unscored or failed, and how often.
    judge: Its name and record: model or checkpoint, digest of the prompt, settings, versions.

Examples:
    >>> import cobsat.metrics, evaluate
    >>> hallucination = evaluate.load(cobsat.metrics.path("touchstone_hallucination"))
    >>> reference = {
    ...     "id": "touchstone-1", "question": "What is it?", "annotation": "A red car on a bridge.",
    ...     "reference_answer": "A red car.", "categories": ["recognition"],
    ...     "subtask": "object recognition",
    ... }
    >>> def finds_dogs(chats):
    ...     return ["8" if "dog" in chat[-1]["content"] else "1" for chat in chats]
    >>> results = hallucination.compute(
    ...     predictions=["A car.", "A car and a dog."], references=[reference] * 2, ask=finds_dogs
    ... )
    >>> results["degree"], results["words"], round(results["correlation"], 3)
    (4.5, 3.5, 1.0)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class TouchstoneHallucination(evaluate.Metric):  # type: ignore[misc]
    """A thin class over the judge of `cobsat.metrics`."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=touchstone_features(),
            reference_urls=["https://arxiv.org/abs/2308.16890"],
        )

    def _compute(
        self,
        predictions: Sequence[str | None],
        references: Sequence[Reference],
        judge: Judge | None = None,
        model: str | None = None,
        checkpoint: Any = None,
        ask: Callable[[list[Any]], Sequence[str | None]] | str | None = None,
        max_tokens: int | None = None,
        stop: str | Sequence[str] | None = None,
        temperature: float | None = None,
        seed: int | None = None,
        body: str | dict[str, Any] | None = None,
        again: int | None = None,
        base_url: str | None = None,
        key_variable: str | None = None,
        concurrency: int | None = None,
        timeout: float | None = None,
        retries: int | None = None,
        revision: str | None = None,
        dtype: str | None = None,
        device: str | None = None,
        device_map: str | None = None,
        forward_batch_size: int | None = None,
        trust_remote_code: bool | None = None,
    ) -> dict[str, Any]:
        options = {
            "model": model,
            "checkpoint": checkpoint,
            "ask": ask,
            "max_tokens": max_tokens,
            "stop": stop,
            "temperature": temperature,
            "seed": seed,
            "body": body,
            "again": again,
            "base_url": base_url,
            "key_variable": key_variable,
            "concurrency": concurrency,
            "timeout": timeout,
            "retries": retries,
            "revision": revision,
            "dtype": dtype,
            "device": device,
            "device_map": device_map,
            "forward_batch_size": forward_batch_size,
            "trust_remote_code": trust_remote_code,
        }
        asked = choose_judge("touchstone_hallucination", judge, options)
        found = judged(asked, predictions, references)
        table = hallucination_scores(found.rows, found.predictions, found.verdicts)
        overall = table["overall"]
        return {
            "degree": overall["degree"],
            "degree_standard_error": overall["standard_error"],
            "degree_interval": overall["interval"],
            "words": overall["words"],
            "correlation": overall["correlation"],
            "categories": table["categories"],
            "subtasks": table["subtasks"],
            **found.counts,
            "judge": {"name": asked.name, **asked.record()},
        }
