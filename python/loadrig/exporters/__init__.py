"""Formats in which a run is handed over: a file is a format, and its name is what `--to` takes.

A member has TITLE (the format in a few words), FILE (a usual name of such a file), and

    write(trial, out: BinaryIO) -> None       everything, in pieces, to a file that is open already

`trial` is an `ExportedTrial`. A member holds no more than a piece in memory. It writes nothing that the
recording does not say: where a format wants single requests, of which a recording has none, its rows are
marked as made of counts. Its docstring is its reference page: headings What is written, Who reads it,
What is missing.
"""

from loadrig.exporters._rows import SeriesRow, series_rows
from loadrig.exporters._trial import ExportedTrial, exported_trial

__all__ = ["ExportedTrial", "SeriesRow", "exported_trial", "series_rows"]
