"""Commands by which each tool runs a file as a single user, without pauses, a few times over."""

import json
import os
import re
import signal
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

LOOPS = 2
"""Times that a sequence is gone through: the second shows what is kept from the first."""

REQUESTS = 300
"""Requests where shares are compared: chance puts two of them 0.04 apart then, as a standard deviation."""

MOST_S = 25
"""Time that a tool may take, in seconds: those that wait for something are asked to end then."""

MOST_JVM_S = 75
"""Time that a tool of the JVM may take, in seconds: it starts for ten of them on a machine of two cores."""

MOST_SHOWN = 20_000
"""Letters of what a tool says that are kept at most, the last ones."""

POSTMAN_COLLECTION = ".postman_collection.json"

LOCUST_WITHOUT_PAUSES = f"""
import os, random, time
import gevent
import requests
from locust import events
from locust.user.task import TaskSet

sent = []
random.seed(5)
TaskSet._sleep = lambda self, seconds: gevent.sleep(0)
time.sleep = lambda seconds: gevent.sleep(0)
initialised = requests.Session.__init__

def trusting(self):
    initialised(self)
    self.verify = False

requests.Session.__init__ = trusting

@events.request.add_listener
def count(**_):
    sent.append(1)
    if len(sent) > {REQUESTS}:
        os._exit(0)
"""
"""File that Locust loads beside the test: without pauses, trusting any server, ending after some requests."""


@dataclass(frozen=True)
class ToolCommand:
    """Command by which a tool runs a test.

    words: of the command behind the program, with the holes {file}, {folder}, and {server} of the plan.
    more: words by the test's text. patched: the text that is run in the place of the test's own.
    users: how many the tool has.
    own_headers: those that the tool adds; they are compared only where the test names them.
    by_chance: pattern of a test of an ordered tool whose users have several courses after all.
    at_once: what a test has that makes requests at the same time, so that their order is by chance.
    is_in_order: whether a user's requests come in one order; else the shares of routes are compared.
    companions: options that name a file beside the test, and how that file's name may end.
    naming: the part of a test's text that can name headers, in lower case.
    most_s: time that a run may take, in seconds. is_alone: whether it runs beside no other comparison.
    needs: patterns of a test that sends nothing, and of what the tool printed, by what it lacks here.
    log: name of the file in which the tool says more than it prints.
    """

    program: str
    words: str
    more: Callable[[str], Sequence[str]] = lambda _: ()
    patched: Callable[[str], str] = str
    users: Callable[[str], int] = lambda _: 1
    environment: Mapping[str, str] = field(default_factory=dict)
    own_headers: frozenset[str] = frozenset()
    is_in_order: bool = True
    by_chance: re.Pattern[str] | None = None
    at_once: str = ""
    companions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    naming: Callable[[str], str] = str.lower
    most_s: int = MOST_S
    is_alone: bool = False
    needs: Mapping[str, str] = field(default_factory=dict)
    log: str = ""

    def is_ordered(self, text: str) -> bool:
        """Return whether the requests of a user of a test come in one order."""
        return self.is_in_order and (self.by_chance is None or self.by_chance.search(text) is None)

    def lacking(self, test: str, printed: str) -> str:
        """Return what a test that sent nothing needs: as the tool tells it, else by the test's elements."""
        for text in (printed, test):
            names = [name for name, pattern in self.needs.items() if re.search(pattern, text)]
            if names:
                return ", ".join(names)
        return ""

    def beside(self, test: Path) -> dict[str, Path]:
        """Return the files beside a test that belong to it, by the options that name them to the tool."""
        stem = test.name.removesuffix(POSTMAN_COLLECTION)
        files = {
            option: test.with_name(stem + ending)
            for option, endings in self.companions.items()
            for ending in endings
            if test.with_name(stem + ending).is_file()
        }
        return {option: file for option, file in files.items() if file != test}


_CHOOSES = re.compile(
    r"<(?:InterleaveControl|RandomController|ThroughputController)\b[^>]*\benabled=\"true\""
)
"""Pattern of a controller of JMeter that makes another part of its children in each loop."""

_K6_NEEDS = {"versions or ciphers of TLS of its own": r"tlsVersion|tlsCipherSuites"}
_LOCUST_NEEDS = {
    "a module of Python": "ModuleNotFoundError",
    "a web page": "can't run this headless",
    "a variable of the environment": r"os\.environ\[",
}
"""Patterns of what a script or a file needs that is not here."""

_JMETER_NEEDS = {
    "a file": "must exist and be readable|FileNotFoundException|NoSuchFileException",
    **{name: rf"<(?:{kinds})\b" for name, kinds in {
        "JDBC": "JDBCSampler|JDBCDataSource", "FTP": "FTPSampler", "LDAP": "LDAPSampler|LDAPExtSampler",
        "JMS": "PublisherSampler|SubscriberSampler|JMSSampler", "mail": "SmtpSampler|MailReaderSampler",
        "AJP": "AjpSampler", "TCP": "TCPSampler", "programs": "SystemSampler", "JUnit": "JUnitSampler",
        "an access log": "AccessLogSampler", "SOAP": "SoapSampler|WebServiceSampler",
    }.items()},
}  # fmt: skip
"""Patterns of what JMeter says that it lacks, and of elements for which there is no server here."""


