"""The command line: one module a verb parses, calls a workflow, prints and chooses the exit code."""
