"""TouchStone's judges with a checkpoint: a tiny language model of the real class, made here.

One is random, and is held against transformers' own pipeline. The other's weights are set by hand:
it says "7 9", a line's end, and that again, whatever it is asked.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from cobsat.metrics import load_judge
from cobsat.metrics.text_model import TextModel
from cobsat.metrics.touchstone_hallucination_judge import HallucinationJudge
from cobsat.metrics.touchstone_judge import TouchstoneJudge
from cobsat.metrics.touchstone_prompts import Turn
from cobsat.touchstone.verdicts import Marks
from tiny_models import qwen_tokenizer
from touchstone_judged import reference
from transformers import Qwen2Config, Qwen2ForCausalLM

TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
NO_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
DROPS_SYSTEM = TEMPLATE.replace(
    "{% for message in messages %}",
    "{% for message in messages if message['role'] != 'system' %}",
)


def tiny(context: int = 4096) -> tuple[Qwen2ForCausalLM, Any]:
    torch.manual_seed(0)
    tokenizer = qwen_tokenizer()
    tokenizer.chat_template = TEMPLATE
    config = Qwen2Config(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=context,
        bos_token_id=None, eos_token_id=tokenizer.eos_token_id, tie_word_embeddings=False,
    )  # fmt: skip
    model = Qwen2ForCausalLM(config)
    for parameter in model.parameters():  # a fresh model hardly looks at its input
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    return model, tokenizer


def saved(folder: Path, model: Any, tokenizer: Any) -> Path:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def random_judge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("models") / "random-judge", *tiny())


@pytest.fixture(scope="module")
def says_7_9(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each token decides the next: the layers add nothing, and the head looks at embeddings."""
    model, tokenizer = tiny()
    line = tokenizer("7 9\n", add_special_tokens=False)["input_ids"]
    assert len(line) == len(set(line)) == 4
    with torch.no_grad():
        for layer in model.model.layers:
            layer.self_attn.o_proj.weight.zero_()
            layer.mlp.down_proj.weight.zero_()
        model.lm_head.weight.zero_()
        for before, after in zip([line[-1], *line], line, strict=False):
            model.lm_head.weight[after] = model.model.embed_tokens.weight[before]
    return saved(tmp_path_factory.mktemp("models") / "says-7-9", model, tokenizer)


def chats() -> list[list[Turn]]:
    texts = ("short", "an answer that is a good deal longer than the first " * 3, "a third")
    return [
        [{"role": "system", "content": "be brief"}, {"role": "user", "content": text}]
        for text in texts
    ]


def test_a_batch_says_what_the_library_s_pipeline_says_of_each(random_judge: Path) -> None:
    pipe = transformers.pipeline("text-generation", model=str(random_judge), device="cpu")
    wanted = [
        pipe(chat, max_new_tokens=12, do_sample=False, return_full_text=False)[0]["generated_text"]
        for chat in chats()
    ]
    assert len(set(wanted)) == 3
    model = TextModel(str(random_judge), device="cpu")
    prompts = [model.prompt(chat) for chat in chats()]
    together = model.replies(prompts, 12)
    assert [reply.text for reply in together] == wanted
    alone = [model.replies([prompt], 12)[0] for prompt in prompts]
    assert alone == together
    assert all(reply.cut for reply in together)
    assert [reply.usage for reply in together] == [
        {"input_tokens": len(prompt), "output_tokens": 12} for prompt in prompts
    ]
    given = TextModel(pipe)  # a pipeline that is there already is a checkpoint too
    assert given.replies(prompts, 12) == together
    assert pipe.model.generation_config.max_new_tokens != 12  # and is left as it was


def test_a_reply_ends_before_its_stop(random_judge: Path) -> None:
    model = TextModel(str(random_judge), device="cpu")
    prompts = [model.prompt(chat) for chat in chats()]
    whole = model.replies(prompts, 20)
    stop = whole[1].text[4:6]
    for reply, stopped in zip(whole, model.replies(prompts, 20, [stop]), strict=True):
        assert stopped.text == reply.text.partition(stop)[0]
        assert stopped.cut == (stop not in reply.text)
        assert (stopped.usage["output_tokens"] < 20) == (stop in reply.text)


