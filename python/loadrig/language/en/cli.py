"""Sentences of `cli` in English, a class for each of its files."""

from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.exits import Exit


class CliCheckTexts:
    def plan_fine_run(self, plan: str) -> str:
        return f"\nThe plan is fine. Run it: loadrig run {plan}"


class CliDoctorTexts:
    calibrating_half_minute = "calibrating for half a minute; let nothing else run"
    cleaned_nothing_no = "cleaned  nothing: no killed rig has left anything"
    all_well = "all is well"

    def cleaned(self, lease: str) -> str:
        return f"cleaned  {lease}"

    def could_not_undo(self, line: str) -> str:
        return f"         could not undo: {line}"

    def alone(self, what: str, reason: str) -> str:
        return f"left alone  {what}: {reason}"

    def its_lease(self, path: str) -> str:
        return f"            its lease: {path}"

    def mend(self, word: str, mend: str) -> str:
        return f"      {word}  mend: {mend}"

    def more_loadrig_explain(self, word: str, code: str) -> str:
        return f"      {word}  more: loadrig explain {code}"

    def to_look_at(self, worst: str) -> str:
        return f"{worst} to look at"

    def next_command(self, verdict: str) -> str:
        return f"\n{verdict}; next: loadrig attack URL, or loadrig check PLAN"


class CliDryTexts:
    first_bytes = "The bytes of each route's first request"
    first_fields = "Each route's first request, its fields as HTTP/1.1 writes them, for HTTP/2 packs them"

    def port_stands_chosen(self, unknown_port: str) -> str:
        return f" (port {unknown_port} stands for one chosen at the start)"


class CliExplainTexts:
    headings: ClassVar[Mapping[str, str]] = {
        "word": "Words",
        "code": "Error codes",
        "measure": "Measures",
        "target": "Targets",
        "probe": "Probes",
        "cause": "Causes",
        "strategy": "Strategies",
        "knob": "Knobs",
        "check": "Checks on the rig",
        "key": "Keys of a plan",
        "metric": "Metrics of probes",
        "intervention": "Interventions of a proof",
        "profiler": "Profilers",
        "exporter": "Formats of loadrig export",
        "publisher": "Receivers of a running load",
        "importer": "Results of other tools",
        "converter": "Tests of other tools",
        "value": "Values of keys",
        "lab": "Labs",
        "command": "Commands",
        "exit": "Exit codes",
        "outcome": "Outcomes of requests",
        "figure": "Figures of a load",
    }
    kinds: ClassVar[Mapping[str, str]] = {
        "measure": "a measure",
        "target": "a target",
        "probe": "a probe",
        "cause": "a cause",
        "strategy": "a strategy",
        "check": "a check on the rig",
        "metric": "a metric of a probe",
        "intervention": "an intervention",
        "profiler": "a profiler",
        "exporter": "a format of loadrig export",
        "publisher": "a receiver of a running load",
        "importer": "results of another tool",
        "converter": "tests of another tool",
        "lab": "a lab",
        "command": "a command",
        "exit": "an exit code",
        "outcome": "an outcome of a request",
        "figure": "a figure of a load",
    }
    exits: ClassVar[Mapping[int, str]] = {
        int(code): f"{code.meaning[0].upper()}{code.meaning[1:]}." for code in Exit
    }
    metrics = "Metrics"
    how_to_see_a_page = "loadrig explain NAME shows the page of one."

    def options(self, command: str) -> str:
        return f"Its options: loadrig {command} --help"


class CliImportTexts:
    def plan_made(self, tool: str) -> str:
        return f"a plan, made of a test of {tool}"

    def run_made(self, tool: str) -> str:
        return f"a run, made of results of {tool}"

    def beside(self, file: str) -> str:
        return f"beside it: {file}"

    def left_out(self, count: int, what: str) -> str:
        return f"left out: {count:,} {what}"

    def further_lines(self, count: int) -> str:
        return f"{count:,} more: they stand in the plan, and in the answer of --json"

    def secrets_in_plan(self, count: int) -> str:
        what = "a secret stands" if count == 1 else f"{count} secrets stand"
        return f"{what} in the plan, as in the test; write {{env:NAME}} or {{file:PATH}} before you share it"

    def look_at(self, plan: str) -> str:
        return f"look at it: loadrig check {plan}; loadrig run {plan} --dry"


