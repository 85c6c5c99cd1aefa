"""Ledger of runs: a line of JSON for each, appended as it ends, so that nothing is run twice."""

import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]


class BenchLedger:
    """The file, and the folder of each run beside it. folder: made if it is not there."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._path = folder / "ledger.jsonl"
        self.rows: dict[str, Row] = {}
        if self._path.exists():
            for line in self._path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self.rows[row["key"]] = row  # the last one counts

    def add(self, row: Row) -> None:
        """Write a row down; it takes the place of an earlier one of its key."""
        self.rows[row["key"]] = row
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
