"""Fine-tuning and training: scripts, one command each."""
