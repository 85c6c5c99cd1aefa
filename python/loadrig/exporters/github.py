"""Annotations of GitHub Actions: workflow commands, a line each.

## What is written

`::error`, `::warning` or `::notice` with a title: the answer, each goal that was missed (error) or
could not be
decided (warning), and what disturbed the trial.

## Who reads it

The runner of GitHub Actions (and of Gitea and Forgejo), from a step's standard output:
`loadrig export RUN --to github -o -`.

## What is missing

Goals that were met: `junit` has them. GitHub shows ten annotations of each kind for a step.
"""

from typing import BinaryIO

from loadrig.exporters._remarks import remarks
from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts

TITLE = texts_of(ExportersTexts).github
FILE = "annotations.txt"

_IN_TEXT = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_TITLE = _IN_TEXT | str.maketrans({":": "%3A", ",": "%2C"})
"""Signs that end a text or a property. Source: `command.ts` of actions/toolkit."""


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write a command for each statement."""
    for remark in remarks(trial):
        title = f"{trial.name}: {remark.name}".translate(_IN_TITLE)
        out.write(f"::{remark.level} title={title}::{remark.text.translate(_IN_TEXT)}\n".encode())
