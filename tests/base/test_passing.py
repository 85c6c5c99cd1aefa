"""Folders for passing data: removed, whoever writes a last file into them."""

import errno
from pathlib import Path

import pytest

from loadrig.base import leases, own_files, passing


@pytest.mark.parametrize(("refusals", "is_gone"), [(3, True), (1_000, False)])
def test_a_folder_into_which_a_program_that_ends_still_writes_is_tried_again(
    refusals: int, is_gone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that comes after its folder was listed makes the removal fail: that is injected."""
    remove_tree, tries = own_files.remove_tree, iter(range(refusals))

    def removed_late(path: Path) -> None:
        if next(tries, None) is not None:
            raise OSError(errno.ENOTEMPTY, "Directory not empty")
        remove_tree(path)

    monkeypatch.setattr(own_files, "remove_tree", removed_late)
    monkeypatch.setattr(passing, "REMOVED_WITHIN_S", 0.3)
    with passing.folder("ray", tmp_path) as folder:
        (folder / "session").mkdir()
    assert folder.exists() is not is_gone
    noted = [lease for lease in leases.listed() if str(folder) in str(lease.facts)]
    assert bool(noted) is not is_gone
    for lease in noted:
        lease.end()
