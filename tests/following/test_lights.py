"""Lights of the rig: the limits are those of the checks, and what they tell is of the last seconds."""

from typing import Any

import pytest

from loadrig._native import Histogram
from loadrig.base import rig_limits
from loadrig.base.clock import NS
from loadrig.base.component import HOST, SERVER
from loadrig.base.series import Sample
from loadrig.following.document import LightDocument
from loadrig.following.lights import LAST_NS, RigLights
from loadrig.recording.frame import Frame
from loadrig.testing.engine_frames import engine_frame, row
from loadrig.testing.synthetic import write_recording
from loadrig.trial import validity
from loadrig.trial.checks import Reason


def histogram(*times_s: float) -> Histogram:
    whole = Histogram()
    for time_s in times_s:
        whole.record(int(time_s * NS))
    return whole


def frame(n: int, **more: Any) -> Frame:
    return Frame.of(engine_frame(n, n * NS, NS, [row("ok", [0.01] * 100)], **more))


def thread(busy: float = 0.1, delayed: float = 0.0) -> dict[str, Any]:
    return {"cpu_ns": int(busy * NS), "run_delay_ns": int(delayed * NS), "busy_share": busy}


def lights(*frames: Frame, model: str = "rate", most_per_s: float | None = None) -> dict[str, LightDocument]:
    followed = RigLights(model, most_per_s)
    for each in frames:
        followed.see(each)
    return {light.name: light for light in followed.now()}


def test_before_anything_was_seen_nothing_is_known() -> None:
    before = lights()
    assert {light.level for light in before.values()} == {"unknown"}
    assert all(light.value is None for light in before.values())


@pytest.mark.parametrize(
    ("name", "more", "level"),
    [
        ("sent", {}, "fine"),
        ("sent", {"due": 1000, "unsent": 7}, "disturbed"),
        ("sent", {"due": 1000, "unsent": 20}, "grave"),
        ("connections", {"due": 1000, "unsent": 2}, "grave"),
        ("busy", {"threads": [thread(0.49), thread(0.1)]}, "fine"),
        ("busy", {"threads": [thread(0.1), thread(0.51)]}, "disturbed"),
        ("busy", {"threads": [thread(0.81)]}, "grave"),
        ("delayed", {"threads": [thread(delayed=0.005)]}, "fine"),
        ("delayed", {"threads": [thread(delayed=0.02)]}, "disturbed"),
        ("delayed", {"threads": [thread(delayed=0.02), thread()]}, "fine"),
        ("ports", {"ports": 15_000, "ports_range": 28_000}, "disturbed"),
        ("descriptors", {"fds": 1000, "fds_limit": 1024}, "disturbed"),
    ],
)
def test_a_light_goes_by_the_limits_of_its_check(name: str, more: dict[str, Any], level: str) -> None:
    assert lights(frame(0, **more))[name].level == level


def test_the_ceiling_is_told_only_where_it_is_known() -> None:
    assert "ceiling" not in lights(frame(0))
    assert lights(frame(0), most_per_s=150.0)["ceiling"].level == "disturbed"
    assert lights(frame(0), most_per_s=1000.0)["ceiling"].level == "fine"


def test_users_wait_for_their_answers_so_nothing_is_due_before_it_is_sent() -> None:
    assert not {"sent", "connections"} & lights(frame(0), model="users").keys()


def test_the_lag_is_held_against_the_response_time() -> None:
    followed = RigLights("rate", None)

    def level() -> str:
        (light,) = [light for light in followed.now() if light.name == "lag"]
        return light.level

    followed.see_times(0, histogram(0.1), histogram(0.004))
    assert level() == "fine"
    followed.see_times(LAST_NS, histogram(0.01), histogram(0.0008))  # what was before is forgotten
    assert level() == "disturbed"


def test_what_is_over_is_forgotten() -> None:
    before, after = frame(0, threads=[thread(0.9)]), frame(1 + LAST_NS // NS, threads=[thread(0.1)])
    assert lights(before)["busy"].level == "grave"
    assert lights(before, after)["busy"].level == "fine"


def test_what_the_hypervisor_and_other_programs_take_is_seen_on_the_host() -> None:
    followed = RigLights("rate", None)
    for second in range(3):
        for core, stolen in (("cpu0", 0.06), ("cpu1", 0.0)):
            followed.hear(HOST, Sample(second * NS, "system_cpu", "steal_s", core, stolen * second))
        for name, used in (
            ("cpu1:make, process 7", 0.08),
            ("cpu1:cc1, process 8", 0.05),
            ("cpu0:sh, process 9", 0.01),
        ):
            followed.hear(HOST, Sample(second * NS, "neighbours", "cpu_s", name, used * second))
        followed.hear(SERVER, Sample(second * NS, "system_cpu", "steal_s", "cpu0", 1.0 * second))
    by_name = {light.name: light for light in followed.now()}
    assert by_name["steal"].value == pytest.approx(0.03)
    assert by_name["steal"].level == "disturbed"
    assert by_name["neighbours"].value == pytest.approx(0.13)
    assert (by_name["neighbours"].level, by_name["neighbours"].note) == ("disturbed", "make, process 7")


def test_the_limits_are_those_of_the_checks(tmp_path: Any) -> None:
    """A trial that a check calls disturbed has that light on, by the same limit."""
    recording = write_recording(tmp_path / "trial", (100.0,) * 10, unsent_share=0.03)
    reasons = {reason.check: reason for reason in validity.judge(recording).reasons}
    assert isinstance(reasons["G1"], Reason)
    followed = lights(*recording.frames)
    assert (followed["sent"].check, followed["sent"].level) == ("G1", reasons["G1"].level)
    assert followed["sent"].limit == rig_limits.UNSENT[0]
