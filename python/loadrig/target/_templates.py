"""Configuration files written for each start, from templates in which the knobs' values are put.

Each file is written into the trial's folder; `{file:NAME}` in the command or a variable tells the program
where. A person's own files are only read, so there is nothing to put back.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from loadrig.base import private, user_files
from loadrig.base.errors import PlanError
from loadrig.base.setting import Setting
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.target import TargetTemplatesErrors
from loadrig.target._knobs import show

ERRORS = texts_of(TargetTemplatesErrors)

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
            wording = ERRORS.knob_without_value(path, missing[0], ", ".join(values))
            raise PlanError.of(wording, code="target.template")
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
        raise PlanError.of(ERRORS.untold_knob(name, name.upper()), code="target.untold-knob")


def _read(name: str, path: Path) -> str:
    try:
        return user_files.read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else ERRORS.not_utf8
        wording = ERRORS.unreadable_template(name, path.name, str(reason))
        raise PlanError.of(wording, code="target.template") from None
