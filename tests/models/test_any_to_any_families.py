"""How Emu3 and Janus draw, against the models' own ways and against a slow, plain one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiny_drawers
import torch
from cobsat.models.any_to_any import AnyToAny
from cobsat.models.token_drawing import Canvas, Drawing, Picker, picture, prompt_embeddings
from cobsat.models.transformers_vlm import TransformersVLM
from cobsat.models.vlm_inputs import Prompt
from drawer_rows import EMU3_SIZE, load, pictures, rows, said, spy
from PIL import Image
from torch import Tensor
from vlm_rows import replies
from vlm_rows import rows as rows_for_text

pytestmark = pytest.mark.usefixtures("one_thread")

FAMILIES = list(tiny_drawers.FAMILIES)
RED, BLUE = (Image.new("RGB", (40, 40), color) for color in ((220, 20, 20), (20, 20, 220)))


def drawn(model: AnyToAny, row: Any) -> Tensor:
    """Return the tokens of the one picture that a model draws."""
    _, tokens = spy(model)
    pictures(model.predict([row]))
    return tokens[-1]


def allowed(model: Any, processor: Any, height: int, width: int) -> Callable[[int, Tensor], Any]:
    """Return Emu3's documented constraint on what comes at each place of a picture."""
    words, mapping = processor.tokenizer, model.vocabulary_mapping
    after = [words.eof_token_id, words.eoi_token_id, words.eos_token_id]

    def tokens(row: int, ids: Tensor) -> list[int]:
        begins = int((ids == words.image_wrapper_token_id).nonzero()[-1])
        place, end = len(ids) - begins, height * (width + 1)
        if place > end:
            return [after[place - end - 1]]
        return [mapping.eol_token_id] if place % (width + 1) == 0 else mapping.image_tokens

    return tokens


def emu3_generate(text: str, shown: list[Image.Image], negative: str, guidance: float) -> Tensor:
    """Return what Emu3's own `generate` draws, greedily, when the size is in the prompt."""
    model, processor = tiny_drawers.build("emu3")
    processor.image_processor.min_pixels = processor.image_processor.max_pixels = 256
    size = "<|image start|>3*4<|image token|>"
    inputs = processor(text=[text + size], images=[shown] if shown else None, return_tensors="pt")
    blank = processor(text=[negative + size], return_tensors="pt")
    given = {} if guidance == 1 else {"guidance_scale": guidance}
    output = model.generate(
        **inputs,
        **given,
        do_sample=False,
        max_new_tokens=18,
        prefix_allowed_tokens_fn=allowed(model, processor, 3, 4),
        negative_prompt_ids=blank["input_ids"],
        negative_prompt_attention_mask=blank["attention_mask"],
    )
    return output[:, inputs["input_ids"].shape[1] :]


@pytest.mark.parametrize("guidance", [3.0, 1.0])
def test_emu3_draws_as_documented_from_a_text(
    guidance: float, checkpoint: Callable[..., Path]
) -> None:
    model, processor = tiny_drawers.build("emu3")
    inputs = processor(
        text=["A red car."],
        ratio="3:2",
        image_area=768,
        return_for_image_generation=True,
        return_tensors="pt",
    )
    [size] = inputs.pop("image_sizes")
    assert size == [3, 4]
    adapter = load(checkpoint("emu3"), do_sample=False, guidance=guidance)
    given, tokens = spy(adapter)
    [output] = adapter.predict([said("A red car.")])
    assert torch.equal(given[0]["input_ids"], inputs["input_ids"])
    theirs = emu3_generate("A red car.", [], "", guidance)
    assert torch.equal(tokens[0], theirs)
    pixels = model.decode_image_tokens(image_tokens=theirs, height=3, width=4)
    [made] = processor.postprocess(list(pixels), return_tensors="PIL.Image.Image")["pixel_values"]
    assert made.size == (32, 24)
    assert output.image is not None
    assert_alike(output.image, made)


def assert_alike(first: Any, second: Any) -> None:
    """Check that two pictures are the same but for one level of rounding."""
    one, other = (
        torch.frombuffer(bytearray(p.tobytes()), dtype=torch.uint8) for p in (first, second)
    )
    assert (one.int() - other.int()).abs().max() <= 1
    assert one.float().std() > 10


