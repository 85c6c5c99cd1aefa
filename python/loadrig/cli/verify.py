"""`loadrig verify RUN`: whether the files of a run are what they were when they were sealed."""

import argparse
import json
from pathlib import Path

from loadrig.base.columns import width
from loadrig.base.errors import PlanError
from loadrig.base.exits import Exit
from loadrig.base.printable import printable
from loadrig.base.units import show
from loadrig.language.choice import texts_of
from loadrig.language.en.cli import CliVerifyTexts
from loadrig.language.en.errors.cli import CliVerifyErrors
from loadrig.language.labels import counted
from loadrig.recording import checking
from loadrig.recording.checking import Findings

TEXTS, ERRORS = texts_of(CliVerifyTexts), texts_of(CliVerifyErrors)

HELP = """
Check that the files of a run are what they were when they were sealed; nothing is changed.

  loadrig verify runs/2025-01-31-120000-shop                  every file of a run and of its trials
  loadrig verify runs/2025-01-31-120000-shop/trials/0003      one trial of the run
  loadrig verify runs/2025-01-31-120000-shop --json | jq .    the same for a machine

Each file is read and compared with the SHA-256 in SEALED. A file that was changed or cut, is missing or
came later is named. A trial without a seal is named too, and is no damage: its rig was killed in it.

Exit codes: 0 all that is sealed is whole, 111 damaged, 112 nothing is sealed (a page may be there, and be
whole: it is no part of what was measured), 104 not the folder of a run.
"""

SCHEMA = "loadrig.verify/1"

FIRST_COLUMN = 10
"""Width of the column that says what is wrong with a file, in columns of a terminal."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options: which run, and how the answer is shown."""
    add = parser.add_argument
    add("run", metavar="RUN", help="folder of a run, or of one of its trials")
    add("--json", action="store_true", help="print what was found as JSON (default: as text)")


def run(arguments: argparse.Namespace) -> int:
    """Check, print the answer, and return its exit code."""
    folder = Path(arguments.run)
    findings = _checked(folder)
    code = _exit(findings)
    if arguments.json:
        print(json.dumps(document(folder, findings), indent=1))
    else:
        print(printable("\n".join(lines(folder, findings))))
    return code


def document(folder: Path, findings: Findings) -> dict[str, object]:
    """Return the findings for a machine: schema loadrig.verify/1."""
    return {
        "schema": SCHEMA,
        "run": str(folder),
        "verdict": VERDICTS[_exit(findings)],
        "checked": {"files": findings.files, "bytes": findings.size},
        "troubles": [
            {"file": trouble.file, "kind": trouble.kind, "text": trouble.text}
            for trouble in findings.troubles
        ],
        "unsealed": [{"path": path or ".", "why": why} for path, why in findings.unsealed.items()],
    }


VERDICTS = {Exit.FINE: "whole", Exit.VOID: "damaged", Exit.UNDECIDED: "unsealed"}
"""Verdicts of the JSON by exit code."""


def lines(folder: Path, findings: Findings) -> list[str]:
    """Return the findings for a person.

    First comes what is wrong, then what could not be checked, then the sum.
    """
    texts = [f"{_first(trouble.word)} {trouble.file}: {trouble.text}" for trouble in findings.troubles]
    texts += [f"{_first(TEXTS.not_sealed)} {path or '.'}: {why}" for path, why in findings.unsealed.items()]
    if texts:
        texts.append("")
    checked = f"{counted(findings.files, 'file')}, {show(findings.size, 'B')}"
    code = _exit(findings)
    if code == Exit.UNDECIDED:
        texts.append(TEXTS.no_file_run(str(folder)))
    elif code == Exit.FINE:
        rest = TEXTS.what_not_sealed if findings.unsealed else ""
        texts.append(TEXTS.all_sealed_whole(str(folder), checked, rest))
    else:
        count = len(findings.troubles)
        summary = TEXTS.file_not_sealed if count == 1 else TEXTS.files_not_they(str(count))
        texts += [
            TEXTS.folder_of(str(folder), summary, checked),
            TEXTS.mend_restore_folder,
        ]
    return texts


def _first(word: str) -> str:
    """Return a word filled up to the width of the first column."""
    return word + " " * (FIRST_COLUMN - width(word))


def _exit(findings: Findings) -> Exit:
    if findings.troubles:
        return Exit.VOID
    return Exit.FINE if findings.sealed else Exit.UNDECIDED


def _checked(folder: Path) -> Findings:
    try:
        findings = checking.check(folder)
    except OSError as error:
        raise _not_a_run(folder, error.strerror or str(error)) from None
    except ValueError as error:  # a zero byte in the name
        raise _not_a_run(folder, str(error)) from None
    if findings is None:
        raise _not_a_run(folder, ERRORS.no_file_of_a_run)
    return findings


def _not_a_run(folder: Path, why: str) -> PlanError:
    return PlanError.of(ERRORS.not_a_run(str(folder), why), code="report.not-a-run")
