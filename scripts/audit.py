"""Audit of what loadrig is made of: licences, sources and known vulnerabilities, a line for each check.

    scripts/audit.sh               what is wrong fails; what could not be checked is said
    scripts/audit.sh --strict      what could not be checked fails too

A database that cannot be reached is neither a pass nor a failure: the check is NOT CHECKED, with the reason,
and the last line counts such checks. cargo-deny keeps a copy of RustSec's database in cargo's home; where the
database cannot be reached, that copy is used and the line says so.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOUSE = Path(__file__).resolve().parents[1]

PASSED, FAILED, UNKNOWN = "passed", "FAILED", "NOT CHECKED"

PATIENCE_S = 300
"""Seconds for one call of a tool. The whole of RustSec's database is fetched in far less."""

MOST_LINES = 20
"""Lines of a check that are printed. Who wants more runs the tool by itself."""

LONGEST = 300
"""Characters of a tool's complaint."""

APART = {
    "peers": "it is installed apart: scripts/peers.sh",
    "site": "it is installed apart: make site",
    "wheels": "it is installed apart: make wheels",
}
"""Locks whose packages are not in .venv but in a place of their own, and what installs them there."""

MANIFESTS = ("Cargo.toml", "fuzz/Cargo.toml")
"""Both workspaces: the program and its fuzzers."""


@dataclass(frozen=True)
class AuditCheck:
    """A check and what it came to. lines: what is wrong, or why it could not be checked."""

    name: str
    came_to: str
    lines: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The check as it is printed."""
        return "\n".join((f"{self.came_to:<12} {self.name}", *(f"{'':12} {line}" for line in self.lines)))


@dataclass(frozen=True)
class AuditAnswer:
    """Answer of a tool. code: its exit code, or None where it did not start or did not end."""

    code: int | None
    out: str
    err: str


def call(*words: str | Path) -> AuditAnswer:
    """Run a tool in the checkout. It never asks for anything on a terminal."""
    quiet = {"GIT_TERMINAL_PROMPT": "0", "NO_COLOR": "1", "TERM": "dumb"}
    try:
        ended = subprocess.run(
            [str(word) for word in words],
            cwd=HOUSE, env={**os.environ, **quiet}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=PATIENCE_S,
        )  # fmt: skip
    except OSError as error:
        return AuditAnswer(None, "", f"{words[0]}: {error.strerror}")
    except subprocess.TimeoutExpired:
        return AuditAnswer(None, "", f"{words[0]} did not end within {PATIENCE_S} s")
    return AuditAnswer(ended.returncode, ended.stdout, ended.stderr)


def documents(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON objects of a text, one a line. Lines that are none are left out."""
    for line in text.splitlines():
        try:
            document = json.loads(line)
        except ValueError:
            continue
        if isinstance(document, dict):
            yield document


def of_cargo_deny(name: str, answer: AuditAnswer) -> AuditCheck:
    """Return what cargo-deny came to. Without its summary it has not looked, whatever its exit code."""
    wrong, logs, has_looked = [], [], False
    for document in documents(answer.err):
        fields = document.get("fields", {})
        if document.get("type") == "summary":
            has_looked = True
        elif document.get("type") == "diagnostic" and fields.get("severity") == "error":
            spans = " ".join(str(label.get("span", "")) for label in fields.get("labels", ()))
            advisory = (fields.get("advisory") or {}).get("id", "")
            wrong.append(" ".join(f"{advisory} {spans}: {fields.get('message', '')}".split()))
        elif document.get("type") == "log" and fields.get("level") == "ERROR":
            # The last line is git's own word; those before it are the call that was made.
            logs.append((str(fields.get("message", "")).strip().splitlines() or [""])[-1][:LONGEST])
    if wrong:
        return AuditCheck(name, FAILED, tuple(wrong))
    if has_looked and answer.code == 0:
        return AuditCheck(name, PASSED)
    return AuditCheck(name, UNKNOWN, tuple(logs) or last_line(answer))


def of_pip_audit(name: str, answer: AuditAnswer) -> AuditCheck:
    """Return what pip-audit came to. A package that the database does not know has not been checked."""
    try:
        packages = json.loads(answer.out)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return AuditCheck(name, UNKNOWN, last_line(answer))
    wrong = [
        f"{package['name']} {package['version']}: {hole['id']}, mended in"
        f" {', '.join(hole['fix_versions']) or 'no version yet'}"
        for package in packages
        for hole in package.get("vulns", ())
    ]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    unknown = f"database unreachable, or without {len(skipped)} of {len(packages)} packages:" + (
        f" {', '.join(skipped[:5])}{' …' if len(skipped) > 5 else ''}"
    )
    if wrong:
        return AuditCheck(name, FAILED, (*wrong, *([unknown] if skipped else [])))
    if skipped or not packages:
        return AuditCheck(name, UNKNOWN, (unknown,))
    # Exit code 1 with nothing found would be a contradiction: the tool is not believed then.
    return AuditCheck(name, PASSED) if answer.code == 0 else AuditCheck(name, UNKNOWN, last_line(answer))