def test_emu3_draws_from_pictures_as_its_generate_would(checkpoint: Callable[..., Path]) -> None:
    row = said("red: ", RED, "blue: ", BLUE, "pink: ")
    for negative, guidance in (("", 3.0), ("a longer text than all of the prompt is" * 3, 2.0)):
        model = load(
            checkpoint("emu3"), do_sample=False, guidance=guidance, negative_prompt=negative
        )
        theirs = emu3_generate("red: <image>blue: <image>pink: ", [RED, BLUE], negative, guidance)
        assert torch.equal(drawn(model, row), theirs)


@pytest.mark.parametrize("guidance", [5.0, 1.5])
def test_janus_draws_as_its_generate_does_from_a_text(
    guidance: float, checkpoint: Callable[..., Path]
) -> None:
    model, processor = tiny_drawers.build("janus")
    messages = [{"role": "user", "content": [{"type": "text", "text": "A red car."}]}]
    text = processor.apply_chat_template(messages, add_generation_prompt=True)
    inputs = processor(text=[text], generation_mode="image", return_tensors="pt")
    model.generation_config.guidance_scale = guidance
    theirs = model.generate(**inputs, generation_mode="image", do_sample=False)
    adapter = load(checkpoint("janus"), do_sample=False, guidance=guidance)
    given, tokens = spy(adapter)
    pictures(adapter.predict([said("A red car.")]))
    assert torch.equal(given[0]["input_ids"], inputs["input_ids"])
    assert torch.equal(tokens[0], theirs)


def janus_slowly(text: str, shown: list[Image.Image], guidance: float) -> Tensor:
    """Return what Janus draws, greedily, with a whole forward for each token and no cache."""
    model, processor = tiny_drawers.build("janus")
    inputs = processor(text=[text], images=[shown], generation_mode="image", return_tensors="pt")
    ids, core = inputs["input_ids"], model.model
    encoded = core.get_image_features(inputs["pixel_values"]).pooler_output.flatten(0, 1)
    asked, blank = model.get_input_embeddings()(ids), model.get_input_embeddings()(ids * 0)
    asked[ids == model.config.image_token_id] = encoded
    blank[:, [0, -1]] = asked[:, [0, -1]]  # where the prompt begins, and where the picture does
    tokens: list[int] = []
    for _ in range(16):
        scores = [
            core.generation_head(core.language_model(inputs_embeds=e).last_hidden_state[0, -1])
            for e in (asked, blank)
        ]
        tokens.append(int((scores[1] + guidance * (scores[0] - scores[1])).argmax()))
        new = model.prepare_embeddings_for_image_generation(torch.tensor([[tokens[-1]]]))
        asked, blank = torch.cat([asked, new], dim=1), torch.cat([blank, new], dim=1)
    return torch.tensor([tokens])


@torch.no_grad()
def test_janus_draws_from_pictures(checkpoint: Callable[..., Path]) -> None:
    text = (
        "<|User|>: red:\n<image_placeholder>\nblue:\n<image_placeholder>\npink:\n\n<|Assistant|>:"
    )
    row = said("red: ", RED, "blue: ", BLUE, "pink: ")
    model = load(checkpoint("janus"), do_sample=False)
    assert torch.equal(drawn(model, row), janus_slowly(text, [RED, BLUE], 5.0))
    other = said("red: ", BLUE, "blue: ", RED, "pink: ")
    assert torch.equal(drawn(model, other), janus_slowly(text, [BLUE, RED], 5.0))


@pytest.mark.parametrize("family", FAMILIES)
def test_pictures_that_change_places_change_what_is_drawn(
    family: str, checkpoint: Callable[..., Path]
) -> None:
    model = load(checkpoint(family), do_sample=False)
    before = drawn(model, said("red: ", RED, "blue: ", BLUE, "pink: "))
    after = drawn(model, said("red: ", BLUE, "blue: ", RED, "pink: "))
    assert not torch.equal(before, after)
    blind = drawn(model, said("red: blue: pink: "))
    assert not torch.equal(before, blind)


