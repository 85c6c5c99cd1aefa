"""One question a file: `measure(lab)` gives the section of the results, `tables(section)` its Markdown.

A section has only what was run and every single row; all figures are computed from it when it is shown.
"""
