"""Every series of a trial as Parquet (zstd): the rows of the format `csv`, in columns.

## What is written

`t_ns` int64 (nanoseconds since 1970), `component`, `probe`, `metric`, `subject` strings, `value`
float64: as in
[CSV](#csv), without the columns `unit` and `kind`, which are those of the [probes](probes.md).

## Who reads it

DuckDB (`SELECT * FROM 'series.parquet'`), pandas, Polars, Spark, ClickHouse.

## What is missing

As of `csv`.
"""

import shutil
import tempfile
from itertools import groupby, islice
from pathlib import Path
from typing import BinaryIO

from loadrig.base.series import Sample
from loadrig.exporters._rows import series_rows
from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts
from loadrig.recording import series_store

TITLE = texts_of(ExportersTexts).parquet
FILE = "series.parquet"

ROWS_A_BATCH = 10_000
"""Number of rows that are held at once: about 3 MB of Python objects."""


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write the rows into a file of its own, as Parquet ends with its index, and then copy that."""
    with tempfile.TemporaryDirectory(prefix="loadrig-export-") as name:
        stream, parquet = Path(name, "series.arrow"), Path(name, FILE)
        writer = series_store.SeriesStream(stream)
        rows = series_rows(trial)
        while batch := list(islice(rows, ROWS_A_BATCH)):
            for component, of_component in groupby(batch, lambda row: row.component):
                samples = [
                    Sample(row.t_ns, row.probe, row.metric, row.subject, float(row.value))
                    for row in of_component
                ]
                writer.add(samples, component)
            writer.flush()
        writer.close()
        series_store.compact(stream, parquet)
        with parquet.open("rb") as file:
            shutil.copyfileobj(file, out)
