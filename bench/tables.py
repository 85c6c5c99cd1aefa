"""The Markdown of README and docs from the newest results, so that no figure is typed by hand.

  python -m bench.tables            write the tables into the pages, and the picture
  python -m bench.tables --check    say which pages differ from the newest results, and exit with 1

A figure states the day and the commit that it was measured on, so a page stays true when newer results
come; `make release-check` tells before a release which pages are older than the results.

A page has `<!-- bench:NAME -->`, what was written, and `<!-- /bench:NAME -->`. NAME is a mode, or
`summary`: a row for each tool with its figures of several modes.
"""

import argparse
import importlib
import json
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import picture, results
from bench.figures import Row, cpu_per_million, key, markdown, of_tool, ratio, shown, tools
from bench.modes.honest import truth
from bench.truth import quantiles_ms

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/concepts/latency.md", "docs/concepts/generator.md", "docs/concepts/diagnosis.md",
         "docs/concepts/verdicts.md",
         "docs/guide/compare.md", "docs/guide/capacity.md", "docs/guide/tune.md",
         "docs/guide/soak.md", "docs/concepts/account.md", "docs/concepts/validity.md",
         "docs/guide/import.md", "docs/guide/fleet.md")  # fmt: skip
PICTURE = "docs/img/stalling-server.svg"
BLOCK = re.compile(r"(<!-- bench:([a-z0-9_]+) -->\n).*?(<!-- /bench:\2 -->)", re.DOTALL)
ALONE = ("diagnosis", "interventions", "compare", "tune", "capacity", "capacity_live", "soak",
         "soak_live", "weight", "account", "disturbance", "conversions", "fleet_peers",
         "fleet_merge", "nodes", "nodes_tune", "nodes_live")  # fmt: skip
"""Modes that take long, or are judged by themselves, and are run so."""
ANYWHERE = ("compare", "capacity", "capacity_live", "tune", "soak", "soak_live", "diagnosis", "weight",
            "account", "disturbance", "conversions", "fleet_peers", "fleet_merge", "nodes", "nodes_tune",
            "nodes_live")  # fmt: skip
"""Those of these that simulate, or hold answers against what is true, or the rig against itself, and not
tools against each other: the newest counts, whatever machine it was made on; the line below the table says
which."""
CONNECTIONS = 16
"""Connections of the stalling server's column: few, as most who use these tools have."""

Document = dict[str, Any]


def newest(folder: Path = results.FOLDER) -> Document:
    """Return the results of the newest run of `closed`, with all else that was run on that day and machine.

    What takes long is run by itself: its newest results on that machine, whenever that was.
    """
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    with_closed = [document for document in documents if "closed" in document]
    if not with_closed:
        sys.exit(f"no results of `closed` in {folder.name}\n\n   mend: make bench")
    merged: Document = max(with_closed, key=lambda document: document["closed"]["at"])
    for name in ALONE:
        sections = [
            {**document[name], "machine": document["machine"]}
            for document in documents
            if name in document
            and (name in ANYWHERE or document["machine"]["cpu"] == merged["machine"]["cpu"])
        ]
        if sections:
            merged = merged | {name: max(sections, key=lambda section: section["at"])}
    return merged


def block(name: str, document: Document) -> str:
    """Return what stands between the marks of this name."""
    if name == "summary":
        return summary(document)
    if name not in document:
        return "Not measured on this machine.\n"
    module = importlib.import_module(f"bench.modes.{name}")
    return "\n\n".join([*module.tables(document[name]), _source(document, document[name])]) + "\n"


def summary(document: Document) -> str:
    """Return a row for each tool: cost over HTTP/1.1, TLS and HTTP/2, and its word on the stalling server."""
    closed, tls, h2 = (document.get(mode, {}).get("rows", []) for mode in ("closed", "tls", "h2"))
    stalled = [row for row in document.get("honest", {}).get("rows", []) if row["connections"] == CONNECTIONS]
    answered = [row for row in stalled if "failed" not in row]
    p95_of = key("latency_ms", "p95")
    true = quantiles_ms(truth(document["honest"], answered))["p95"][0] if answered else None
    head = [
        "",
        "CPU s per million",
        "× limit",
        "requests/s",
        "peak MB",
        "TLS 1.3",
        "HTTP/2",
        "p95 of the stall, ms",
    ]
    # The limit client with a histogram and the whole program are in docs/concepts/generator.md.
    names = [
        name for name in tools(closed, cpu_per_million) if name not in ("limit + histogram", "loadrig attack")
    ]
    names += [name for name in tools(stalled) if name not in names and of_tool(stalled, name, p95_of)]

    def middle(rows: Sequence[Row], name: str, value: Any) -> str:
        spread = of_tool(rows, name, value)
        return shown(None if spread is None else spread.median)

    lines = []
    for name in names:
        multiple = ratio(closed, name, "limit", cpu_per_million)
        lines.append(
            [
                name, middle(closed, name, cpu_per_million), shown(multiple and multiple.median),
                middle(closed, name, key("per_second")), middle(closed, name, key("peak_bytes", scale=1e-6)),
                middle(tls, name, cpu_per_million), middle(h2, name, cpu_per_million),
                middle(stalled, name, p95_of),
            ]
        )  # fmt: skip
    lines.append(["simulated truth", *["–"] * 6, shown(true)])
    return f"{markdown(head, lines)}\n\n{_source(document, document['closed'])}\n"


def _source(document: Document, section: Document) -> str:
    """Return the place, the day and the way: a table without them is worth nothing."""
    machine: Document = section.get("machine") or document["machine"]
    day = time.strftime("%d %b %Y", time.strptime(section["at"][:10], "%Y-%m-%d"))
    versions = ", ".join(f"{name} {version}" for name, version in sorted(section["versions"].items()))
    runs = "one run" if section["runs"] == 1 else f"medians (least – most) of {section['runs']} runs in turns"
    runs = section.get("how", runs)
    noise = f"; {'; '.join(section['noise'])}" if section["noise"] else ""
    system = f"{machine['system']} {machine['kernel'].split('-')[0]}"
    commit = f"commit {section['commit']}, " if section.get("commit") else ""
    return (
        f"{day}, {commit}{machine['cpu']}, {machine['cores']} cores, {system};"
        f" {runs}; `{section['command']}`{f'; {versions}' if versions else ''}{noise}."
    )


def written(page: str, document: Document) -> str:
    """Return a page's text with all its blocks made anew."""
    return BLOCK.sub(lambda parts: f"{parts[1]}\n{block(parts[2], document)}\n{parts[3]}", page)


def stale(document: Document, root: Path = ROOT) -> dict[Path, str]:
    """Files that differ from these results, with the text that they should have."""
    wanted = {root / page: written((root / page).read_text(encoding="utf-8"), document) for page in PAGES}
    if "honest" in document:
        wanted[root / PICTURE] = picture.draw(document["honest"])
    return {
        path: text
        for path, text in wanted.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }


def main() -> int:
    """Write the pages, or say which are stale."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.tables",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--check", action="store_true", help="change nothing")
    asked = parser.parse_args()
    stale_pages = stale(newest())
    for path, text in stale_pages.items():
        print(
            ("differs from the newest results: " if asked.check else "written: ")
            + str(path.relative_to(ROOT))
        )
        if not asked.check:
            path.write_text(text, encoding="utf-8")
    return 1 if stale_pages and asked.check else 0


if __name__ == "__main__":
    sys.exit(main())
