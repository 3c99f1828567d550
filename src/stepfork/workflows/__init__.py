"""One module a verb: wires stages to stores and returns a result value. Knows no terminal."""
