"""Tests of what the lines of a JVM's log tell, of each collector.

recorded/gc_log/*/gc.log were written by the JDKs 17 and 25 under an allocation load, with -Xlog:gc*,safepoint
and other decorations each; lines with tags of no interest were left out, and the ends of long ones. No JDK 8
was at hand: its lines follow the formats that Oracle's HotSpot tuning guide for Java 8 and the manuals of log
readers show.
"""

import itertools
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import clock
from loadrig.probes._jvm.gc_lines import GcLogEntry, GcLogReader
from loadrig.probes._jvm.gc_source import Output, collector_of, outputs

RECORDED = sorted((Path(__file__).with_name("recorded") / "gc_log").glob("*/gc.log"))
NAMES = {"z": "ZGC", "g1": "G1", "g1plain": "G1", "serial": "Serial", "parallel": "Parallel",
         "shenandoah": "Shenandoah"}  # fmt: skip
NOW_NS = 10**15
STARTED_NS = 7_000_000_000
MIB = 1 << 20
ALL_OF_G1 = {"Young", "Concurrent Start", "Prepare Mixed", "Mixed", "Remark", "Cleanup", "Full"}


def read(text: str, collector: str = "", now_ns: int = NOW_NS) -> list[GcLogEntry]:
    lines = GcLogReader(STARTED_NS, collector)
    return [entry for line in text.splitlines() for entry in lines.take(line, now_ns)]


def entries_of(entries: list[GcLogEntry], what: str) -> list[GcLogEntry]:
    return [entry for entry in entries if entry.what == what]


def recorded(name: str) -> list[GcLogEntry]:
    return read(next(path for path in RECORDED if path.parent.name == name).read_text())


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.parent.name)
class TestOfEachCollector:
    def test_it_is_recognised_by_the_head_of_its_log_and_without_it(self, path: Path) -> None:
        text = path.read_text()
        name = NAMES[path.parent.name.split("_")[1]]
        learnt, guessed = GcLogReader(0), GcLogReader(0)
        learnt.learn(line for line in text.splitlines() if "GC(" not in line)
        assert learnt.collector == name
        for line in text.splitlines():
            if "GC(" in line:
                list(guessed.take(line, NOW_NS))
        # The young pauses of these two are alike; what follows the pause tells them apart.
        assert guessed.collector == name

    def test_every_pause_is_found_with_its_length(self, path: Path) -> None:
        text = path.read_text()
        pauses_ms = [float(ms) for ms in re.findall(r"Pause .* (\d+\.\d+)ms$", text, re.MULTILINE)]
        pauses = entries_of(read(text), "pause")
        assert pauses_ms
        assert [pause.duration_s for pause in pauses] == pytest.approx([ms / 1000 for ms in pauses_ms])
        ids = [int(n) for n in re.findall(r"GC\((\d+)\) .*Pause .* \d+\.\d+ms$", text, re.MULTILINE)]
        assert [pause.gc_id for pause in pauses] == ids

    def test_every_safepoint_is_found_with_its_length(self, path: Path) -> None:
        text = path.read_text()
        stops_ns = [int(ns) for ns in re.findall(r"Safepoint .*Total: (\d+) ns", text)]
        safepoints = entries_of(read(text), "safepoint")
        assert [safepoint.duration_s for safepoint in safepoints] == pytest.approx(
            [ns / 1e9 for ns in stops_ns]
        )
        assert all(0 <= safepoint.reach_s <= safepoint.duration_s for safepoint in safepoints)
        # None but the collectors' own operations had a pause in it, and each of those had one.
        assert all(
            safepoint.is_gc == (safepoint.kind != "CleanClassLoaderDataMetaspaces")
            for safepoint in safepoints
        )

    def test_the_heap_is_as_large_as_was_allowed(self, path: Path) -> None:
        entries = [entry for entry in read(path.read_text()) if entry.before_bytes is not None]
        assert entries
        for entry in entries:
            assert entry.after_bytes is not None
            assert 0 <= entry.after_bytes <= 96 * MIB
            assert entry.committed_bytes is None or 64 * MIB <= entry.committed_bytes <= 96 * MIB

    def test_what_happened_is_in_order(self, path: Path) -> None:
        ends = [entry.start_ns + entry.duration_s * 1e9 for entry in read(path.read_text())]
        assert all(later >= earlier - 2e6 for earlier, later in itertools.pairwise(ends))


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("jdk17_serial", {"Young", "Full"}),
        ("jdk17_parallel", {"Young", "Full"}),
        ("jdk17_g1", ALL_OF_G1),
        ("jdk25_g1", ALL_OF_G1),
        ("jdk17_g1plain", ALL_OF_G1),
        ("jdk17_z", {"Mark Start", "Mark End", "Relocate Start"}),
        (
            "jdk25_z_generational",
            {"Mark Start (young)", "Mark End (young)", "Relocate Start (young)", "Mark End (old)",
             "Relocate Start (old)"},
        ),
        (
            "jdk17_shenandoah",
            {"Init Mark", "Final Mark", "Init Update Refs", "Final Update Refs", "Final Roots"},
        ),
        (
            "jdk25_shenandoah_generational",
            {"Init Mark", "Final Mark", "Init Update Refs", "Final Update Refs"},
        ),
    ],
)  # fmt: skip
def test_pauses_have_the_kinds_of_their_collector(name: str, kinds: set[str]) -> None:
    assert {entry.kind for entry in entries_of(recorded(name), "pause")} == kinds


