"""Configuration files written for each start, from templates in which the knobs' values are put.

Each file is written into the trial's folder; `{file:NAME}` in the command or a variable tells the program
where. A person's own files are only read, so there is nothing to put back.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from loadrig.base import private, user_files
from loadrig.base.errors import PlanError, Problem
from loadrig.base.setting import Setting
from loadrig.target._knobs import show

KNOB = re.compile(r"\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}")
"""Pattern of a knob in a template: {{ max_threads }}. It has two braces, as one is common in configuration
files."""

FOLDER = "files"


def knobs_in(templates: Mapping[str, str], base: Path) -> frozenset[str]:
    """Return the knobs that templates name; a template that cannot be read names none."""
    names: set[str] = set()
    for path in templates.values():
        try:
            names |= set(KNOB.findall(user_files.read_text(base / path)))
        except (OSError, UnicodeDecodeError):
            continue
    return frozenset(names)


def written(templates: Mapping[str, str], values: Setting, folder: Path, base: Path) -> Mapping[str, Path]:
    """Write every file into the trial's folder; return the paths by name.

    templates: paths, counting from the plan's folder, by names. values: values of the knobs, those of the
    setting in place of the defaults. Raises PlanError target.template.
    """
    places: dict[str, Path] = {}
    for name, path in templates.items():
        text = _read(name, base / path)
        missing = [knob for knob in KNOB.findall(text) if knob not in values]
        if missing:
            raise PlanError(
                _problem(
                    f"the template {path} asks for {{{{{missing[0]}}}}}, which has no value",
                    f"values are there for {', '.join(values) or 'nothing'}",
                    "declare it under knob_flags with a `default`, or take it out of the template",
                )
            )
        place = folder / FOLDER / Path(name).name
        private.make_folder(place.parent)
        with open(place, "w", encoding="utf-8", opener=private.opener) as file:
            file.write(KNOB.sub(lambda match: show(values[match[1]]), text))
        places[name] = place.absolute()
    return places


def filled(text: str, files: Mapping[str, Path]) -> str:
    """Return a text with `{file:NAME}` replaced by the file's path, and `{folder}` by the files' folder."""
    for name, place in files.items():
        text = text.replace(f"{{file:{name}}}", str(place))
    return text.replace("{files}", str(next(iter(files.values())).parent)) if files else text


def raise_if_untold(names: Iterable[str]) -> None:
    """Refuse knobs that the program would never hear of. Raises PlanError target.untold-knob."""
    for name in names:
        raise PlanError.of(
            what=f"nothing tells the program of the knob {name}",
            why="it has no flag, env, jvm, limit or sysctl, and no template asks for it",
            mend=f"say how it is told, such as {name}: {{env: {name.upper()}}}, or write "
            f"{{{{{name}}}}} into a template under `files`",
            code="target.untold-knob",
        )


def _read(name: str, path: Path) -> str:
    try:
        return user_files.read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise PlanError(
            _problem(
                f"the template of {name} cannot be read: {path.name}: {reason}",
                "files count from the plan's folder",
                "correct the path under `files`",
            )
        ) from None


def _problem(what: str, why: str, mend: str) -> Problem:
    return Problem(what=what, why=why, mend=mend, code="target.template")