def of_licences(name: str, answer: AuditAnswer) -> AuditCheck:
    """Return what scripts/licences.py came to."""
    if answer.code == 0:
        return AuditCheck(name, PASSED)
    if answer.code is None or not answer.out:
        return AuditCheck(name, UNKNOWN, last_line(answer))
    return AuditCheck(name, FAILED, tuple(answer.out.splitlines()))


def last_line(answer: AuditAnswer) -> tuple[str, ...]:
    """Return the last line of a tool's complaint: of a traceback the one that says what happened."""
    lines = [line.strip() for line in answer.err.splitlines() if line.strip()]
    return (lines[-1][:LONGEST] if lines else f"the tool ended with {answer.code} and said nothing",)


def crates(deny: Path, manifest: str) -> Iterator[AuditCheck]:
    """Yield the checks of a workspace of crates."""

    def check(*what: str, offline: bool = False) -> AuditAnswer:
        switches = ["--offline"] if offline else []
        return call(
            deny, "--manifest-path", manifest, "--config", "deny.toml", "--locked", "--format", "json",
            *switches, "check", "--hide-inclusion-graph", *what,
        )  # fmt: skip

    yield of_cargo_deny(f"licences, sources and bans of {manifest}", check("licenses", "sources", "bans"))
    name = f"advisories of {manifest}"
    advisories = of_cargo_deny(name, check("advisories"))
    if advisories.came_to == UNKNOWN:
        from_copy = of_cargo_deny(name, check("advisories", offline=True))
        if from_copy.came_to != UNKNOWN:
            note = "database unreachable: checked against the copy of an earlier run"
            advisories = AuditCheck(from_copy.name, from_copy.came_to, (note, *from_copy.lines))
        else:
            advisories = AuditCheck(name, UNKNOWN, ("database unreachable", *advisories.lines))
    yield advisories


def packages(tools: Path) -> Iterator[AuditCheck]:
    """Yield the checks of the Python packages, by the interpreter into which each lock was installed."""
    for lock in sorted((HOUSE / "locks").glob("*.txt")):
        path, apart = f"locks/{lock.name}", tools.parent.parent / lock.stem / "bin" / "python"
        if lock.stem in APART and not apart.exists():
            yield AuditCheck(f"licences of {path}", UNKNOWN, (APART[lock.stem],))
        else:
            python = apart if lock.stem in (*APART, "audit") else Path(sys.executable)
            yield of_licences(f"licences of {path}", call(python, "scripts/licences.py", path))
        yield of_pip_audit(
            f"advisories of {path}",
            call(
                tools / "pip-audit", "--format", "json", "--progress-spinner", "off", "--disable-pip",
                "--require-hashes", "--requirement", path,
            ),
        )  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Make every check, print a line each, return the exit code."""
    parser = argparse.ArgumentParser(
        prog="scripts/audit.sh", description="licences, sources, vulnerabilities"
    )
    parser.add_argument("--tools", type=Path, required=True, help="folder with cargo-deny and pip-audit")
    parser.add_argument("--strict", action="store_true", help="fail where something could not be checked")
    options = parser.parse_args(arguments)
    checks: list[AuditCheck] = []
    for manifest in MANIFESTS:
        for check in crates(options.tools / "cargo-deny", manifest):
            checks.append(check)
            show(check)
    for check in packages(options.tools):
        checks.append(check)
        show(check)
    return verdict(checks, is_strict=options.strict)


def show(check: AuditCheck) -> None:
    """Print a check, its first lines in full."""
    print("audit:", AuditCheck(check.name, check.came_to, check.lines[:MOST_LINES]).text, flush=True)


def verdict(checks: Sequence[AuditCheck], *, is_strict: bool) -> int:
    """Print what all came to, and return the exit code."""
    failed = sum(check.came_to == FAILED for check in checks)
    unknown = sum(check.came_to == UNKNOWN for check in checks)
    print(f"audit: {len(checks)} checks, {failed} failed, {unknown} NOT CHECKED")
    return 1 if failed or (is_strict and unknown) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
