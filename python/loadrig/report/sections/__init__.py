"""Parts of the report. A file is a section.

Each has ORDER (place in the report), TITLE, and `build(run: Run) -> Section | None`: None where the
run has nothing to say under that heading. A section may be as long as it needs; what belongs to
one picture stands in the room of figures. `run.per_trial` makes a section of blocks of each trial, and
`tables.table_of` a table column by column.
"""