def test_texts_and_pictures_reach_emu3_in_reading_order(
    checkpoint: Callable[..., Path], picture_folder: Path
) -> None:
    model = load(checkpoint("emu3"))
    given, _ = spy(model)
    pictures(model.predict(rows(picture_folder)[:1]))
    one = "<|image start|>2*2<|image token|>" + "<image>" * 6 + "<|extra_201|><|image end|>"
    assert model._processor.tokenizer.decode(given[0]["input_ids"][0]) == (
        f"<s>blue: {one}brown: {one}orange: <|image start|>3*4<|image token|>"
    )
    wide = said("red: ", RED.resize((80, 20)), "pink: ")
    pictures(model.predict([wide]))
    text = model._processor.tokenizer.decode(given[1]["input_ids"][0])
    assert text == (
        "<s>red: <|image start|>1*4<|image token|>" + "<image>" * 5
        + "<|extra_201|><|image end|>pink: <|image start|>3*4<|image token|>"
    )  # fmt: skip


def test_emu3_reads_pictures_as_rows_of_visual_tokens(checkpoint: Callable[..., Path]) -> None:
    """The places hold the embeddings of the picture's codes, two a row and the end of a row."""
    model = load(checkpoint("emu3"))
    given, _ = spy(model)
    pictures(model.predict([said("red: ", RED, "pink: ")]))
    own, processor = tiny_drawers.build("emu3")
    processor.image_processor.min_pixels = processor.image_processor.max_pixels = 256
    seen = processor.image_processor([RED], return_tensors="pt")
    with torch.no_grad():
        [codes] = own.model.vqmodel.encode(
            seen["pixel_values"], seen["image_sizes"], return_dict=True
        ).image_tokens
        assert codes.shape == (2, 2)
        names = [f"<|visual token {code:06d}|>" for code in codes.flatten().tolist()]
        rows = [*names[:2], "<|extra_200|>", *names[2:], "<|extra_200|>"]
        ids = torch.tensor(processor.tokenizer.convert_tokens_to_ids(rows))
        expected = own.get_input_embeddings()(ids)
        loaded, _ = model._writer.parts
        there = prompt_embeddings(loaded, given[0])[
            given[0]["input_ids"] == own.config.image_token_id
        ]
    torch.testing.assert_close(there, expected)


