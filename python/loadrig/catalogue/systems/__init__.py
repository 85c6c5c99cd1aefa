"""Systems whose knobs are known: one file a system, its name is the first half of `gunicorn.workers`.

A member's docstring says what the system is; it has

    TITLE: str                         how its own people write it
    KNOBS: Mapping[str, Entry]         by the name that the system uses
"""
