"""Folders of the rig: for what it must not forget (leases, the calibration), and for what can be made again.

Every command asks for it before its first request, so nothing but `os` is imported at the top.
"""

import os


def folder() -> str:
    """Return the path $XDG_STATE_HOME/loadrig, else ~/.local/state/loadrig; not created by asking.

    Where that lies in another user's home, as root is told by some settings of sudo, the home that the
    password database gives this user counts: a place that another user can move away is not safe.
    """
    return _own("XDG_STATE_HOME", ".local", "state")


def cache() -> str:
    """Return the path $XDG_CACHE_HOME/loadrig, else ~/.cache/loadrig, for files that can be made again.

    Asking does not create it. Programs lie there that are run, so another user's home is no place for it, as
    for `folder`.
    """
    return _own("XDG_CACHE_HOME", ".cache")


def _own(variable: str, *below: str) -> str:
    path = os.path.join(os.environ.get(variable) or os.path.join(os.path.expanduser("~"), *below), "loadrig")
    if _owner_of_nearest(path) in (0, os.geteuid()):
        return path
    import pwd

    try:
        own = pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:  # a container's user without an entry
        return path
    return os.path.join(own, *below, "loadrig")


def _owner_of_nearest(path: str) -> int:
    """Return the owner of a path, or of the folder in which it would be made."""
    while True:
        try:
            return os.stat(path).st_uid
        except OSError:
            above = os.path.dirname(path)
            if above in ("", path):
                return os.geteuid()
            path = above
