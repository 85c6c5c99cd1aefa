"""What other programs wrote into a trial's folder, without the secrets that are known or that have a form.

A server prints what it likes into its log, and may print what it was given. That is taken out once the server
has ended, before the folder is sealed; until then the log is as the server wrote it, and the owner's alone.
"""

import re
from pathlib import Path
from typing import TextIO

from loadrig.base import known_secrets, private
from loadrig.base.masks import mask_but_holes, masked_text
from loadrig.recording.files import making
from loadrig.recording.layout import TrialFolder

_TELLING = re.compile(
    r"passw|passphrase|pwd|secret|token|auth|cookie|credential|bearer|basic |apikey|api[-_]key|session"
    r"|://\S*@|-----BEGIN|eyJ|[0-9a-fA-F]{32}",
    re.IGNORECASE,
)
"""What a line holds that may give away a secret by its form. To look for this takes a microsecond; to look
for each form takes fifty, and an access log has a million lines."""


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
    """Write a file anew, line by line, if that changes it; most hold no secret, and are only read."""
    with making(path), _opened(path) as lines:
        if not any(_bare(line) != line for line in lines):
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
                clean.writelines(map(_bare, lines))
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise


def _opened(path: Path) -> TextIO:
    """Open a text so that every byte of it comes back, whatever it is."""
    return open(path, encoding="utf-8", errors="surrogateescape", newline="")


def _bare(line: str) -> str:
    text = known_secrets.hidden(line)
    return masked_text(text, mask_but_holes) if _TELLING.search(text) else text
