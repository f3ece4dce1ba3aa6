"""MiniGPT-4: BLIP-2's eyes, one linear layer, and Vicuna; it describes and answers.

    cobsat run --model minigpt4 --tiny --config color_i-2shot --output description --limit 8
    cobsat convert minigpt4 prerained_minigpt4_7b.pth blip2-flan-t5-xxl/ vicuna-7b/ \
        --out checkpoints/minigpt4-7b
    cobsat predict --model minigpt4 --model-option checkpoint=checkpoints/minigpt4-7b \
        --config touchstone --images touchstone_20230831.tsv

Source: Zhu et al., "MiniGPT-4: Enhancing Vision-Language Understanding with Advanced Large
Language Models" (2023), written anew from its description and its published checkpoint's layout.
Put together it is transformers' `Blip2ForConditionalGeneration` with a LLaMA for its language
model. The versions on LLaMA-2, and MiniGPT-v2, have other parts and another prompt.

| file | what |
|---|---|
| `convert.py` | the published checkpoints, put together once |
| `prompts.py` | prompts as token ids with places for pictures |
| `system.py` | the parts together |
| `adapter.py` | the model under test |
| `tiny.py` | the real classes at tiny size, in memory |
"""
