"""Wire dialects: what a model provider's bodies and event streams say. Pure functions over values."""
