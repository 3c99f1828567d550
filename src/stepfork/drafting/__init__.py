"""A fixture as a pytest module: the tests that are drafted and exported, and how their values are written."""
