"""What changed in meaning between two fixtures: values in, values out; nothing is read, printed or decided here."""
