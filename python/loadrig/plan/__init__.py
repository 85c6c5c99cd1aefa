"""Plans: read from a file with the places of all values, filled in, checked, and frozen.

    text -> syntax (nodes with places) -> reader (objects) -> build (the plan's own terms) -> checks

`load.load` is the way in. `model` is what the rest of the house sees, and the declaration of what
may be written; the JSON Schema (`schema`), the reference page (`reference`) and the sentences
(`explain`) are made from the same classes.
"""