@pytest.mark.parametrize(
    ("name", "causes"),
    [
        ("jdk17_serial", {"Allocation Failure", "System.gc()"}),
        ("jdk17_parallel", {"Allocation Failure", "Ergonomics", "System.gc()"}),
        ("jdk25_g1", {"G1 Evacuation Pause", "System.gc()", ""}),
        ("jdk17_z", {"Warmup", "Allocation Stall", "System.gc()"}),
        ("jdk17_shenandoah", {""}),
    ],
)
def test_pauses_have_the_causes_that_the_log_says(name: str, causes: set[str]) -> None:
    assert {entry.cause for entry in entries_of(recorded(name), "pause")} == causes


@pytest.mark.parametrize("name", ["jdk17_g1", "jdk25_g1"])
def test_the_parts_of_the_mark_cycle_of_g1_are_not_counted_beside_it(name: str) -> None:
    text = next(path for path in RECORDED if path.parent.name == name).read_text()
    assert re.search(r"Concurrent Mark From Roots \d", text)
    cycles_ms = [float(ms) for ms in re.findall(r"Concurrent Mark Cycle (\d+\.\d+)ms", text)]
    assert [entry.duration_s * 1000 for entry in entries_of(read(text), "concurrent")] == pytest.approx(
        cycles_ms
    )


def test_a_collection_of_zgc_lasts_from_its_first_line_to_its_last() -> None:
    first = entries_of(recorded("jdk25_z_generational"), "turn")[0]
    assert (first.kind, first.cause, first.gc_id) == ("Major", "Warmup", 0)
    assert first.before_bytes is not None
    assert 0 < first.duration_s < 0.5


def test_threads_that_wait_for_memory_are_told_of() -> None:
    stalls = entries_of(recorded("jdk17_z"), "stall")
    assert stalls
    assert all(stall.kind.startswith("pool-1-thread-") and stall.duration_s > 0 for stall in stalls)


def test_what_young_collections_move_into_the_old_generation_is_counted() -> None:
    # The load keeps 4 MB more each time: all that, and what a Full collection then let go, was moved.
    for name in ("jdk17_serial", "jdk17_parallel"):
        assert sum(entry.promoted_bytes for entry in recorded(name)) > 28e6
    lines = GcLogReader(0, "G1", region_bytes=4 * MIB)
    text = "[1.0s][info][gc,heap] GC(7) Old regions: 9->23\n"
    text += "[1.0s][info][gc] GC(7) Pause Young (Normal) (G1 Evacuation Pause) 60M->30M(96M) 7.559ms"
    promotions = [entry for line in text.splitlines() for entry in lines.take(line, NOW_NS)]
    assert [entry.promoted_bytes for entry in promotions] == [14 * 4 * MIB]


def test_an_evacuation_that_failed_is_marked() -> None:
    line = (
        "[0.2s][info][gc] GC(4) Pause Young (Normal) (G1 Evacuation Pause) (Evacuation Failure: Allocation)"
    )
    [pause] = read(f"{line} 90M->88M(96M) 3.1ms")
    assert pause.evacuation_failed
    assert (pause.kind, pause.cause) == ("Young", "G1 Evacuation Pause")


def test_shenandoah_says_why_it_stopped_after_which_part_of_the_heap() -> None:
    line = "GC(9) Pause Degenerated GC (Young) (Outside of Cycle) 95M->40M(96M) 3.572ms"
    [pause] = read(line, "Shenandoah")
    assert (pause.kind, pause.cause) == ("Degenerated GC", "Outside of Cycle")


MESSAGE = "GC(2) Pause Young (Allocation Failure) 31M->14M(92M) 500.000ms"
WALL_NS = 1_763_723_573_601_000_000


