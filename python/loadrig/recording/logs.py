"""Logs of other programs in a trial's folder, without the secrets that are known or that have a form.

A server prints what it likes into its log, and may print a secret. Secrets are taken out once the server has
ended, before the folder is sealed; until then the log is as the server wrote it, and the owner's alone.
"""

import re
from itertools import islice
from pathlib import Path
from typing import TextIO

from loadrig.base import known_secrets, private
from loadrig.base.masks import mask_but_holes, masked_text
from loadrig.recording.files import making
from loadrig.recording.layout import TrialFolder

_TELLING = (
    # Words of which names of secrets are made.
    "pass", "pw", "secret", "token", "auth", "cookie", "cred", "bearer", "basic ", "digest ", "key",
    "session", "jwt", "dsn", "psk", "nonce", "salt", "otp", "pin", "priv", "licen", "sig", "sas",
    # Addresses with a login, keys, and marks that those who give out tokens put on them.
    "@", "-----begin", "eyj", "gho_", "ghp_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "sk-",
    "k_live_", "k_test_", "xox", "aiza", "akia", "asia", "hf_", "npm_", "sg.", "pypi-", "dop_",
)  # fmt: skip
"""Texts in small letters of which a line must hold one, so that its form may give away a secret. To look for
these takes a few microseconds; to look for each form takes a hundred, and an access log has a million
lines."""

_LONG_RUN = re.compile(r"[A-Za-z0-9+_-]{20}")
"""Pattern of a run of letters and digits that may be drawn at random."""


def without_secrets(folder: TrialFolder) -> None:
    """Take secrets out of the logs and the written configuration files of a trial. Raises VoidError."""
    for log in (folder.target_log, folder.engine_log):
        if log.is_file():
            _rewrite(log)
    if folder.written_files.is_dir():
        for path in sorted(folder.written_files.iterdir()):
            if path.is_file() and not path.is_symlink():
                _rewrite(path)


def _rewrite(path: Path) -> None:
    """Write a file anew if that changes it; most files hold no secret, and are only read."""
    with making(path), _opened(path) as lines:
        first = next((number for number, line in enumerate(lines) if _bare(line) != line), None)
    if first is None:
        return
    draft = path.with_name(f".{path.name}.draft")
    with making(path):
        try:
            with (
                _opened(path) as lines,
                open(
                    draft, "w", encoding="utf-8", errors="surrogateescape", newline="", opener=private.opener
                ) as clean,
            ):
                clean.writelines(islice(lines, first))
                clean.writelines(map(_bare, lines))
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise


def _opened(path: Path) -> TextIO:
    """Open a text so that every byte of it comes back, whatever its encoding."""
    return open(path, encoding="utf-8", errors="surrogateescape", newline="")


def _bare(line: str) -> str:
    text = known_secrets.hidden(line)
    return masked_text(text, mask_but_holes) if _may_tell(text) else text


def _may_tell(line: str) -> bool:
    small = line.lower()
    return any(word in small for word in _TELLING) or _LONG_RUN.search(line) is not None