def _jmeter(text: str) -> str:
    """Return a test plan with a user in each group, some loops, and no timers, in the same order else."""
    loops = REQUESTS if _CHOOSES.search(text) else LOOPS
    root = ElementTree.fromstring(text)
    for element in root.iter():
        name = element.get("name", "")
        if name.endswith("ThreadGroup.num_threads"):
            element.text = "1"
        elif name in ("ThreadGroup.ramp_time", "ThreadGroup.delay"):
            element.text = "0"
        elif name == "ThreadGroup.scheduler":
            element.text = "false"
        elif name == "ThreadGroup.main_controller":
            _set_loops(element, loops)
        elif element.tag.endswith("Timer"):
            element.set("enabled", "false")
    # Written as it is, a carriage return would be read as the end of a line alone.
    return ElementTree.tostring(root, encoding="unicode").replace("\r", "&#13;")


def _set_loops(controller: ElementTree.Element, loops: int) -> None:
    """Set the loops of a group."""
    for part in controller:
        if part.get("name") == "LoopController.loops":
            part.text = str(loops)
        elif part.get("name") == "LoopController.continue_forever":
            part.text = "false"


def _k6(text: str) -> str:
    """Return a script that does not sleep."""
    return re.sub(r"(?<![\w.])sleep\(", "Number(", text)


def _k6_words(text: str) -> Sequence[str]:
    # Options of a command line take the place of scenarios, which may begin at functions of other names.
    return () if "scenarios" in text else ("--vus", "1", "--iterations", str(LOOPS))


def _locust_users(text: str) -> int:
    """Return how many classes of users a file has: a user of each class is needed to see what each sends."""
    return max(1, len(re.findall(r"^class \w+\(.*(?:User|Locust)\b.*\):", text, re.MULTILINE)))


def _locust_words(text: str) -> Sequence[str]:
    users = str(_locust_users(text))
    words = ("-u", users, "-r", users)
    return words if re.search(r"^\s+host\s*=", text, re.MULTILINE) else (*words, "--host", "{server}")


def _vegeta_words(text: str) -> Sequence[str]:
    return ("-format", "json" if text.lstrip().startswith("{") else "http")


def _headers_of_collection(text: str) -> str:
    """Return the headers that requests of a collection name: answers that are saved in it have others."""

    def walk(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            request = value.get("request")
            if isinstance(request, dict):
                yield json.dumps(request.get("header"))
            # A report of newman has a collection, too, and then all that was sent and answered.
            yield from walk([value.get("collection"), value.get("item")])
        elif isinstance(value, list):
            for part in value:
                yield from walk(part)

    return "\n".join(walk(json.loads(text))).lower()


COMMANDS = {
    "jmeter": ToolCommand(
        "jmeter", "-n -t {file} -j jmeter.log", patched=_jmeter, environment={"JVM_ARGS": "-Xmx512m"},
        most_s=MOST_JVM_S, is_alone=True, by_chance=_CHOOSES, needs=_JMETER_NEEDS,
        log="jmeter.log",
    ),
    "k6": ToolCommand(
        "k6", "run --quiet --no-usage-report --insecure-skip-tls-verify {file}", _k6_words, patched=_k6,
        own_headers=frozenset(("referer",)), by_chance=re.compile("scenarios"), at_once="http.batch(",
        needs=_K6_NEEDS,
    ),
    "locust": ToolCommand(
        "locust", "-f pauses.py,{file} --headless --loglevel ERROR", _locust_words, users=_locust_users,
        is_in_order=False,
        needs=_LOCUST_NEEDS,
    ),
    "postman": ToolCommand(
        "newman", f"run {{file}} -k -n {LOOPS} --reporters cli --working-dir {{folder}}",
        own_headers=frozenset(("referer", "cache-control", "postman-token")), naming=_headers_of_collection,
        companions={
            "-e": (".postman_environment.json",), "-g": (".postman_globals.json",),
            "-d": (".postman_data.json", ".postman_data.csv"),
        },
    ),
    "siege": ToolCommand("siege", "-f {file} -c 1 -r 100 -b --no-parser", is_in_order=False),
    "vegeta": ToolCommand(
        "vegeta", "attack -targets {file} -rate 60 -duration 5s -insecure -output /dev/null",
        _vegeta_words, is_in_order=False, own_headers=frozenset(("x-vegeta-seq", "x-vegeta-attack")),
    ),
}  # fmt: skip
"""Commands by the converter that reads the tool's tests."""


def run(command: ToolCommand, program: str, file: Path, server: str, folder: Path) -> str:
    """Run a tool over a file in a folder of its own; return what it printed at last.

    The folder holds links to what lies beside the file.
    """
    text = file.read_text(encoding="utf-8-sig")
    folder.mkdir()
    for beside in file.parent.iterdir():
        if beside.name != file.name:
            (folder / beside.name).symlink_to(beside.resolve())
    # A module of Python has a plain name, whatever that of the file is.
    copy = folder / (re.sub(r"\W", "_", file.stem) + file.suffix)
    copy.write_text(command.patched(text), encoding="utf-8")
    if command.program == "locust":
        (folder / "pauses.py").write_text(LOCUST_WITHOUT_PAUSES, encoding="utf-8")
    holes = {"file": copy.name, "folder": str(folder), "server": server}
    words = [program, *(word.format(**holes) for word in (*command.words.split(), *command.more(text)))]
    for option, companion in command.beside(file).items():
        words += [option, companion.name]
    environment = {**os.environ, "HOME": str(folder), **command.environment}
    with subprocess.Popen(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
    ) as process:  # fmt: skip
        try:
            printed, _ = process.communicate(timeout=command.most_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)
            try:
                printed, _ = process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                printed, _ = process.communicate()
    log = folder / (command.log or ".")
    more = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    return "\n".join((more[-MOST_SHOWN:], printed[-MOST_SHOWN:]))
