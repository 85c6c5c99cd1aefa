"""Changes of a killed rig that it could not undo: the next command undoes them first.

A server that stands still for a fifth of the time cannot wait for `loadrig doctor --clean`, as a process or
a group that is of no use to anybody can.
"""

import os
import sys

from loadrig.base import state
from loadrig.language.choice import texts_of
from loadrig.language.en.cli import CliLeftOverTexts

TEXTS = texts_of(CliLeftOverTexts)


def change_back() -> None:
    """Undo the changes of rigs that are dead; print one line to standard error for each."""
    if not _is_any():
        return
    from loadrig.base import leases
    from loadrig.base.leased import CHANGE
    from loadrig.base.printable import in_one_line

    for lease in leases.stale():
        if not lease.is_of_change:
            continue
        undone = leases.undo(lease)
        if undone.left:
            not_undone = "; ".join(undone.left)
            print(in_one_line(TEXTS.killed_rig_not(str(lease), not_undone)), file=sys.stderr)
        elif undone.done or lease.kind == CHANGE:
            print(in_one_line(TEXTS.killed_rig_undone(str(lease))), file=sys.stderr)


def _is_any() -> bool:
    """Return whether there may be such a change.

    It looks at the names of files alone, as base.leases takes 4 ms to import.
    """
    try:
        with os.scandir(os.path.join(state.folder(), "leases")) as entries:
            return any(entry.name.startswith("change-") for entry in entries)
    except OSError:
        return False
