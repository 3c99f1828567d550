"""A fixture as a pytest module; ``runtime`` is the import path of generated tests, for ever."""
