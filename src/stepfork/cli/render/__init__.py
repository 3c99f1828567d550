"""Result values as text: every string is escaped, nothing is decided."""
