"""CoBSAT: text-to-image in-context learning, as a `datasets` builder and what belongs to it."""
