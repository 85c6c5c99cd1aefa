"""Navigation of the documentation site, and links of its pages that leave docs/: a hook of mkdocs.

The navigation is that of the tables in the pages themselves, so that there is one order, and a page that
no table names fails the build. Pages of the repository that docs/ links to are shown beside the others; a
link to anything else of the repository becomes its name.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

BESIDE = (
    "GLOSSARY.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "ARCHITECTURE.md",
    "bench/README.md",
)
"""Pages outside docs/ that are shown, too."""

EXAMPLES = "examples/*.yaml"
"""Files that can be opened from a page."""

PLACE = "repository"
"""Folder of the site in which what lies outside docs/ is shown."""

ROW = re.compile(r"^\| \[([^\]]+)\]\(([^)#]+)\)", re.MULTILINE)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def rows(page: str) -> list[tuple[str, str]]:
    """Return titles and paths (below docs/) of the pages that the table of a page names, in order."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    folder = posixpath.dirname(page)
    return [
        (title, posixpath.normpath(posixpath.join(folder, target))) for title, target in ROW.findall(text)
    ]


def navigation() -> list[dict[str, Any]]:
    """Return the navigation: a part for each folder, the first page of each its overview."""
    start = rows("README.md")

    def part(folder: str, pages: list[tuple[str, str]]) -> list[Any]:
        return [
            {title: path} for title, path in pages if path.startswith(f"{folder}/") and "README" not in path
        ]

    decisions = [
        {f"{number} {_heading(path)}": path}
        for number, path in rows("decisions/README.md")
        if not path.startswith("..")
    ]
    return [
        {"Start": "README.md"},
        {"Guide": part("guide", start)},
        {"Concepts": part("concepts", start)},
        {"Reference": ["reference/README.md", *part("reference", rows("reference/README.md"))]},
        {"Decisions": ["decisions/README.md", *decisions]},
        {
            "Project": [
                {"How the source reads": "style.md"},
                *({_heading_of(ROOT / path): f"{PLACE}/{path}"} for path in BESIDE),
            ]
        },
    ]


def _heading(path: str) -> str:
    return _heading_of(ROOT / "docs" / path)


def _heading_of(path: Path) -> str:
    first = path.read_text(encoding="utf-8").lstrip().removeprefix("<!--").splitlines()
    return next((line[2:] for line in first if line.startswith("# ")), path.stem)


def on_config(config: Any) -> Any:
    """Set the navigation."""
    config["nav"] = navigation()
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add what lies outside docs/ and is shown."""
    from mkdocs.structure.files import File  # of .tools/site alone

    examples = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob(EXAMPLES))
    for path in (*BESIDE, *examples):
        files.append(File.generated(config, f"{PLACE}/{path}", abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, files: Any, **_: Any) -> str:
    """Point links at where their pages are shown; code is left as it is."""
    shown = page.file.src_uri
    is_beside = shown.startswith(f"{PLACE}/")
    own = shown.removeprefix(f"{PLACE}/") if is_beside else f"docs/{shown}"

    def pointed(link: re.Match[str]) -> str:
        mark, text, target = link.groups()
        path, sharp, anchor = target.partition("#")
        if not path or ":" in path:
            return link[0]
        real = posixpath.normpath(posixpath.join(posixpath.dirname(own), path))
        there = real.removeprefix("docs/") if real.startswith("docs/") else f"{PLACE}/{real}"
        if files.get_file_from_path(there) is None:
            return link[0] if real.startswith("docs/") else text
        return f"{mark}[{text}]({posixpath.relpath(there, posixpath.dirname(shown))}{sharp}{anchor})"

    parts, end = [], 0
    for code in CODE.finditer(markdown):
        parts += [LINK.sub(pointed, markdown[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, LINK.sub(pointed, markdown[end:])])
