"""Output of `loadrig lab list`, `show` and `setup`."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from typing import Any

from loadrig.base.errors import TargetError
from loadrig.base.exits import Exit
from loadrig.labs import needs
from loadrig.labs.find import find, find_plan, names
from loadrig.labs.format import Lab
from loadrig.labs.needs import MissingNeeds
from loadrig.language.choice import texts_of
from loadrig.language.en.cli import CliLabViewTexts
from loadrig.language.en.errors.cli_run import CliLabViewErrors
from loadrig.language.labels import lab_clause

TEXTS, ERRORS = texts_of(CliLabViewTexts), texts_of(CliLabViewErrors)


def show_all(*, as_json: bool) -> int:
    """Print a line for each lab."""
    labs = [find(name) for name in names()]
    if as_json:
        print(json.dumps({"schema": "loadrig.labs/1", "labs": [_facts(lab) for lab in labs]}, indent=1))
        return Exit.FINE
    width = max((len(lab.name) for lab in labs), default=0)
    for lab in labs:
        print(TEXTS.case(f"{lab.name:<{width}}", str(lab.case), lab_clause(lab.title)))
        missing = needs.missing(lab)
        if lacks := "; ".join([*missing.programs, *missing.modules, *missing.why]):
            print(TEXTS.not_here(f"{'':<{width}}", lacks))
    print(TEXTS.next_loadrig_lab, file=sys.stderr)
    return Exit.FINE


def show_one(text: str, *, as_json: bool) -> int:
    """Print the story, the plans and the needs of a lab; of NAME:PLAN the plan as it is written."""
    lab, plan = find_plan(text)
    if as_json:
        print(json.dumps(_facts(lab), indent=1))
        return Exit.FINE
    if ":" in text:
        print(lab.plan_file(plan).read_text(encoding="utf-8"), end="")
        return Exit.FINE
    print((lab.folder / "README.md").read_text(encoding="utf-8").rstrip())
    print(TEXTS.plans)
    width = max(len(name) for name in lab.plans)
    for name, lab_plan in lab.plans.items():
        print(f"  {name:<{width}}  {lab_clause(lab_plan.about)}")
        print(f"  {'':<{width}}  {TEXTS.truth(_truth(lab, name))}")
    print(TEXTS.needs)
    wanted = needs.all_needs(lab)
    missing = needs.missing(lab)
    for program, package in wanted.programs.items():
        state = TEXTS.not_here_package(package) if program in missing.programs else TEXTS.is_here
        print(f"  {program}  {state}")
    for module, requirement in wanted.python.items():
        print(f"  {requirement}  {TEXTS.is_not_here if module in missing.modules else TEXTS.is_here}")
    for why in missing.why:
        print(f"  {why}")
    first = f"loadrig lab setup {text}" if missing else f"loadrig lab run {text}"
    others = TEXTS.and_those(str(lab.source.folder)) if lab.source is not None else ""
    print(TEXTS.files_and_next(f"{lab.folder}{others}", first), file=sys.stderr)
    return Exit.FINE


def set_up(text: str | None, *, dry: bool) -> int:
    """Install what a lab, or all of them, lack. Raises TargetError lab.setup if a command fails."""
    labs = [find(text.partition(":")[0])] if text else [find(name) for name in names()]
    lacking = _together([needs.missing(_whole(lab)) for lab in labs])
    wanted = needs.commands(lacking)
    if not wanted:
        print(TEXTS.nothing_install_all)
        return Exit.FINE
    allowed = dry or not lacking.programs or (os.geteuid() == 0 and shutil.which("apt-get") is not None)
    for words in wanted:
        print(shlex.join(words), flush=True)
        if not dry and allowed and (done := subprocess.run(words, check=False)).returncode:
            raise TargetError.of(
                ERRORS.failed_command(shlex.join(words), str(done.returncode)), code="lab.setup"
            )
    if not allowed:
        has_apt = shutil.which("apt-get") is not None
        wording = ERRORS.not_root if has_apt else ERRORS.no_apt(", ".join(lacking.programs))
        raise TargetError.of(wording, code="lab.setup")
    return Exit.FINE


def _whole(lab: Lab) -> Lab:
    """Return the lab with what any of its plans needs."""
    from dataclasses import replace

    programs, python = dict(lab.needs.programs), dict(lab.needs.python)
    for plan in lab.plans.values():
        programs.update(plan.needs.programs)
        python.update(plan.needs.python)
    return replace(lab, needs=replace(lab.needs, programs=programs, python=python))


def _together(lacking: list[MissingNeeds]) -> MissingNeeds:
    programs = {name: package for missing in lacking for name, package in missing.programs.items()}
    modules = {name: requirement for missing in lacking for name, requirement in missing.modules.items()}
    return MissingNeeds(programs, modules)


def _truth(lab: Lab, plan: str) -> str:
    truth = lab.truths[plan]
    causes = " or ".join(truth.causes)
    return f"{causes} ({' or '.join(truth.components)})" if truth.components else causes


def _facts(lab: Lab) -> dict[str, Any]:
    missing = needs.missing(lab)
    return {
        "name": lab.name,
        "case": lab.case,
        "title": lab.title,
        "folder": str(lab.folder),
        "plans": {
            name: {"about": plan.about, "causes": list(lab.truths[name].causes)}
            for name, plan in lab.plans.items()
        },
        "missing": {
            "programs": dict(missing.programs), "modules": dict(missing.modules), "why": list(missing.why),
        },
    }  # fmt: skip
