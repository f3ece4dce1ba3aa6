r"""Emu2: a LLaMA of 33 B that reads pictures as embeddings, and draws by saying the next ones.

    cobsat run --model emu2 --tiny --config color_i-2shot --limit 8
    cobsat convert emu2 Emu2-Gen --out checkpoints/emu2-gen
    cobsat run --model emu2 --model-option checkpoint=checkpoints/emu2-gen --config all-2shot
    cobsat convert emu2 Emu2-Chat --out checkpoints/emu2-chat
    cobsat run --model emu2 --model-option checkpoint=checkpoints/emu2-chat \
        --config all-2shot --output description

Source: Sun et al., "Generative Multimodal Models are In-Context Learners" (2023), written anew from
its description and its published checkpoints' layout. Three are published: Emu2 continues, Emu2-Gen
draws, Emu2-Chat talks. It is Emu, with a larger tower whose pooled patches are at once what the
language model reads and what it regresses, and an SDXL that draws from them.

| file | what |
|---|---|
| `bridge.py` | a picture to embeddings of the language model, and its state to the next of them |
| `convert.py` | the published checkpoints, converted once |
| `words.py` | Emu2's tokens |
| `system.py` | language model, bridge and decoder together |
| `adapter.py` | the model under test |
| `tiny.py` | the real classes at tiny size, in memory |

Prompts and replies are Emu's (`models/emu/`).
"""
