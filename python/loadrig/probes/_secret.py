"""Passwords: from the environment or a file that the plan names; never from a command line, never kept."""

import os
from pathlib import Path

from loadrig.probes._session import Unavailable

CODE = "probe.secret"


def secret(probe: str, env: str | None, file: str | None, base: Path) -> str | None:
    """The password for a probe, or None where the plan names none.

    env: name of an environment variable; file: a path, relative to the plan's folder, whose first line is
    the password. Raises Unavailable if the variable is not set or the file may not be read.
    """
    if env is not None:
        value = os.environ.get(env)
        if value is None:
            raise Unavailable(
                f"the environment variable {env} that holds its password is not set",
                f"export {env}=…, or name a file by password_file of the probe {probe}",
                CODE,
            )
        return value
    if file is None:
        return None
    path = base / file
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise Unavailable(
            f"the file of its password, {path}, cannot be read: {why}",
            f"correct password_file of the probe {probe}",
            CODE,
        ) from None
    return text.partition("\n")[0].rstrip("\r")
