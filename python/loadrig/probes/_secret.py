"""Passwords: from the environment or a file that the plan names; never from a command line, never kept."""

from pathlib import Path

from loadrig.base import secret_sources
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_watch import ProbesSecretErrors
from loadrig.probes._session import Unavailable

ERRORS = texts_of(ProbesSecretErrors)


def secret(probe: str, env: str | None, file: str | None, base: Path) -> str | None:
    """Return the password for a probe; None where the plan names none.

    env: name of an environment variable; file: a path, relative to the plan's folder, whose first line is
    the password. Raises Unavailable if the variable is not set or the file may not be read.
    """
    if env is not None:
        try:
            return secret_sources.of_variable(env)
        except secret_sources.NoSecret:
            raise Unavailable.of(ERRORS.variable_not_set(env, probe), code="probe.secret") from None
    if file is None:
        return None
    try:
        text = secret_sources.of_file(base / file)
    except secret_sources.NoSecret as why:
        raise Unavailable.of(
            ERRORS.file_unreadable(str(base / file), why.reason, probe), code="probe.secret"
        ) from None
    return text.partition("\n")[0].rstrip("\r")
