"""The pytest plugin: no chain goes unevaluated, and tests marked ``stepfork`` are played back or recorded."""
