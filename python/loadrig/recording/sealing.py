"""The seal of a trial: the folder is complete, and this is what was in it.

SEALED is written last. It holds the size and the SHA-256 of every file that the folder had, so
that anybody can see that nothing was written afterwards. The trial's result.json is no part of it:
it is made from the sealed files alone and may be made again; the seal of the run holds it (run_seal.py).
"""

from loadrig.base import private
from loadrig.recording import checking, seals
from loadrig.recording.files import making, write_json
from loadrig.recording.layout import TrialFolder


def seal(folder: TrialFolder) -> None:
    """Make every file of the folder read-only and write SEALED. Raises VoidError."""
    files = _files(folder)
    with making(folder.seal):
        facts = {name: seals.facts_of(folder.path / name) for name in files}
        for name in files:
            (folder.path / name).chmod(private.SEALED_MODE)
    write_json(folder.seal, seals.Seal(facts).to_json())
    with making(folder.seal):
        folder.seal.chmod(private.SEALED_MODE)


def altered(folder: TrialFolder) -> list[str]:
    """Names of files that came, went or changed since the folder was sealed; empty if all is well.

    Raises FileNotFoundError if it is not sealed.
    """
    found = checking.check_trial(folder)
    if found.unsealed:
        raise FileNotFoundError(folder.seal)
    return sorted(trouble.file for trouble in found.troubles)


def _files(folder: TrialFolder) -> list[str]:
    own = {folder.seal, folder.result}
    found = (path for path in folder.path.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(str(path.relative_to(folder.path)) for path in found if path not in own)