class CliLabRunTexts:
    has_network_own = "it has a network of its own, which is entered with nsenter"
    none_was = "none was made"

    def lab(self, name: str, stem: str) -> str:
        return f"lab {name} {stem}"

    def no_trial_good(self, why_void: str) -> str:
        return f"no trial was good enough to be diagnosed: {why_void}"

    def but(self, text: str, slowed: str) -> str:
        return f"{text}; but {slowed}"

    def void_run_again(self, text: str) -> str:
        return f"\nvoid: {text}; run it again while nothing else runs here"

    def listens_on(self, name: str, port: str) -> str:
        return f"{name} listens on 127.0.0.1:{port}"

    def load_loadrig_attack(self, inside: str, url: str) -> str:
        return f"load it: {inside}loadrig attack {url} -c 20 -z 30s; Ctrl-C here stops it"

    def lab_run(self, name: str, which: str) -> str:
        return f"lab {name} {which}"

    def capacity(self, name: str) -> str:
        return f"capacity of {name}"

    def capacity_requests_second(self, rps: str, path: str) -> str:
        return f"capacity: {rps} requests a second answered well ({path})"


class CliLabViewTexts:
    next_loadrig_lab = "\nnext: loadrig lab show NAME, or loadrig lab run NAME"
    is_here = "is here"
    is_not_here = "not here"
    nothing_install_all = "nothing to install: all that is needed is here"
    plans = "\nPlans:"
    needs = "\nNeeds:"

    def truth(self, causes: str) -> str:
        return f"truth: {causes}"

    def files_and_next(self, files: str, command: str) -> str:
        return f"\nfiles: {files}\nnext: {command}"

    def case(self, name: str, case: str, title: str) -> str:
        return f"{name}  case {case}  {title}"

    def not_here(self, word: str, lacks: str) -> str:
        return f"{word}          not here: {lacks}"

    def not_here_package(self, package: str) -> str:
        return f"not here; package {package}"

    def and_those(self, folder: str) -> str:
        return f", and those of {folder}"


class CliInitTexts:
    """Sentences of `cli.init`: its questions, and what to do with the plan."""

    listening = "Servers that listen on this machine:"
    which = "Which one?"
    path = "Path of the first request, with its query?"
    users = "How many users at once?"
    goal = "A goal, such as p95 < 500ms?"
    no_goal = "none"

    def row(self, number: int, url: str, kind: str, pid: str) -> str:
        return f"  {number:>2}  {url}  {kind}, pid {pid}"

    def asked(self, question: str, default: str) -> str:
        return f"{question} [{default}] "

    def no_such_number(self, count: int) -> str:
        return f"a number from 1 to {count}, please"

    def not_understood(self, what: str, mend: str) -> str:
        return f"{what}; {mend}"

    def unseen(self, count: int) -> str:
        return f"Of {count} more this user may not see the program: name its URL, or ask with sudo."

    def next_steps(self, plan: str) -> str:
        return f"next: loadrig check {plan}, then loadrig run {plan}"


class CliManTexts:
    """Sentences of `cli.man`: headings of a manual page."""

    name = "NAME"
    synopsis = "SYNOPSIS"
    description = "DESCRIPTION"
    options = "OPTIONS"
    see_also = "SEE ALSO"
    options_word = "options"


class CliLeftOverTexts:
    def killed_rig_not(self, lease: str, not_undone: str) -> str:
        return f"left by a killed rig, not undone: {lease}: {not_undone}; loadrig doctor --clean"

    def killed_rig_undone(self, lease: str) -> str:
        return f"left by a killed rig, undone: {lease}"


