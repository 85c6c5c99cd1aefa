"""A file is a member, an underscore hides one, a third party adds one through an entry point."""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.base import members


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Yield a room with two members, a private file and a folder, made for one test."""
    folder = tmp_path / "fakeroom"
    (folder / "large").mkdir(parents=True)
    for name in ("__init__", "alpha", "beta", "_hidden", "large/__init__"):
        (folder / f"{name}.py").write_text(f'NAME = "{name}"\n', encoding="utf-8")
    (folder / "notes.md").write_text("no member\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    members.forget()
    yield "fakeroom"
    members.forget()
    for name in [name for name in sys.modules if name.split(".")[0] == "fakeroom"]:
        del sys.modules[name]


def test_files_and_folders_without_an_underscore_are_members(room: str) -> None:
    assert members.names(room) == ("alpha", "beta", "large")


def test_a_member_is_imported_only_when_it_is_asked_for(room: str) -> None:
    members.names(room)
    assert "fakeroom.alpha" not in sys.modules
    assert members.load(room, "alpha").NAME == "alpha"
    assert "fakeroom.beta" not in sys.modules


def test_a_name_that_is_no_member_is_told_with_the_nearest(room: str) -> None:
    with pytest.raises(KeyError, match="'alpha'"):
        members.load(room, "alhpa")
    with pytest.raises(KeyError, match="fakeroom has no '_hidden'"):
        members.load(room, "_hidden")


def test_a_third_party_adds_a_member_by_an_entry_point(room: str, tmp_path: Path) -> None:
    package = tmp_path / "third_party-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: third-party\nVersion: 1.0\n", "utf-8")
    (package / "entry_points.txt").write_text(
        "[console_scripts]\ndelta = fakeroom.beta:main\n\n"
        "[fakeroom]\ngamma = fakeroom.beta\nwrong = fakeroom.beta:NAME\n",
        "utf-8",
    )
    assert members.names(room) == ("alpha", "beta", "gamma", "large", "wrong")
    assert members.load(room, "gamma").NAME == "beta"
    with pytest.raises(TypeError, match="a module"):
        members.load(room, "wrong")


@pytest.mark.parametrize(
    ("word", "candidates", "expected"),
    [("worker", ("workers", "threads"), "workers"), ("xyz", ("workers",), None), ("a", (), None)],
)
def test_the_nearest_word_is_one_that_is_like_it(
    word: str, candidates: tuple[str, ...], expected: str | None
) -> None:
    assert members.nearest(word, candidates) == expected


def test_the_real_rooms_have_their_members() -> None:
    assert {"command", "external", "gunicorn", "uvicorn"} <= set(members.names("loadrig.target"))
    assert {"process", "system_cpu", "memory", "tcp_sockets", "cgroup"} <= set(
        members.names("loadrig.probes")
    )
    assert {"throughput", "errors", "p95"} <= set(members.names("loadrig.measures"))
    assert {"one_trial", "grid", "one_at_a_time"} <= set(members.names("loadrig.study.strategies"))


def test_a_literal_of_a_member_is_read_without_importing_it(room: str) -> None:
    assert members.constant(room, "alpha", "NAME") == "alpha"
    assert members.constant(room, "beta", "OTHER") is None
    assert {"fakeroom.alpha", "fakeroom.beta"} & set(sys.modules) == set()


def test_a_literal_of_a_third_partys_member_is_that_of_its_module(room: str, tmp_path: Path) -> None:
    package = tmp_path / "third_party-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: third-party\nVersion: 1.0\n", "utf-8")
    (package / "entry_points.txt").write_text("[fakeroom]\ngamma = fakeroom.beta\n", "utf-8")
    assert members.source(room, "gamma") is None
    assert members.source(room, "alpha") == str(tmp_path / "fakeroom" / "alpha.py")
    assert members.constant(room, "gamma", "NAME") == "beta"


def test_a_file_may_stand_for_several_members_that_a_parameter_tells_apart(room: str, tmp_path: Path) -> None:
    (tmp_path / "fakeroom" / "__init__.py").write_text("HAS_VARIANTS = True\n", "utf-8")
    (tmp_path / "fakeroom" / "sizes.py").write_text(
        "from types import SimpleNamespace\n"
        'VARIANTS = {\n    "large.1": {"SIZE": 10},\n    "small": {"SIZE": 1},\n}\n'
        'UNIT = "B"\n'
        "def variant(name): return SimpleNamespace(**VARIANTS[name])\n",
        "utf-8",
    )
    assert members.names(room) == ("alpha", "beta", "large", "large.1", "small")
    assert members.constant(room, "large.1", "SIZE") == 10
    assert members.constant(room, "small", "UNIT") == "B"
    assert "fakeroom.sizes" not in sys.modules
    assert [members.load(room, name).SIZE for name in ("large.1", "small")] == [10, 1]
    assert members.source(room, "small") == str(tmp_path / "fakeroom" / "sizes.py")
    with pytest.raises(KeyError):
        members.load(room, "sizes")


def test_a_page_is_a_docstring_with_the_sections_that_lie_apart() -> None:
    probe = members.load("loadrig.probes", "process")
    assert members.page("loadrig.probes", "process") == inspect.cleandoc(probe.__doc__ or "")
    cause = members.load("loadrig.judgement.causes", "gil")
    page = members.page("loadrig.judgement.causes", "gil")
    assert page.startswith(f"{cause.__doc__}\n\n## Signature\n")
    assert "Sentences of" not in page
