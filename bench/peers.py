"""The peers: an entry for each tool and kind of load. One that is not installed is named as absent.

Holes of a command: {url}, {origin} (without its last slash), {port}, {connections}, {seconds},
{rate} (requests a second in all), {per} (of each connection), {streams} (of each connection),
{users} (connections times streams: for those who carry one stream a connection),
{file} (a scratch file the tool may write), {targets} (a file with the one line `GET URL`),
{scripts} (the folder of that name here). Modes: closed (HTTP/1.1, no think time), tls (the same
over TLS 1.3), h2 (HTTP/2 over TLS), open (a fixed rate), honest (a fixed rate, the stalling server),
cold (one request).
"""

import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import parsers
from bench.programs import find

SCRIPTS = Path(__file__).parent / "scripts"

PACKAGES = {
    "wrk": "apt wrk", "ab": "apt apache2-utils", "h2load": "apt nghttp2-client", "siege": "apt siege",
    "oha": "cargo oha", "rewrk": "cargo rewrk", "fortio": "go fortio.org/fortio@v1.66.0",
    "hey": "go github.com/rakyll/hey", "k6": "go go.k6.io/k6", "vegeta": "go github.com/tsenart/vegeta/v12",
    "autocannon": "npm autocannon", "locust": "pip locust", "wrk2": "source github.com/giltene/wrk2",
}  # fmt: skip
"""Packages by which each program is installed: the manager, and the name there."""

SAYS_VERSION = {
    "wrk": "-v", "ab": "-V", "h2load": "--version", "siege": "-V", "oha": "--version", "rewrk": "--version",
    "fortio": "version", "k6": "version", "vegeta": "--version", "autocannon": "--version",
    "locust": "--version", "wrk2": "-v", "loadrig": "--version", "jmeter": "--version", "newman": "--version",
}  # fmt: skip
"""Words that make a program say its version; hey cannot."""


@dataclass(frozen=True)
class Peer:
    """name: as in the tables; several may be one program with different options.

    report: a command that turns the scratch file into what the parser reads; its cost is not counted.
    """

    name: str
    modes: tuple[str, ...]
    command: str
    parser: parsers.Parser | None
    report: str = ""

    @property
    def program(self) -> str:
        """The program's own name."""
        return next(word for word in self.command.split() if word != "env" and "=" not in word)

    def argv(self, holes: dict[str, object]) -> list[str]:
        """Return the command with its holes filled."""
        return shlex.split(self.command.format(**holes))

    def report_argv(self, holes: dict[str, object]) -> list[str]:
        """Return the command of the report, empty if the output is the report."""
        return shlex.split(self.report.format(**holes))


_LIMIT = "limit -p {port} -c {connections} -d {seconds}"
_FORTIO = "fortio load -quiet -r 0.0001 -c {users} -t {seconds}s -p 50,90,95,99,99.9 -json {file}"
_OHA = "oha --no-tui --insecure -z {seconds}s --output-format json"
_REWRK = "rewrk -t 1 -d {seconds}s --json -h {url}"
_AUTOCANNON = "autocannon -n -j -c {connections} -d {seconds}"
_K6 = (
    "k6 run -q --no-usage-report --summary-export {file} -e URL={url} -e CONNECTIONS={users}"
    " -e SECONDS={seconds} -e RATE={rate}"
)
_LOCUST = (
    "locust -f {scripts}/locustfile.py --headless -u {connections} -r {connections} -t {seconds}s --json"
    " --only-summary --skip-log -H {origin}"
)
_VEGETA = (
    "vegeta attack -insecure -targets {targets} -output {file} -duration {seconds}s"
    " -max-workers {connections}"
)
_VEGETA_SAYS = "vegeta report -type=json {file}"

