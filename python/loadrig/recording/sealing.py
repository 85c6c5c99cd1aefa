"""The seal of a trial: the folder is complete, and these are its files.

SEALED is written last. It holds the size and the SHA-256 of every file that the folder had, so
that anybody can see that nothing was written afterwards. The trial's result.json is no part of it:
it is made from the sealed files alone and may be made again; the seal of the run holds it (run_seal.py).
"""

from loadrig.base import private
from loadrig.recording import seals
from loadrig.recording.files import making, write_json
from loadrig.recording.layout import TrialFolder


def seal(folder: TrialFolder) -> None:
    """Make every file of the folder read-only and write SEALED. Raises VoidError."""
    files, others = _files(folder)
    with making(folder.seal):
        facts = {name: seals.facts_of(folder.path / name) for name in files}
        for name in files:
            (folder.path / name).chmod(private.SEALED_MODE)
    write_json(folder.seal, seals.Seal(facts, others=others).to_json())
    with making(folder.seal):
        folder.seal.chmod(private.SEALED_MODE)


def _files(folder: TrialFolder) -> tuple[list[str], tuple[str, ...]]:
    """Return the paths of the folder's regular files, and of its other entries that are no folders.

    The others are links, sockets and pipes.
    """
    own = {folder.seal, folder.result}
    files, others = [], []
    for path in sorted(folder.path.rglob("*")):
        name = str(path.relative_to(folder.path))
        if path.is_file() and not path.is_symlink():
            if path not in own:
                files.append(name)
        elif path.is_symlink() or not path.is_dir():
            others.append(name)
    return files, tuple(others)
