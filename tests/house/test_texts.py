"""Texts: what no file may say, and how prose is set."""

import re

from tests.house.places import ROOT, files, pages, short, text_of

# Each word is written with its first letter apart, so that this file does not say what it forbids.
MACHINE_PATHS = re.compile(r"(?<![\w./])/(?:[w]ork|[r]oot)/")
REGISTRY_HOSTS = re.compile(r"[p]ypi\.org|[p]ythonhosted|[c]rates\.io|[n]pmjs\.|[a]rtifactory")

NOT_OURS = {"Cargo.lock", "LICENSE"}
"""Cargo.lock names the index of crates by its fixed identifier; cargo allows no other."""


def places_of(pattern: re.Pattern[str]) -> list[str]:
    places = []
    for path in files():
        text = None if path.name in NOT_OURS or "vendor" in path.parts else text_of(path)
        for number, line in enumerate((text or "").splitlines(), start=1):
            match = pattern.search(line)
            if match:
                places.append(f"{short(path)}:{number}: {match[0]}")
    return places


def test_no_file_knows_the_machine_it_was_written_on() -> None:
    assert places_of(MACHINE_PATHS) == []


def test_no_file_names_the_host_of_a_package_registry() -> None:
    assert places_of(REGISTRY_HOSTS) == []


def prose(text: str) -> list[tuple[int, str]]:
    """Return the lines of a page with their numbers, without code, tables, comments and headings."""
    lines, is_code = [], False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith(("|", "#", "<", "    ")):
            lines.append((number, re.sub(r"`[^`]*`", "`…`", line)))
    return lines


def written_pages() -> list[str]:
    """Return the pages written by hand as prose: not made by `make docs`, not shown on a terminal."""
    return [
        short(path)
        for path in pages()
        if not {"explain", "tests", "vendor"} & set(path.relative_to(ROOT).parts)
        and not path.read_text(encoding="utf-8").startswith("<!-- Made by `make docs`")
    ]


def test_pages_have_one_sentence_a_line() -> None:
    several = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!\bvs)(?<!\d)[.?!]\)? +[A-Z`*\[]")
    lines = [
        (page, number, line)
        for page in written_pages()
        for number, line in prose((ROOT / page).read_text(encoding="utf-8"))
        if several.search(line)
    ]
    assert lines == []


def test_links_of_pages_lead_somewhere() -> None:
    broken = []
    for path in pages():
        text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
        broken += [
            (short(path), target)
            for target in targets
            if not re.match(r"[a-z]+:", target) and not (path.parent / target).exists()
        ]
    assert broken == []


def test_files_end_with_one_newline_and_lines_without_blanks() -> None:
    untidy = []
    for path in files():
        if path.suffix not in (".py", ".rs", ".md", ".toml", ".sh", ".yaml", ".txt"):
            continue
        if {"recorded", "cases", "vendor", "golden"} & set(path.parts):
            continue
        text = text_of(path)
        if text and (
            not text.endswith("\n") or text.endswith("\n\n") or re.search(r"[ \t]$", text, re.MULTILINE)
        ):
            untidy.append(short(path))
    assert untidy == []