PEERS = (
    Peer("limit", ("closed",), _LIMIT, parsers.limit),
    Peer("limit + histogram", ("closed",), _LIMIT + " -H", parsers.limit),
    Peer("limit", ("scenario",), _LIMIT + " -u /item?q=lamp", parsers.limit),
    Peer(
        "loadrig attack", ("closed", "tls"),
        "loadrig attack {url} -k -c {connections} -z {seconds}s --json -o {file}", parsers.loadrig_attack,
    ),
    Peer("wrk", ("closed", "tls"), "wrk -t1 -c{connections} -d{seconds}s --latency {url}", parsers.wrk),
    Peer("ab", ("closed",), "ab -q -k -c{connections} -t{seconds} -n100000000 {url}", parsers.ab),
    Peer("ab", ("tls",), "ab -q -k -f TLS1.3 -c{connections} -t{seconds} -n100000000 {url}", parsers.ab),
    Peer("h2load", ("closed", "tls"), "h2load --h1 -t1 -c{connections} -D{seconds} {url}", parsers.h2load),
    Peer("h2load", ("h2",), "h2load -t1 -c{connections} -m{streams} -D{seconds} {url}", parsers.h2load),
    Peer(
        "h2load", ("open", "honest"),
        "h2load --h1 -t1 -c{connections} -D{seconds} --rps={per} --log-file={file} {url}", parsers.h2load,
    ),
    Peer("rewrk", ("closed", "tls"), _REWRK + " -c {connections}", parsers.rewrk),
    Peer("rewrk", ("h2",), _REWRK + " -c {users} --http2", parsers.rewrk),
    Peer("oha", ("closed", "tls"), _OHA + " -c {connections} {url}", parsers.oha),
    Peer("oha", ("h2",), _OHA + " --http2 -p {streams} -c {connections} {url}", parsers.oha),
    Peer("oha", ("open", "honest"), _OHA + " -c {connections} -q {rate} {url}", parsers.oha),
    Peer(
        "oha --latency-correction", ("open", "honest"),
        _OHA + " -c {connections} -q {rate} --latency-correction {url}", parsers.oha,
    ),
    Peer("fortio", ("closed", "tls"), _FORTIO + " -k -qps 0 {url}", parsers.fortio),
    Peer("fortio", ("h2",), _FORTIO + " -k -h2 -stdclient -qps 0 {url}", parsers.fortio),
    Peer("fortio", ("open", "honest"), _FORTIO + " -qps {rate} {url}", parsers.fortio),
    Peer(
        "fortio -nocatchup -uniform", ("honest",),
        _FORTIO + " -nocatchup -uniform -qps {rate} {url}", parsers.fortio,
    ),
    Peer("autocannon", ("closed", "tls"), _AUTOCANNON + " {url}", parsers.autocannon),
    Peer(
        "autocannon", ("open", "honest"),
        _AUTOCANNON + " -R {rate} {url}", parsers.autocannon,
    ),
    Peer("vegeta", ("closed", "tls"), _VEGETA + " -rate 0", parsers.vegeta, _VEGETA_SAYS),
    Peer("vegeta", ("open", "honest"), _VEGETA + " -rate {rate}/1s", parsers.vegeta, _VEGETA_SAYS),
    Peer("hey", ("closed", "tls"), "hey -z {seconds}s -c {connections} {url}", parsers.hey),
    Peer("hey", ("h2",), "hey -h2 -z {seconds}s -c {users} {url}", parsers.hey),
    Peer("hey", ("open", "honest"), "hey -z {seconds}s -c {connections} -q {per} {url}", parsers.hey),
    Peer("k6", ("closed", "tls", "h2"), _K6 + " -e MODEL=closed {scripts}/k6.js", parsers.k6),
    Peer("k6", ("open", "honest"), _K6 + " -e MODEL=open {scripts}/k6.js", parsers.k6),
    Peer("siege", ("closed",), "siege -b -q -j -c {connections} -t {seconds}S {url}", parsers.siege),
    Peer("locust", ("closed",), _LOCUST, parsers.locust),
    Peer("locust", ("open", "honest"), "env PER_USER={per} " + _LOCUST, parsers.locust),
    Peer(
        "wrk2", ("open", "honest"),
        "wrk2 -t1 -c{connections} -d{seconds}s -R{rate} --latency {url}", parsers.wrk2,
    ),
    Peer("loadrig attack", ("cold",), "loadrig attack {url} -c 1 -n 1 -o {file}", None),
    Peer("ab", ("cold",), "ab -q -n1 -c1 {url}", None),
    Peer("h2load", ("cold",), "h2load --h1 -n1 -c1 {url}", None),
    Peer("oha", ("cold",), "oha --no-tui -n1 -c1 {url}", None),
    Peer("hey", ("cold",), "hey -n 1 -c 1 {url}", None),
    Peer("fortio", ("cold",), "fortio load -quiet -qps 0 -n 1 -c 1 {url}", None),
    Peer("k6", ("cold",), "k6 run -q --no-usage-report -e URL={url} -e MODEL=one {scripts}/k6.js", None),
    Peer("autocannon", ("cold",), "autocannon -n -j -c 1 -a 1 {url}", None),
    Peer("siege", ("cold",), "siege -q -j -c1 -r1 {url}", None),
    Peer("wrk", ("cold",), "wrk -t1 -c1 -d1s {url}", None),
    Peer(
        "vegeta", ("cold",),
        "vegeta attack -targets {targets} -output {file} -duration 10ms -rate 100/1s", None,
    ),
    Peer(
        "locust", ("cold",),
        "locust -f {scripts}/locustfile.py --headless -u 1 -r 1 -t 1s --only-summary -H {origin}", None,
    ),
)  # fmt: skip


def of_mode(mode: str, folders: Sequence[str]) -> tuple[list[Peer], list[str]]:
    """Peers of a mode that are found on this machine, and the names of those that are absent."""
    asked = [peer for peer in PEERS if mode in peer.modes]
    present = [peer for peer in asked if find(peer.program, folders)]
    absent = dict.fromkeys(peer.program for peer in asked if peer not in present)
    return present, list(absent)


def versions(programs: Iterable[str], folders: Sequence[str]) -> dict[str, str]:
    """Return what these programs say of their version; those that say nothing are left out."""
    version_by_program = {}
    for program in programs:
        path, asks = find(program, folders), SAYS_VERSION.get(program)
        if path is None or asks is None:
            continue
        # wrk and others end with an error after they have said it.
        with tempfile.TemporaryDirectory() as folder:  # JMeter writes its log even for that
            ran = subprocess.run(
                [path, asks], capture_output=True, text=True, check=False, timeout=30, cwd=folder
            )
        # Not that of the Go that built it, which vegeta says when it was not told its own.
        if number := re.search(r"(?<![\w.])v?(\d+\.\d+(?:\.\d+)?)", ran.stdout + ran.stderr):
            version_by_program[program] = number[1]
    return version_by_program
