"""Labels of a run, changed by several at once."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from loadrig.archive import labels
from loadrig.archive.labels import LabelsChange
from tests.archive.test_index import make_run


def test_of_changes_at_the_same_time_none_is_lost(tmp_path: Path) -> None:
    run = make_run(tmp_path, "shop")
    with ThreadPoolExecutor(8) as pool:
        for number in range(50):
            labels.change(run, LabelsChange(labels=(), is_pinned=False))
            list(pool.map(labels.change, [run] * 8, [
                LabelsChange(is_pinned=True) if worker % 2 else LabelsChange(labels=(f"night {number}",))
                for worker in range(8)
            ]))  # fmt: skip
            written = labels.read(run)
            assert written.is_pinned
            assert written.labels == (f"night {number}",)
    assert sorted(path.name for path in run.path.iterdir()) == ["labels.json", "ledger.jsonl"]
