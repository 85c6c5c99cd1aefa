"""One question a file: `measure(lab)` gives all that was measured, `tables(summary)` its Markdown.

What was measured has every single row and stays on the machine. `summarise(measured)` gives what the tables
need of it, which is kept in git; a mode without it has few rows, of which its tables need all.
"""