def test_marks_of_a_checkpoint(says_7_9: Path) -> None:
    judge = load_judge("touchstone", checkpoint=str(says_7_9), device="cpu", forward_batch_size=3)
    assert isinstance(judge, TouchstoneJudge)
    texts = ["an answer", "", "another, longer one " * 20, "a last"]
    verdicts = judge.judge(texts, [reference(n) for n in range(1, 5)], "answer")
    assert [v.status for v in verdicts] == ["scored", "unscored", "scored", "scored"]
    first = verdicts[0]
    assert first.reference_first == Marks(answer=9, reference=7)
    assert first.answer_first == Marks(answer=7, reference=9)
    assert (first.answer, first.reference) == (8, 8)
    assert first.raw is not None
    assert first.raw["answer_first"]["reply"] == "7 9"
    assert first.raw["answer_first"]["usage"]["output_tokens"] == 4


def test_records_name_the_folder_and_no_path(says_7_9: Path) -> None:
    judge = TouchstoneJudge(checkpoint=str(says_7_9), device="cpu")
    assert judge.name == "touchstone-says-7-9"
    record = judge.record()
    assert str(says_7_9.parent) not in str(record)
    assert record["checkpoint"] == "says-7-9"
    assert (record["stop"], record["max_tokens"], record["dtype"]) == (["\n"], 512, "float32")
    assert len(record["weights_sha256"]) == 64
    assert record["system_text"] == "a turn of its own"
    assert set(record["versions"]) == {"torch", "transformers"}


def test_without_a_stop_all_that_is_said_is_read(says_7_9: Path) -> None:
    judge = TouchstoneJudge(checkpoint=str(says_7_9), device="cpu", stop=None, max_tokens=8)
    (verdict,) = judge.judge(["an answer"], [reference()], "answer")
    assert verdict.raw["answer_first"]["reply"] == "7 9\n7 9\n"
    assert verdict.status == "scored"
    judge = TouchstoneJudge(checkpoint=str(says_7_9), device="cpu", max_tokens=3)
    (verdict,) = judge.judge(["an answer"], [reference()], "answer")
    cut = "cut off within its marks"
    assert verdict.reason == f"reference_first: {cut}; answer_first: {cut}"


def test_a_degree_of_a_checkpoint_must_be_one(says_7_9: Path) -> None:
    judge = HallucinationJudge(checkpoint=str(says_7_9), device="cpu")
    (verdict,) = judge.judge(["A car."], [reference()], "answer")
    assert (verdict.status, verdict.reason) == ("unscored", "several numbers: 7, 9")


def test_a_prompt_that_does_not_fit_is_unscored(tmp_path: Path) -> None:
    folder = saved(tmp_path / "short", *tiny(context=64))
    judge = TouchstoneJudge(checkpoint=str(folder), device="cpu")
    (verdict,) = judge.judge(["an answer"], [reference()], "answer")
    assert verdict.status == "unscored"
    assert "than the checkpoint reads (64)" in str(verdict.reason)


@pytest.mark.parametrize("template", [NO_SYSTEM + TEMPLATE, DROPS_SYSTEM])
def test_a_template_without_a_system_text_has_it_before_the_user_s(
    template: str, tmp_path: Path
) -> None:
    model, tokenizer = tiny()
    tokenizer.chat_template = template
    judge = TouchstoneJudge(
        checkpoint=str(saved(tmp_path / "gemma", model, tokenizer)), device="cpu"
    )
    assert judge.record()["system_text"] == "before the user's"
    chat = chats()[0]
    text = judge.asker.model.tokenizer.decode(judge.asker.model.prompt(chat))  # type: ignore[attr-defined]
    assert text == (
        f"<|im_start|>user\n{chat[0]['content']}\n\n{chat[1]['content']}<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_what_is_no_judge_is_refused(tmp_path: Path) -> None:
    model, tokenizer = tiny()
    tokenizer.chat_template = None
    folder = saved(tmp_path / "base", model, tokenizer)
    with pytest.raises(ValueError, match="checkpoint must have a chat template, got 'base'"):
        TouchstoneJudge(checkpoint=str(folder), device="cpu")
    with pytest.raises(FileNotFoundError, match="where there is no folder"):
        TouchstoneJudge(checkpoint="./nowhere")
    with pytest.raises(ValueError, match="dtype must be float32"):
        TouchstoneJudge(checkpoint=str(folder), dtype="float33")
    with pytest.raises(ValueError, match="device must be left out with a device_map"):
        TouchstoneJudge(checkpoint=str(folder), device="cpu", device_map="auto")
