"""Folders of the rig: for what it must not forget (leases, the calibration), and for what can be made again.

Every command asks for it before its first request, so nothing but `os` is imported at the top.
"""

import os


def folder() -> str:
    """The path $XDG_STATE_HOME/loadrig, else ~/.local/state/loadrig; not created by asking.

    Where that lies in another user's home, as root is told by some settings of sudo, the home that the
    password database gives this user counts: what the other user can move away is no place for it.
    """
    return _own("XDG_STATE_HOME", ".local", "state")


def cache() -> str:
    """The path $XDG_CACHE_HOME/loadrig, else ~/.cache/loadrig, of what can be made again; as `folder`.

    Programs lie there that are run, so another user's home is no place for it either.
    """
    return _own("XDG_CACHE_HOME", ".cache")


def _own(variable: str, *below: str) -> str:
    told = os.path.join(os.environ.get(variable) or os.path.join(os.path.expanduser("~"), *below), "loadrig")
    if _owner_of_nearest(told) in (0, os.geteuid()):
        return told
    import pwd

    try:
        own = pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:  # a container's user without an entry
        return told
    return os.path.join(own, *below, "loadrig")


def _owner_of_nearest(path: str) -> int:
    """The user to whom a path belongs, or the folder in which it would be made."""
    while True:
        try:
            return os.stat(path).st_uid
        except OSError:
            above = os.path.dirname(path)
            if above in ("", path):
                return os.geteuid()
            path = above
