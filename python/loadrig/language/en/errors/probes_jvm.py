"""Errors of the probes of a JVM in English: of `probes._jvm`, `probes.hikari` and `probes.tomcat`."""

from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.permits import not_permitted

_RESTART = "start it anew, without -Xrs"
_WITH_LOG = "start it with -Xlog:gc*,safepoint:file=gc.log"
_HANGS = "look whether it hangs or its CPU is used up"


class ProbesJvmAttachErrors:
    """Errors of `probes._jvm.attach`. pid: of the JVM."""

    no_socket_opened = "it did not open its socket"

    def other_user(self, pid: str, user: str) -> ErrorWords:
        return ErrorWords(
            what=f"process {pid} is a JVM of {user}, and only that user may enter it",
            mend=f"sudo -u {user} loadrig …",
        )

    def attach_disabled(self, pid: str, flag: str) -> ErrorWords:
        return ErrorWords(
            what=f"the JVM {pid} lets nobody in: it runs with {flag}", mend=f"start it without {flag}"
        )

    def no_way_in(self, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"the JVM {pid} cannot be entered: it handles no SIGQUIT and has no socket in /tmp",
            mend=_RESTART,
        )

    def command_refused(self, pid: str, command: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"the JVM {pid} refuses {command}: {why}",
            mend="look whether it is a HotSpot JVM of version 9 or later",
        )

    def status_of(self, status: str) -> str:
        return f"status {status}"

    def jvm_ended(self, pid: str) -> ErrorWords:
        return ErrorWords(what=f"the JVM {pid} has ended", mend="look into its log for why")

    def trigger_not_made(self, pid: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"no file can be made where the JVM {pid} looks for it: {why}", mend="run loadrig as root"
        )

    def another_listener(self, pid: str, listener: str, path: str) -> ErrorWords:
        return ErrorWords(
            what=f"on the socket of the JVM {pid} another process listens ({listener or 'not ours'})",
            mend=f"see who made {path}, and remove it",
        )

    def no_answer(self, pid: str, why: str) -> ErrorWords:
        return ErrorWords(what=f"the JVM {pid} does not answer: {why}", mend=_HANGS)

    def process_unknown(self) -> ErrorWords:
        return ErrorWords(
            what="the server's process is not known", mend="name its pid in the plan, or run on its machine"
        )

    def user_without_name(self, number: str) -> str:
        return f"user {number}"


class ProbesJvmJdkErrors:
    def reader_not_private(self, path: str, why: str, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"the reader of a JVM's MBeans is not started: {path} {why}",
            mend=f"remove {folder}, or make it yours alone",
        )

    def tool_missing(self, tool: str) -> ErrorWords:
        return ErrorWords(
            what=f"the reader of a JVM's MBeans needs {tool}, which is not on this machine",
            mend="apt-get install openjdk-17-jdk-headless, or set JAVA_HOME",
        )

    def not_compiled(self, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"the reader of a JVM's MBeans cannot be compiled: {why}",
            mend="set JAVA_HOME to a JDK of version 11 or later",
        )


class ProbesJvmReaderErrors:
    """Errors of `probes._jvm.reader`. place: the JVM, or the URL of its JMX."""

    def jvm_of(self, pid: str) -> str:
        return f"the JVM {pid}"

    def own_network(self, place: str) -> ErrorWords:
        return ErrorWords(
            what=f"{place} is in a network of its own, which may be entered by root only",
            mend="run loadrig as root",
        )

    def no_connector(self, place: str) -> ErrorWords:
        return ErrorWords(
            what=f"{place} opens no connector for JMX",
            mend="look whether it has the module jdk.management.agent",
        )

    def silent(self, place: str) -> ErrorWords:
        return ErrorWords(what=f"{place} does not answer by JMX", mend=_HANGS)

    def failed(self, place: str, error: str) -> ErrorWords:
        return ErrorWords(what=f"{place} does not answer by JMX: {error}", mend="look whether it runs")

    def refused(self, place: str, error: str) -> ErrorWords:
        return ErrorWords(what=f"{place} refuses: {error}", mend="name a user and password_env of its JMX")

    def reader_ended(self, place: str) -> ErrorWords:
        return ErrorWords(
            what=f"the reader of the MBeans of {place} has ended",
            mend="look whether this machine is short of memory",
        )


class ProbesJvmSessionErrors:
    contents: ClassVar[Mapping[str, str]] = {
        "jvm": "memory of the JVM by pool, with its threads by state,",
        "hikari": "how many connections of its pool are in use",
        "tomcat": "how many threads of its Tomcat are busy",
    }

    def not_permitted(self, probe: str) -> ErrorWords:
        does = "attach to the JVM, which opens a port of loopback there"
        return not_permitted("jvm-attach", self.contents.get(probe, probe), does)


class ProbesJvmGcWatchErrors:
    undated = "the log of the JVM bears no dates: its pauses are placed where they were read"

    def not_permitted(self) -> ErrorWords:
        does = "attach to the JVM and switch a log on (or start it with -Xlog:gc*,safepoint:file=gc.log)"
        return not_permitted("jvm-attach", "each pause of the JVM's collector", does)


class ProbesJvmGcSourceErrors:
    """Errors of `probes._jvm.gc_source`. pid: of the JVM."""

    folder_replaced = "somebody has put another folder in the place of ours"

    def file_not_made(self, pid: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"no file can be made for the log of the JVM {pid}: {why}",
            mend="run loadrig as root, or start the JVM with -Xlog:gc*,safepoint:file=gc.log",
        )

    def log_refused(self, pid: str, path: str, why: str) -> ErrorWords:
        return ErrorWords(what=f"the JVM {pid} cannot log its collections to {path}: {why}", mend=_WITH_LOG)


class ProbesJvmWatchErrors:
    """Errors of `probes._jvm.jvm_watch`."""

    def not_a_number(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown} in its option mbeans names no number of an MBean",
            mend="write MBEAN/ATTRIBUTE, as in java.lang:type=Threading/PeakThreadCount",
        )

    def only_published(self, reason: str, mend: str) -> str:
        return f"of the JVM only what it publishes is read: {reason}; {mend}"


class ProbesHikariErrors:
    def no_mbeans(self) -> ErrorWords:
        return ErrorWords(
            what="the HikariCP in this JVM registers no MBeans",
            mend="set spring.datasource.hikari.register-mbeans=true, or registerMbeans=true of its pool",
        )


class ProbesTomcatErrors:
    def no_mbeans(self) -> ErrorWords:
        return ErrorWords(
            what="the Tomcat in this JVM registers no MBeans",
            mend="set server.tomcat.mbeanregistry.enabled=true (Spring Boot)",
        )
