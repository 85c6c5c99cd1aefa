"""The container image: what its two ways of being built have in common, and that nobody runs as root."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from loadrig.stats import special
from tests.house.places import PACKAGE, ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_both_ways_share_what_a_container_runs_and_as_whom() -> None:
    common = DOCKERFILE.partition("# In common\n")[2]
    instructions = dict(line.split(" ", 1) for line in common.splitlines() if line)
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", instructions["USER"])
    assert instructions["ENTRYPOINT"] == '["loadrig"]'
    # A stopped container ends its run as Ctrl-C does, and keeps what was measured.
    assert instructions["STOPSIGNAL"] == "SIGINT"
    assert {"FROM", "RUN", "COPY", "ADD"} & instructions.keys() == set()


def test_only_wheels_and_their_lock_are_sent_to_the_engine() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert lines == ["*", "!dist/*.whl", "!locks/run.txt"]


def test_every_package_is_installed_by_its_hash() -> None:
    installs = re.findall(r"pip install (.*)", DOCKERFILE)
    assert len(installs) == 2
    assert "--require-hashes -r /tmp/run.txt" in installs[0]
    assert "--no-index" in installs[1]


def test_the_lock_of_the_image_holds_what_loadrig_needs_and_nothing_for_tests() -> None:
    names = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "locks/run.txt").read_text(), re.MULTILINE))
    assert {"numpy", "scipy", "msgspec", "argcomplete"} <= names
    assert not {"pytest", "mypy", "flask"} & names


@pytest.fixture(scope="module")
def image() -> ModuleType:
    """Return `scripts/image.py` as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        return importlib.import_module("image")


def names_of_scipy(source: str) -> set[str]:
    """Return the functions and classes of scipy that a source names, each with its module."""
    tree, names = ast.parse(source), {"scipy": "scipy"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "scipy":
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    texts = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    whole = {
        ".".join((names[first], rest))
        for first, _, rest in (text.partition(".") for text in texts)
        if first in names and rest.replace(".", "").isidentifier()
    }
    return {name for name in whole if not any(other.startswith(f"{name}.") for other in whole)}


def test_an_image_is_tried_with_every_function_of_scipy_that_is_called(image: ModuleType) -> None:
    called = names_of_scipy(image.image_scipy.CALLING)
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    for path in [path for path, text in texts.items() if "scipy" in text]:
        missing = names_of_scipy(texts[path]) - called
        assert {name for name in missing if name.count(".") > 1} == set(), path
    assert {f"scipy.special.{name}" for name in special.NAMES} <= called
    exec(compile(image.image_scipy.CALLING, "calling", "exec"), {})


def test_no_figures_that_scipy_reads_are_left_out(image: ModuleType) -> None:
    # Without Sobol's numbers Barnard's test finds a probability of 0 for any table, and raises no error.
    assert not [part for part in image.PARTS_NOT_NEEDED if part.endswith((".npz", ".npy"))]


def test_what_is_left_out_of_scipy_can_be_imported_and_not_called(image: ModuleType, tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    for part, names in image.image_scipy.LEFT_OUT.items():
        for name in names.split():
            place = packages / "scipy" / part / f"{name}.cpython-313-x86_64-linux-gnu.so"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
    image.image_scipy.leave_out(packages)
    assert not list(packages.rglob("*.so"))
    scope: dict[str, type] = {}
    program = "class Tree(absent('KDTree')): pass\nkind = absent('Status').kOptimal"
    exec((packages / "scipy/sparse/_sparsetools.py").read_text(encoding="utf-8"), scope)
    exec(program.replace("absent", "__getattr__"), scope)
    with pytest.raises(ImportError, match="left out"):
        scope["Tree"]()
    with pytest.raises(ValueError, match="LEFT_OUT"):
        image.image_scipy.leave_out(packages)


def test_what_debian_brings_is_left_out_of_the_lock_with_its_hashes(image: ModuleType) -> None:
    lock = (ROOT / "locks" / "run.txt").read_text(encoding="utf-8")
    wanted = image._wanted(lock)
    here, there = (set(re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE)) for text in (wanted, lock))
    assert there - here == set(image.OF_DEBIAN)
    assert wanted.count("--hash") < lock.count("--hash")
    assert all(line[:1].isspace() or "==" in line for line in wanted.splitlines() if line[:1] != "#")


def test_loadrig_keeps_the_docstrings_that_it_shows_and_others_keep_none(
    image: ModuleType, tmp_path: Path
) -> None:
    source = '"""Module."""\nclass Of:\n    """Class."""\n    def work(self):\n        """Function."""\n'
    for folder in ("own", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "shown.py").write_text(source, encoding="utf-8")
    program = [sys.executable, "-c", image.COMPILING, str(tmp_path / "own"), str(tmp_path)]
    subprocess.run(program, check=True)
    (tmp_path / "other" / "shown.py").unlink()
    asking = "import shown; print(shown.__doc__, shown.Of.__doc__, shown.Of.work.__doc__)"
    for folder, docs in (("own", "Module. Class. "), ("other", "  ")):
        asked = subprocess.run(
            [sys.executable, "-c", asking], cwd=tmp_path / folder, capture_output=True, text=True, check=True
        )
        assert asked.stdout == f"{docs}\n"


def test_of_folders_of_tests_only_what_others_import_stays(
    image: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "usr" / "lib" / "python3" / "dist-packages"
    tests = packages / "numpy" / "tests"
    for place in (tests / "data", tmp_path / "usr" / "bin", packages / "bin"):
        place.mkdir(parents=True)
    for path in (tests / "_natype.py", tests / "test_it.py", tests / "data" / "it.npz", packages / "it.pyi"):
        path.touch()
    (packages / "bin" / "py-spy").touch()
    (tmp_path / "usr" / "bin" / "sh").touch()
    monkeypatch.setattr(image, "_run", lambda *_: "")  # which strips programs
    image._trim(tmp_path, packages)
    assert [path.name for path in tests.iterdir()] == ["_natype.py"]
    assert not (packages / "it.pyi").exists()
    assert {path.name for path in (tmp_path / "usr" / "bin").iterdir()} == {"loadrig", "py-spy"}


def test_the_sizes_that_are_told_are_below_those_that_are_checked(image: ModuleType) -> None:
    text = (ROOT / "docs" / "guide" / "install.md").read_text(encoding="utf-8")
    (sizes,) = re.findall(r"(\d+) MB to fetch, (\d+) MB unpacked", text)
    fetched, unpacked = (int(size) * 1_000_000 for size in sizes)
    assert fetched <= image.MOST_FETCHED
    assert unpacked <= image.MOST_UNPACKED