def test_texts_and_pictures_reach_janus_in_reading_order(
    checkpoint: Callable[..., Path], picture_folder: Path
) -> None:
    model = load(checkpoint("janus"))
    given, _ = spy(model)
    pictures(model.predict(rows(picture_folder)[:1]))
    one = "<begin_of_image>" + "<image_placeholder>" * 16 + "<end_of_image>"
    assert model._processor.tokenizer.decode(given[0]["input_ids"][0]) == (
        f"<s><|User|>: blue:\n{one}\nbrown:\n{one}\norange:\n\n<|Assistant|>:<begin_of_image>"
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_a_picture_is_encoded_once_or_not_kept_and_looks_the_same(
    family: str, checkpoint: Callable[..., Path]
) -> None:
    row = said("red: ", RED, "blue: ", BLUE, "pink: ")
    kept, afresh = (
        load(checkpoint(family), fresh=True, do_sample=False, reuse_gb=size) for size in (2, 0)
    )
    assert kept.record()["pictures_reused"] == "yes"
    assert afresh.record()["pictures_reused"] == "no: turned off"
    assert torch.equal(drawn(kept, row), drawn(afresh, row))
    assert len(kept._encoder._known) == 2
    wide = said("red: ", RED.resize((80, 20)), "blue: ", BLUE, "pink: ")
    assert torch.equal(drawn(kept, wide), drawn(afresh, wide))
    kept._forget()
    assert not kept._encoder._known


def test_pictures_that_do_not_fill_their_places_are_a_fault(
    checkpoint: Callable[..., Path],
) -> None:
    adapter = load(checkpoint("janus"))
    model, _ = adapter._writer.parts
    encoded = adapter._encoder.encode([Prompt("red: <image_placeholder>", (RED,))])
    encoded.inputs["input_ids"][encoded.inputs["input_ids"] == model.config.image_token_id] = 3
    with pytest.raises(ValueError, match="must be as many as their tokens, 16, got 0"):
        prompt_embeddings(model, encoded.inputs)


def test_pixels_become_a_picture() -> None:
    """By hand: (x · 0.5 + 0.25) · 255 within 0 and 255, cut to whole levels."""

    class Scaled:
        image_mean = (0.25, 0.25, 0.25)
        image_std = (0.5, 0.5, 0.5)

    made = picture(torch.tensor([[[0.0, 0.5, 1.5]], [[-1.0, 9.0, 0.1]]]), Scaled())
    assert made.size == (1, 2)
    assert [made.getpixel((0, 0)), made.getpixel((0, 1))] == [(63, 127, 255), (0, 255, 76)]


def test_tokens_are_picked_by_the_settings() -> None:
    scores = torch.tensor([[0.0, 3.0, 2.0, 1.0], [5.0, 0.0, 5.5, -9.0]])
    assert Picker(Drawing(1.0, do_sample=False), [1, 2])(scores).tolist() == [1, 2]
    assert Picker(Drawing(1.0, top_k=1), [1, 2])(scores).tolist() == [1, 2]
    assert Picker(Drawing(1.0, temperature=1e-3), [1, 2])(scores).tolist() == [1, 2]
    assert Picker(Drawing(1.0, top_p=0.01), [1, 2])(scores).tolist() == [1, 2]
    two, free = Picker(Drawing(1.0, top_k=2), [3, 4]), Picker(Drawing(1.0), [3, 4])
    narrow, wide = ([pick(scores).tolist() for _ in range(200)] for pick in (two, free))
    assert {first for first, _ in narrow} == {1, 2}
    assert {second for _, second in narrow} == {0, 2}
    assert {first for first, _ in wide} == {0, 1, 2, 3}
    # e^3 / (e^0 + e^1 + e^2 + e^3) = 0.6439; 200 draws stay within four standard deviations
    assert (
        abs(sum(first == 1 for first, _ in wide) / 200 - 0.6439) < 4 * (0.644 * 0.356 / 200) ** 0.5
    )


def test_a_row_whose_scores_are_no_numbers_is_told_from_the_others() -> None:
    pick = Picker(Drawing(1.0), [1, 2, 3])
    pick(torch.zeros(3, 4))
    assert pick.sound.tolist() == [True, True, True]
    pick(torch.tensor([[0.0, 1.0], [float("nan"), 0.0], [float("inf"), 0.0]]))
    pick(torch.zeros(3, 4))
    assert pick.sound.tolist() == [True, False, False]


@pytest.mark.parametrize("family", FAMILIES)
def test_transformers_describes_by_the_same_checkpoints(
    family: str, checkpoint: Callable[..., Path], picture_folder: Path
) -> None:
    def model(**options: Any) -> TransformersVLM:
        return TransformersVLM(str(checkpoint(family)), max_new_tokens=5, **options)

    greedy = model()
    assert greedy.record()["layout"]["name"] == {"emu3": "inline", "janus": "template"}[family]
    assert greedy.record()["pictures_reused"] == "yes"
    batch = rows_for_text(picture_folder)[:3]
    texts = replies(greedy, batch)
    assert [replies(greedy, [row])[0] for row in batch] == texts
    assert replies(model(reuse_gb=0), batch) == texts
    drawn = replies(model(do_sample=True, seed=1), batch)
    assert drawn != texts
    assert replies(model(do_sample=True, seed=2), batch) != drawn
    if family == "janus":
        encoded = greedy._encoder.encode([greedy.prompt(batch[0]["messages"])])  # type: ignore[list-item]
        text = greedy._processor.tokenizer.decode(encoded.inputs["input_ids"][0])
        assert text.startswith(f"<s>{tiny_drawers.SYSTEM}")


def test_a_size_means_what_it_says(checkpoint: Callable[..., Path]) -> None:
    model, processor = tiny_drawers.build("emu3")
    from cobsat.models.emu3_drawing import Emu3Drawing

    usual = Emu3Drawing(model, processor, Canvas())
    assert usual.opening == "<|image start|>64*64<|image token|>"
    assert usual.count == 64 * 65 + 3
    assert usual.record() == {"size": [512, 512], "picture_area": 65536, "negative_prompt": ""}
    seen = processor.image_processor([Image.new("RGB", (512, 512))], return_tensors="pt")
    assert seen["image_sizes"].tolist() == [[256, 256]]
    # four demonstrations of 32 rows of 33 and 10 more, and a picture: within Emu3's 9,216 tokens
    assert 4 * (32 * 33 + 10) + usual.count < 9216 - 500
    published = Emu3Drawing(model, processor, Canvas(image_area=720 * 720))
    assert published.opening == "<|image start|>90*90<|image token|>"
    assert load(checkpoint("emu3")).record()["drawing"]["size"] == [32, 24]
    assert EMU3_SIZE["image_area"] == 32 * 24
