"""TouchStone's score of answers about pictures, by a language model, as an `evaluate` module.

Source: "TouchStone: Evaluating Vision-Language Models by Language Models", Sec. 3.2.
"""

from collections.abc import Callable, Sequence
from typing import Any

import evaluate
from cobsat.metrics.protocol import Judge
from cobsat.metrics.touchstone_modules import choose_judge, judged, touchstone_features
from cobsat.metrics.touchstone_scores import dialogue_scores
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
How good a model's answers to questions about pictures are: a language model, which is given
people's annotation in place of the picture, marks each beside a reference answer, in both orders.
With the official questions and the judge gpt-4 it is the paper's score.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: Answers: texts.
    references: The rows' `reference`: dicts of id, question, annotation, reference_answer,
        categories and subtask. Answers to one id are samples of one question.
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
    score: The mean, over answers, of the mean mark of both rounds, times 100: 100 to 1,000, higher
        is better; None where none is scored.
    score_standard_error, score_interval: Its standard error and 95% interval, clustered by
        question.
    floor: The score if each answer that is not scored had the lowest mark.
    reference_score: The reference answers' mean mark times 100.
    win, tie, loss: Answers with a higher, the same, or a lower mean mark than the reference answer.
    position_bias, position_bias_interval: How much more an answer has, times 100, where it comes
        first, with a 95% interval.
    answer_first, answer_second: The mean mark of the answers in either place, times 100.
    flips: Share of answers that are preferred to the reference answer in one order alone.
    categories, subtasks: The same by category and by subtask: dicts with n, of, score,
        standard_error, interval, floor, reference, win, tie, loss and position.
    scored, unscored, failed: Counts: with marks in both rounds; without (an empty answer, a reply
        without marks); where the judge's call failed.
    reasons: Why answers were unscored or failed, and how often.
    judge: Its name and record: model or checkpoint, digest of the prompt, settings, versions.

Examples:
    >>> import cobsat.metrics, evaluate
    >>> touchstone = evaluate.load(cobsat.metrics.path("touchstone"))
    >>> reference = {
    ...     "id": "touchstone-1", "question": "What is it?", "annotation": "A red car on a bridge.",
    ...     "reference_answer": "A red car.", "categories": ["recognition"],
    ...     "subtask": "object recognition",
    ... }
    >>> def likes_the_first(chats):
    ...     return ["9 7" for chat in chats]
    >>> results = touchstone.compute(
    ...     predictions=["A car.", ""], references=[reference] * 2, ask=likes_the_first
    ... )
    >>> results["score"], results["tie"], results["position_bias"], results["unscored"]
    (800.0, 1, 200.0, 1)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Touchstone(evaluate.Metric):  # type: ignore[misc]
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
        asked = choose_judge("touchstone", judge, options)
        found = judged(asked, predictions, references)
        table = dialogue_scores(found.rows, found.predictions, found.verdicts)
        overall, position = table["overall"], table["overall"]["position"]
        return {
            "score": overall["score"],
            "score_standard_error": overall["standard_error"],
            "score_interval": overall["interval"],
            "floor": overall["floor"],
            "reference_score": overall["reference"],
            **{name: overall[name] for name in ("win", "tie", "loss")},
            "position_bias": position["bias"],
            "position_bias_interval": position["interval"],
            **{name: position[name] for name in ("answer_first", "answer_second", "flips")},
            "categories": table["categories"],
            "subtasks": table["subtasks"],
            **found.counts,
            "judge": {"name": asked.name, **asked.record()},
        }