@pytest.mark.parametrize(
    ("decorations", "end_ns"),
    [
        ("[9.250s][info][gc          ] ", STARTED_NS + 9_250_000_000),
        ("[9,250s][info][gc] ", STARTED_NS + 9_250_000_000),
        ("[9250ms][gc] ", STARTED_NS + 9_250_000_000),
        ("[9250000123ns] ", STARTED_NS + 9_250_000_123),
        (f"[{NOW_NS - 5}ns] ", NOW_NS - 5),
        (f"[{NOW_NS - 5}ns][9250000123ns] ", NOW_NS - 5),
        ("[9.250s][web1][4711][4712][info][gc] ", STARTED_NS + 9_250_000_000),
        ("[1stweb][9.250s] ", STARTED_NS + 9_250_000_000),
        ("", NOW_NS),
    ],
)
def test_a_pause_ends_when_its_line_says_whatever_the_decorations(decorations: str, end_ns: int) -> None:
    [pause] = read(decorations + MESSAGE)
    assert pause.start_ns == end_ns - 500_000_000


@pytest.mark.parametrize(
    "decorations",
    [
        "[2025-11-21T11:12:53.601+0000][9.250s][info][gc] ",
        "[2025-11-21T12:12:53.601+0100][gc] ",
        "[2025-11-21T12:12:53,601+0100][gc] ",
        "[1763723573601ms][9250ms][gc] ",
    ],
)
def test_a_wall_date_is_put_on_the_monotonic_clock(decorations: str) -> None:
    [pause] = read(decorations + MESSAGE)
    assert abs(pause.start_ns + 500_000_000 - clock.from_wall(WALL_NS)) < 50_000_000


def test_a_log_without_dates_says_so() -> None:
    lines = GcLogReader(STARTED_NS)
    assert lines.is_dated
    list(lines.take(MESSAGE, NOW_NS))
    assert not lines.is_dated


def test_lines_of_finer_levels_are_left_out() -> None:
    line = "[0.2s][debug][gc,phases] GC(0) Concurrent Mark Roots 0.5ms"
    assert read(line, "ZGC") == []
    assert len(read(line.replace("debug", "info"), "ZGC")) == 1


def test_stops_of_the_jdks_before_13_are_read() -> None:
    text = (
        "[2.5s][info][safepoint] Total time for which application threads were stopped: 0.0200000 seconds, "
    )
    [stop] = read(text + "Stopping threads took: 0.0050000 seconds")
    assert (stop.duration_s, stop.reach_s, stop.is_gc) == (0.02, 0.005, False)


JDK8 = """\
2025-05-26T14:27:40.915-0200: 11.115: [GC (Allocation Failure) [PSYoungGen: 2048K->512K(2560K)] 4096K->3072K(9728K), 0.0240000 secs] [Times: user=0.04 sys=0.00, real=0.02 secs]
2025-05-26T14:27:41.155-0200: 11.356: [Full GC (Ergonomics) [PSYoungGen: 512K->0K(2560K)] [ParOldGen: 2560K->1024K(7168K)] 3072K->1024K(9728K), [Metaspace: 6745K->6745K(1056768K)], 0.9000000 secs] [Times: user=4.49 sys=0.64, real=0.92 secs]
12.000: [GC (Allocation Failure) 12.000: [DefNew: 959K->44K(1024K), 0.0007910 secs] 12.001: [Tenured: 2176K->2220K(2264K), 0.0010183 secs] 3135K->2220K(3288K), [Metaspace: 44K->44K(4480K)], 0.0030000 secs] [Times: user=0.00 sys=0.00, real=0.00 secs]
12.500: [GC (CMS Initial Mark) [1 CMS-initial-mark: 10812K(11901K)] 10887K(12514K), 0.0002000 secs] [Times: user=0.00 sys=0.00, real=0.00 secs]
12.600: [GC (CMS Final Remark) [YG occupancy: 387K (613K)]12.6: [Rescan (parallel) , 0.0085125 secs][1 CMS-remark: 10812K(11901K)] 11200K(12514K), 0.0110000 secs] [Times: user=0.06 sys=0.00, real=0.01 secs]
13.000: [GC pause (G1 Evacuation Pause) (young), 0.0144119 secs]
   [Parallel Time: 13.9 ms, GC Workers: 8]
   [Eden: 24.0M(24.0M)->0.0B(13.0M) Survivors: 0.0B->3072.0K Heap: 24.0M(256.0M)->20.5M(256.0M)]
14.000: [GC pause (Metadata GC Threshold) (young) (initial-mark) 24M->21M(256M), 0.0100000 secs]
14.500: [GC pause (G1 Evacuation Pause) (mixed) 40M->21M(256M), 0.0110000 secs]
15.000: [GC concurrent-mark-start]
15.250: [GC concurrent-mark-end, 0.2500000 secs]
15.300: [GC remark 15.300: [Finalize Marking, 0.0002 secs] 15.301: [GC ref-proc, 0.0001 secs], 0.0041 secs] [Times: user=0.01 sys=0.00, real=0.00 secs]
15.400: [GC cleanup 22M->19M(256M), 0.0008 secs]
15.500: Total time for which application threads were stopped: 0.0010000 seconds, Stopping threads took: 0.0001000 seconds
"""  # noqa: E501