class CliMachineTexts:
    benchmark_generator = "the benchmark of the generator"
    comparison_wrk = "the comparison with wrk"
    target_gunicorn_demo = "the target gunicorn and the demo"
    target_uvicorn = "the target uvicorn"
    the_demo = "the demo"
    built_in = "built in"
    never = "never"
    unknown_meaning = "unknown"
    measured_earlier = "earlier"
    nothing_left = "none"
    installed = "installed"
    widen_ports = "sysctl -w net.ipv4.ip_local_port_range='10240 65535', or keep connections alive"
    reuse_ports = "sysctl -w net.ipv4.tcp_tw_reuse=2, or keep connections alive"
    calibrate_here = "loadrig doctor --calibrate (half a minute; let nothing else run)"
    calibrate_alone = "loadrig doctor --calibrate while nothing else runs"
    make_or_pip = "make, or pip install loadrig again"
    generator_server_disturb = ": generator and server disturb each other"
    give_machine_second = "give this machine a second core, or run the server on another machine"
    mount_cgroup_file = (
        "mount the cgroup file system, or go without: CPU time is then taken from the processes"
    )
    none_mounted = "none mounted"
    run_systemd_run = (
        "run it by `systemd-run --user --scope`, or go without: CPU time is taken from the processes"
    )
    no_limit = "no limit"
    range_cannot_read = "the range cannot be read"
    for_all_connections = "for all connections"
    for_loopback = "for loopback connections"
    boot_clocksource_tsc = "boot with clocksource=tsc if the processor has it; reading this clock is slow"
    unknown_source = "unknown source"
    stop_what_else = "stop what else runs here; a virtual machine may need a host that is less shared"
    not_controlled_here = "not controlled here (a virtual machine, or no driver)"
    cpupower_frequency_set = "cpupower frequency-set -g performance (as root)"
    not_done_so = "not done, so the checks G10 and G13 are left out"
    machine_three_cores = "on a machine with three cores: loadrig doctor --calibrate"
    see_timer_cores = (
        "see timer, cores and governor above; stop what else runs, then loadrig doctor --calibrate"
    )
    set_xdg_state = "set XDG_STATE_HOME to a folder that may be written"

    def does_not_load(self, error: str) -> str:
        return f"does not load: {error}"

    def numbers(self, allowed: str, map_text: str) -> str:
        return f"{allowed} (numbers {map_text})"

    def may_written(self, kind: str, folder: str) -> str:
        return f"{kind}, {folder} may be written"

    def may_not_written(self, kind: str, folder: str) -> str:
        return f"{kind}, {folder} may not be written"

    def raise_hard_limit(self, fds_wanted: str) -> str:
        return f"raise the hard limit: `ulimit -Hn {fds_wanted}` as root, or in /etc/security/limits.conf"

    def most_now(self, hard: str, soft: str) -> str:
        return f"{hard} at most (now {soft})"

    def new_connections_second(self, ports: str, low: str, high: str, per_second: str) -> str:
        return f"{ports} ({low}-{high}): {per_second} new connections a second to one address without reuse"

    def resolution_ns(self, source: str, resolution_ns: str) -> str:
        return f"{source}, resolution {resolution_ns} ns"

    def sleeper_wakes_s(self, median: str, sleeps: str, worst: str) -> str:
        return f"a sleeper wakes {median} µs late (median of {sleeps}), {worst} µs at worst"

    def machine_can_generate(self, most: str, honest: str) -> str:
        return (
            f"this machine can generate {most} requests a second with one thread; half of that, {honest}/s,"
        )

    def honest_limit_measured(self, measured: str) -> str:
        return f" is the honest limit (measured {measured})"

    def at_s(self, per_second: str) -> str:
        return f"at {per_second}/s"

    def rate(self, rate: str) -> str:
        return f"rate {rate}"

    def generator_two_agree(self, at: str, rate: str, p99: str) -> str:
        return f"one generator and two agree {at}: {rate}, {p99}"

    def not_decided_so(self, at: str, rate: str, p99: str, why_undecided: str) -> str:
        return f"not decided {at} ({rate}, {p99}), so check G13 is left out: {why_undecided}"

    def generator_differs_from(self, at: str, rate: str, p99: str, verbs: str) -> str:
        return f"one generator differs from two {at}: {rate}, {p99}; that {verbs} every trial (G13)"

    def from_rig_killed(self, stale: str) -> str:
        return f"{stale} from a rig that was killed: "

    def none_rig_alone(self, alone: str) -> str:
        return f"none of this rig's; {alone} left alone: "

    def where_nothing_them(self, folder: str) -> str:
        return f"where nothing of them is left, remove their files in {folder}"

    def none_cannot_written(self, folder: str) -> str:
        return f"none known; {folder} cannot be written, so a killed rig's would not be known"

    def not_installed_needed(self, use: str) -> str:
        return f"not installed; needed for {use}"


class CliSealsTexts:
    def damaged(self, folder: str, file: str, others: int, kind: str, text: str, word: str) -> str:
        which = f"{file} and {others} more are not as they were" if others else f"{file} is not as it was"
        return f"warning: {folder}: {which} sealed ({kind}: {text}); see: loadrig verify {word}"


class CliVerifyTexts:
    not_sealed = "not sealed"
    what_not_sealed = "; what is not sealed is no damage, and could not be checked"
    file_not_sealed = "1 file is not as it was sealed"
    mend_restore_folder = (
        "mend: restore the folder from a copy, or run it again; until then do not rely on what it says"
    )

    def no_file_run(self, folder: str) -> str:
        return f"{folder}: no file of the run or of a trial is sealed, so none was checked; that is no damage"

    def all_sealed_whole(self, folder: str, checked: str, rest: str) -> str:
        return f"{folder}: all that was sealed is whole ({checked}){rest}"

    def files_not_they(self, count: str) -> str:
        return f"{count} files are not as they were sealed"

    def folder_of(self, folder: str, summary: str, checked: str) -> str:
        return f"{folder}: {summary} (of {checked})"
