"""Limits that a server runs within, and files written for it: all is put back, or was never the person's."""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import changes, leases, networks
from loadrig.base.errors import PlanError, TargetError
from loadrig.base.leased import ChangeFacts
from loadrig.target import _knobs, _templates, _within
from loadrig.target._knobs import FreeKnob, catalogue, channels_of
from loadrig.target._within import ANYWHERE, Within

FREE = {
    "heap": FreeKnob(jvm="-Xmx{}", kind="size"),
    "touch": FreeKnob(jvm="-XX:+AlwaysPreTouch"),
    "cores": FreeKnob(limit="cpu_quota", low=0.1, high=4),
    "cpus": FreeKnob(limit="cpus", low=1, high=8),
    "reuse": FreeKnob(sysctl="net.ipv4.tcp_tw_reuse", words=("0", "1")),
    "threads": FreeKnob(low=1, high=400, default="200"),
}


@pytest.fixture(autouse=True)
def _own_leases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def code_of(refused: "pytest.ExceptionInfo[PlanError] | pytest.ExceptionInfo[TargetError]") -> str:
    return refused.value.problems[0].code


def test_options_of_the_jvm_go_into_its_variable_in_bytes_and_signs() -> None:
    ways = channels_of(FREE)
    assert _knobs.environment({"heap": "1GiB", "touch": True}, ways) == {
        "JAVA_TOOL_OPTIONS": "-Xmx1073741824 -XX:+AlwaysPreTouch"
    }
    assert _knobs.environment({"touch": False}, ways) == {"JAVA_TOOL_OPTIONS": "-XX:-AlwaysPreTouch"}
    assert _knobs.arguments({"heap": "1GiB", "cores": 0.5}, ways) == []


def test_kinds_follow_from_how_a_knob_is_told() -> None:
    kinds = {name: knob.kind for name, knob in catalogue(FREE, "the server").items()}
    assert kinds == {
        "heap": "size", "touch": "flag", "cores": "float", "cpus": "int", "reuse": "word", "threads": "int",
    }  # fmt: skip
    assert "{{threads}}" in catalogue(FREE, "the server")["threads"].doc


def test_limits_of_a_setting_are_gathered() -> None:
    ways = channels_of(FREE)
    assert _knobs.within({"cores": 0.5, "cpus": 2, "reuse": "1", "threads": 5}, ways) == Within(
        2, 0.5, {"net.ipv4.tcp_tw_reuse": "1"}
    )
    assert _knobs.within({"threads": 5}, ways) is ANYWHERE


def test_a_server_gets_the_first_of_its_cores() -> None:
    assert _within.cpus(Within(cores=2), (3, 5, 6)) == (3, 5)
    assert _within.cpus(ANYWHERE, (3, 5)) == (3, 5)
    with pytest.raises(TargetError) as refused:
        _within.cpus(Within(cores=4), (0, 1))
    assert code_of(refused) == "target.too-few-cores"


def sysctls(root: Path, **values: str) -> Path:
    for name, value in values.items():
        path = root / "net" / "ipv4" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value, encoding="ascii")
    return root


def test_a_sysctl_is_written_and_written_back(tmp_path: Path) -> None:
    root = sysctls(tmp_path, tcp_tw_reuse="2\n", tcp_fin_timeout="60")
    held = _within.written({"net.ipv4.tcp_tw_reuse": "1"}, root)
    assert held is not None
    assert (root / "net/ipv4/tcp_tw_reuse").read_text(encoding="ascii") == "1"
    assert len(leases.listed()) == 1
    assert held.put_back() == ()
    assert (root / "net/ipv4/tcp_tw_reuse").read_text(encoding="ascii").strip() == "2"
    assert leases.listed() == []
    assert held.put_back() == ()


def test_what_a_killed_rig_wrote_is_undone_from_its_lease(tmp_path: Path) -> None:
    root = sysctls(tmp_path, tcp_tw_reuse="2")
    _within.written({"net.ipv4.tcp_tw_reuse": "0"}, root)
    (lease,) = leases.listed()
    assert isinstance(lease.facts, ChangeFacts)
    done, remaining = changes.undone(lease.facts)
    assert (len(done), remaining) == (1, ())
    assert (root / "net/ipv4/tcp_tw_reuse").read_text(encoding="ascii") == "2"
    lease.end()


@pytest.mark.parametrize("name", ["kernel.pid_max", "net.ipv4.no_such"])
def test_only_sysctls_of_a_namespace_are_taken(name: str, tmp_path: Path) -> None:
    with pytest.raises(TargetError) as refused:
        _within.written({name: "1"}, sysctls(tmp_path, tcp_tw_reuse="2"))
    assert code_of(refused) == "target.sysctl"
    assert leases.listed() == []


def test_the_machines_own_namespace_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setattr(networks, "is_of_machine", lambda: True)
    with pytest.raises(TargetError) as refused:
        _within.written({"net.ipv4.tcp_tw_reuse": "1"})
    assert code_of(refused) == "target.sysctl"
    assert refused.value.problems[0].what == snapshot


def test_a_quota_is_written_as_the_tree_wants_it(tmp_path: Path) -> None:
    first, second = tmp_path / "v1", tmp_path / "v2"
    first.mkdir()
    second.mkdir()
    (second / "cpu.max").write_text("max 100000", encoding="ascii")
    for folder in (first, second):
        _within.set_quota(folder, 0.25)
    assert (first / "cpu.cfs_quota_us").read_text(encoding="ascii") == "25000"
    assert (second / "cpu.max").read_text(encoding="ascii") == "25000 100000"


def test_a_template_is_filled_into_the_trials_folder_and_left_as_it_is(tmp_path: Path) -> None:
    template = tmp_path / "server.template.xml"
    text = '<Connector maxThreads="{{ threads }}" heap="{{heap}}" other="{threads}"/>'
    template.write_text(text, encoding="utf-8")
    templates = {"server.xml": template.name}
    path_by_name = _templates.written(
        templates, {"threads": 100, "heap": "1GiB"}, tmp_path / "trial", tmp_path
    )
    assert path_by_name["server.xml"].read_text(encoding="utf-8") == (
        '<Connector maxThreads="100" heap="1GiB" other="{threads}"/>'
    )
    assert path_by_name["server.xml"].is_relative_to(tmp_path / "trial")
    assert template.read_text(encoding="utf-8") == text
    command = _templates.filled("run --config={file:server.xml} --in={files}", path_by_name)
    assert command == f"run --config={path_by_name['server.xml']} --in={path_by_name['server.xml'].parent}"
    assert _templates.knobs_in(templates, tmp_path) == {"threads", "heap"}


def test_a_template_that_asks_for_what_has_no_value_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.conf").write_text("{{threads}}", encoding="utf-8")
    with pytest.raises(PlanError) as refused:
        _templates.written({"a.conf": "a.conf"}, {}, tmp_path, tmp_path)
    assert code_of(refused) == "target.template"
    with pytest.raises(PlanError) as refused:
        _templates.written({"b.conf": "none.conf"}, {}, tmp_path, tmp_path)
    assert code_of(refused) == "target.template"


def test_a_knob_that_nothing_tells_is_refused() -> None:
    with pytest.raises(PlanError) as refused:
        _templates.raise_if_untold(["pool"])
    assert code_of(refused) == "target.untold-knob"
    _templates.raise_if_untold([])