def test_the_common_lines_of_jdk_8_are_read() -> None:
    entries = read(JDK8)
    pauses = [(entry.kind, entry.cause, entry.duration_s) for entry in entries_of(entries, "pause")]
    assert pauses == [
        ("Young", "Allocation Failure", 0.024),
        ("Full", "Ergonomics", 0.9),
        ("Young", "Allocation Failure", 0.003),
        ("Initial Mark", "", 0.0002),
        ("Remark", "", 0.011),
        ("Young", "G1 Evacuation Pause", 0.0144119),
        ("Concurrent Start", "Metadata GC Threshold", 0.01),
        ("Mixed", "G1 Evacuation Pause", 0.011),
        ("Remark", "", 0.0041),
        ("Cleanup", "", 0.0008),
    ]
    changes = [
        (entry.before_bytes, entry.after_bytes, entry.committed_bytes)
        for entry in entries_of(entries, "pause")
    ]
    assert changes[:3] == [
        (4096 << 10, 3072 << 10, 9728 << 10),
        (3072 << 10, 1024 << 10, 9728 << 10),
        (3135 << 10, 2220 << 10, 3288 << 10),
    ]
    [heap] = entries_of(entries, "heap")
    assert (heap.before_bytes, heap.after_bytes, heap.committed_bytes) == (24 * MIB, 20.5 * MIB, 256 * MIB)
    [marking] = entries_of(entries, "concurrent")
    assert (marking.kind, marking.duration_s) == ("mark", 0.25)
    assert marking.start_ns == STARTED_NS + 15_000_000_000
    assert [entry.duration_s for entry in entries_of(entries, "safepoint")] == [0.001]


def test_a_line_of_jdk_8_is_dated_by_its_beginning() -> None:
    [pause] = read("12.500: [GC (System.gc())  3072K->1024K(9728K), 0.2500000 secs]")
    assert pause.start_ns == STARTED_NS + 12_500_000_000
    assert pause.cause == "System.gc()"


@given(st.lists(st.text(), max_size=5) | st.lists(st.text("[]()GC: Pause012MKs->.,\"'"), max_size=5))
def test_no_text_at_all_upsets_it(lines: list[str]) -> None:
    reader = GcLogReader(0)
    for line in lines:
        list(reader.take(line, time.monotonic_ns()))


@given(st.data())
def test_no_line_cut_short_upsets_it(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(RECORDED))
    line = data.draw(st.sampled_from(path.read_text().splitlines()))
    list(GcLogReader(0).take(line[: data.draw(st.integers(0, len(line)))], NOW_NS))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("-Xlog:gc*:file=gc.log", [Output("gc.log", True)]),
        ("-Xlog:gc*,safepoint:gc-%p.log:time,uptime:filecount=5,filesize=10m", [Output("gc-%p.log", True)]),
        ('-Xlog:gc*=debug:file="/logs/a:b.log":utctime', [Output("/logs/a:b.log", True)]),
        ("-Xlog:gc:gc.log", [Output("gc.log", False)]),
        ("-Xlog:gc+heap=info,gc=info:gc.log", [Output("gc.log", False)]),
        ("-Xlog::all.log", [Output("all.log", True)]),
        ("-Xlog:all=warning:all.log", []),
        ("-Xlog:safepoint:file=sp.log", []),
        ("-Xlog:gc*", []),
        ("-Xlog:gc*:stdout:time", []),
        ("-Xlog:disable", []),
        ("-Xloggc:gc.log", [Output("gc.log", False)]),
        ("-Xmx1g", []),
    ],
)
def test_the_file_of_a_log_is_found_on_the_command_line(word: str, expected: list[Output]) -> None:
    assert list(outputs(["java", word, "Shop"])) == expected


def test_the_collector_is_known_by_the_flags() -> None:
    assert collector_of("-XX:G1HeapRegionSize=2097152 -XX:+UseG1GC -XX:+UseStringDeduplication") == (
        "G1",
        2 * MIB,
    )
    assert collector_of("-XX:+UseZGC") == ("ZGC", 0)
    assert collector_of("-XX:-UseSerialGC -Xmx1g") == ("", 0)
