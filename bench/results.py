"""Where results go: one file a day and machine, a section for each benchmark."""

import json
import re
import subprocess
import time
from pathlib import Path
from typing import Any

from loadrig.trial.surroundings import look, machine

FOLDER = Path(__file__).parent / "results"


def write(section: str, content: dict[str, Any], folder: Path = FOLDER) -> Path:
    """Put a benchmark's section into today's file for this machine, in place of an earlier one."""
    facts = machine()
    words = re.findall(r"[a-z0-9]+", re.sub(r"\((r|tm)\)", " ", str(facts["cpu"]).lower()))
    name = "-".join(words[:4]) + f"-{facts['cores']}-cores"
    path = folder / f"{time.strftime('%Y-%m-%d')}_{name}.json"
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    document["machine"] = facts
    document[section] = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "commit": commit(),
        **_rounded(content),
    }
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def commit(root: Path = FOLDER.parents[1]) -> str:
    """Abbreviated commit of the code that is measured; `-dirty` is added where files differ from it.

    Empty where the checkout is no git repository, or git is missing.
    """
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--exclude=*", "--abbrev=7", "--dirty"],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return ""
    return described.stdout.strip()


def _rounded(value: Any) -> Any:
    """Six significant digits: no measurement here has more."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {name: _rounded(found) for name, found in value.items()}
    return [_rounded(found) for found in value] if isinstance(value, list | tuple) else value


def noise() -> list[str]:
    """What else runs on this machine, in sentences; empty when it is quiet."""
    return list(look().warnings)
