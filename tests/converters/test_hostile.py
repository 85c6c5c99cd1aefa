"""Files that no tool has written, or somebody has written to do harm: each is an error with its place."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.converters import TestSource, convert_files
from loadrig.converters import _source as source_module
from tests.converters.jmx import JMETER, document, element, group, property_of, sampler
from tests.lengths import length

GOOD = document(group(sampler("a")))


def refused(content: bytes, folder: Path, name: str = "test.jmx") -> tuple[str, int]:
    """Return the code and the line of the error that a file makes."""
    path = folder / name
    path.write_bytes(content)
    with pytest.raises(PlanError) as error:
        convert_files([path], JMETER, folder / "out" / "plan.yaml")
    problem = error.value.problems[0]
    assert problem.mend
    assert not (folder / "out" / "plan.yaml").exists()
    return problem.code, problem.where.line if problem.where else 0


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY a "b">]>\n<jmeterTestPlan>&a;</jmeterTestPlan>', 2),
        (b'<!DOCTYPE x SYSTEM "file:///etc/passwd">\n<jmeterTestPlan/>', 1),
        (b"<jmeterTestPlan>\n&amp;&nothing;</jmeterTestPlan>", 2),
        (b"<jmeterTestPlan>" + b"<hashTree>" * 100_000, 1),
        (b"<jmeterTestPlan>\n<hashTree>" + b"<a/>" * 500_000, 2),
        (GOOD.encode()[:-40], 7),
        (GOOD.replace("UTF-8", "UTF-16").encode(), 1),
        (GOOD.replace('"UTF-8"', '"KLINGON"').encode(), 1),
        (GOOD.encode().replace(b'"plan"', b'"pl\xff"'), 2),
        (b"\0" * 100, 1),
        (b"<other><jmeterTestPlan/></other>", 1),
        (b"", 1),
    ],
)
def test_xml_that_is_none_of_jmeter_is_refused_at_its_line(content: bytes, line: int, tmp_path: Path) -> None:
    code, where = refused(content, tmp_path)
    assert code == "import.bad-test"
    assert where == line or not content


@pytest.mark.parametrize(
    ("name", "content", "column"),
    [
        ("cut.har", b'{"log": {"version": "1.2", "entries": [{"request": {"method": "GET"', 68),
        ("cut.json", b'{"info": {"name": "shop"}, "item": [{"name": ', 46),
        (
            "cut.jmx",
            b'<?xml version="1.0"?><jmeterTestPlan version="1.2"><hashTree><TestPlan testname="a"',
            62,
        ),
    ],
)
def test_a_test_in_a_line_is_refused_at_its_letter(
    name: str, content: bytes, column: int, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    member = members.load("loadrig.converters", {"har": "har", "jmx": "jmeter"}.get(name[4:], "postman"))
    with pytest.raises(PlanError, match=f"letter {column},") as error:
        convert_files([path], member, tmp_path / "out" / "plan.yaml")
    where = error.value.problems[0].where
    assert where is not None
    assert (where.line, where.column) == (1, column)


def test_encodings_that_the_file_declares_are_read(tmp_path: Path) -> None:
    text = GOOD.replace('"plan"', '"caf\u00e9"')
    for encoding in ("utf-8", "utf-16", "iso-8859-1"):
        path = tmp_path / f"{encoding}.jmx"
        path.write_bytes(text.replace("UTF-8", encoding.upper()).encode(encoding))
        assert JMETER.convert(TestSource(path)).plan.name == "caf\u00e9"


def test_what_is_small_when_packed_fills_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "MOST_TEST_BYTES", 1_000_000)
    content = b"<jmeterTestPlan>" + b" " * 2_000_000
    assert refused(gzip.compress(content), tmp_path)[0] == "import.too-large"


def test_a_packed_file_that_is_cut_cannot_be_read(tmp_path: Path) -> None:
    assert refused(gzip.compress(GOOD.encode())[:-20], tmp_path)[0] == "import.cannot-read"


def test_a_packed_file_that_is_damaged_is_to_be_had_anew_and_not_named_otherwise(tmp_path: Path) -> None:
    packed = gzip.compress(GOOD.encode())
    flipped = packed[:40] + bytes((packed[40] ^ 0xFF,)) + packed[41:]
    mends = set()
    for number, content in enumerate((packed[:-20], flipped, packed[:8], None)):
        path = tmp_path / f"{number}.jmx.gz"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(PlanError) as error:
            convert_files([path], JMETER, tmp_path / "out" / "plan.yaml")
        assert error.value.problems[0].code == "import.cannot-read"
        mends.add((content is None, error.value.problems[0].mend))
    (damaged,) = (mend for is_missing, mend in mends if not is_missing)
    (missing,) = (mend for is_missing, mend in mends if is_missing)
    assert damaged != missing


def test_a_test_without_requests_makes_no_plan(tmp_path: Path) -> None:
    assert refused(document(group("")).encode(), tmp_path)[0] == "import.nothing-in-it"


def test_a_name_cannot_steer_the_terminal_or_the_plan(tmp_path: Path) -> None:
    name = "a\u202e\n- evil: [#"
    path = tmp_path / "test.jmx"
    path.write_text(document(group(sampler(name) + sampler("other", host="x.example"))), encoding="utf-8")
    conversion = convert_files([path], JMETER, tmp_path / "plan.yaml")
    assert all(line.isprintable() for line in conversion.lines)


def _module(name: str) -> str:
    path = f'<collectionProp name="ModuleController.node_path">{property_of("1", name)}</collectionProp>'
    tag = "ModuleController"
    return f'<{tag} testclass="{tag}" testname="to {name}">{path}</{tag}><hashTree/>'


def _variables(values: dict[str, str]) -> str:
    listed = "".join(
        f'<elementProp name="{name}">{property_of("Argument.name", name)}'
        f"{property_of('Argument.value', value)}</elementProp>"
        for name, value in values.items()
    )
    return (
        f'<Arguments testclass="Arguments"><collectionProp name="Arguments.arguments">{listed}'
        "</collectionProp></Arguments><hashTree/>"
    )


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "below",
    [
        # Each level means two of the next: 2^40 requests.
        group(_module("m0"))
        + "".join(element("GenericController", f"m{n}", _module(f"m{n + 1}") * 2) for n in range(40)),
        _variables({f"v{n}": f"${{v{n + 1}}}" * 10 for n in range(11)} | {"v11": ""})
        + group(sampler("a", "/${v0}")),
        group(sampler("a", "/" + "${__P(" * length(5_000, 20_000))),
        group(element("LoopController", "x", sampler("a") * 400, LoopController__loops="100000000")),
        group(element("RandomController", "x", sampler("a") * 60) * 10),
    ],
)
def test_a_small_test_that_means_very_much_has_an_end(below: str, tmp_path: Path) -> None:
    path = tmp_path / "test.jmx"
    path.write_text(document(below), encoding="utf-8")
    conversion = JMETER.convert(TestSource(path))
    assert conversion.dropped or conversion.altered


@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), length=st.floats(0, 1))
def test_a_file_that_is_cut_or_changed_anywhere_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, place: float, byte: int, length: float
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    content = bytearray(GOOD.encode())
    content[int(place * len(content))] = byte
    path = folder / "test.jmx"
    path.write_bytes(bytes(content[: int(length * len(content)) + 1]))
    code = "import.fine"
    try:
        convert_files([path], JMETER, folder / "plan.yaml")
    except PlanError as error:
        code = error.problems[0].code
    assert code.startswith("import.")
