"""A server's log in a recording: without secrets, and every other byte as the server wrote it."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from loadrig.base import known_secrets
from loadrig.base.errors import VoidError
from loadrig.base.masks import mask_but_holes, masked_text
from loadrig.recording import logs
from loadrig.recording.layout import TrialFolder

PLAIN = b"GET /items/42 200\r\n\xff\xfe not text\n\nlast line without an end"


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins without secrets, and leaves none to others."""
    monkeypatch.setattr(known_secrets, "_shown_by_form", {})
    monkeypatch.setattr(known_secrets, "_pattern", None)


def cleaned(folder: Path, content: bytes) -> bytes:
    """Return what is left of a log in a trial's folder."""
    trial = TrialFolder(folder)
    trial.target_log.write_bytes(content)
    logs.without_secrets(trial)
    assert [path.name for path in folder.iterdir()] == [trial.target_log.name]
    return trial.target_log.read_bytes()


def test_a_log_without_secrets_stays_as_it_is(tmp_path: Path) -> None:
    log = TrialFolder(tmp_path).target_log
    log.write_bytes(PLAIN)
    before = log.stat().st_ino
    assert cleaned(tmp_path, PLAIN) == PLAIN
    assert log.stat().st_ino == before


def test_only_secrets_go(tmp_path: Path) -> None:
    known_secrets.learn("tok-12345", "{env:TOKEN}")
    content = PLAIN + b"\nis tok-12345\nSet-Cookie: sid=Zq7; Path=/\n" + PLAIN
    assert cleaned(tmp_path, content) == PLAIN + b"\nis {env:TOKEN}\nSet-Cookie: ***\n" + PLAIN
    assert stat.S_IMODE(TrialFolder(tmp_path).target_log.stat().st_mode) == 0o600


def test_a_log_that_cannot_be_written_anew_is_left_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(lines: object, count: object) -> Iterator[str]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(logs, "islice", fails)
    with pytest.raises(VoidError):
        cleaned(tmp_path, b"password=Zq7\n")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"password=Zq7\n"]


names = st.sampled_from(
    ("password", "PGPASSWORD", "db_pwd", "x-api-key", "sid-cookie", "access_token", "signature", "X-Sig",
     "pin", "otp", "jwt", "SENTRY_DSN", "salt", "nonce", "creds", "psk", "auth", "private", "license", "sas",
     "pw")
)  # fmt: skip
tokens = st.sampled_from(
    ("eyJhbGciOiJI.eyJzdWIi.c2ln", "ghp_abcdef", "github_pat_ab", "glpat-ab1", "sk-abcdefgh1", "sk_live_1",
     "rk_test_1", "xoxb-1", "AKIAABCDEFGHIJ12", "ASIAABCDEFGHIJ12", "AIza" + "b" * 20, "hf_abcdefgh",
     "npm_" + "b" * 20, "SG.a.b", "pypi-" + "b" * 16, "dop_v1_ab", "b3" * 16, "aB3dE5gH7jK9mN1pQ3sT")
)  # fmt: skip
lines = st.one_of(
    st.tuples(names, st.sampled_from(("=", ": ", " => ")), st.text("ghjkqvxz7", min_size=1)).map("".join),
    tokens,
    st.text("ghjkqvxz7", min_size=1).map(lambda word: f"redis://u:{word}@h/0"),
    st.text("ghjkqvxz7", min_size=1).map(lambda word: f"Bearer {word}"),
)


@example("-----BEGIN KEY-----")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines)
def test_no_form_of_a_secret_is_passed_over_to_save_time(line: str) -> None:
    bare = masked_text(line, mask_but_holes)
    assert bare != line
    assert logs._bare(line) == bare
