"""Texts of this lowest room in English, in the shape of a catalogue.

The catalogues of other languages lie above this room: `language.choice` says which of them speaks.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords


class BaseTexts:
    """Sentences of the lowest room, which may import no catalogue of another."""

    no_longer_listens = "it no longer listens"
    no_file = "it is no regular file"
    not_utf8 = "it is not UTF-8 text"
    pid_unknown = "(not known)"
    kinds_of_files: ClassVar[Mapping[str, str]] = {
        "folder": "it is a folder",
        "fifo": "it is a FIFO (a named pipe), which may never end; write what comes out of it to a file",
        "device": "it is a device, which has no end",
        "disk": "it is a disk, and not a file on it",
        "socket": "it is a socket",
    }
    processes: ClassVar[Mapping[str, str]] = {
        "generator": "the generator's process",
        "node": "a node's process",
        "server": "the server's process",
    }

    # --- amounts that people type ---------------------------------------------------------------------

    def no_duration(self, text: str) -> str:
        return f"{text} is not a duration; write 300ms, 10s, 1m30s or 2h"

    def empty_duration(self) -> str:
        return "an empty text is not a duration; write 300ms, 10s, 1m30s or 2h"

    def no_count(self, text: str) -> str:
        return f"{text} is not a count; write 200, 10k or 1m"

    def no_rate(self, text: str) -> str:
        return f"{text} is not a rate; write 1000, 1000/1s or 50/1m"

    def no_share(self, text: str) -> str:
        return f"{text} is not a share; write 0.1% or 0.001"

    def no_size(self, text: str) -> str:
        return f"{text} is not a size; write 512, 64kB or 1MiB"

    # --- refusals by the system, files, documents ------------------------------------------------------

    def not_started(self, process: str, reason: str) -> ErrorWords:
        what = self.processes.get(process, process)
        return ErrorWords(
            what=f"{what} could not be started: {reason}",
            why="the system refused it to loadrig; what was measured until then is kept",
            mend="give the machine room (ulimit -a, free -m, df -h), then run it again",
        )

    def unreadable_document(self, where: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"{where} cannot be read",
            why=why,
            mend="restore the folder from a copy, or run the trial again; "
            "loadrig itself never writes a document like this, so please send it to us",
        )

    def silent_for(self, seconds: str) -> str:
        return f"it said nothing for {seconds}"

    def file_too_large(self, size: str, most: str) -> str:
        return f"it has {size}, and at most {most} are read"

    def more_than_read(self, most: str) -> str:
        return f"it has more than {most}, which are read at most"

    def variable_not_set(self, name: str) -> str:
        return f"the environment variable {name} is not set"

    def secret_unreadable(self, path: str, why: str) -> str:
        return f"the file {path} cannot be read: {why}"

    # --- who serves an address --------------------------------------------------------------------------

    just_ended = "the listening process has just ended"

    def passed_on(self, url: str, program: str) -> str:
        return (
            f"{url} is passed on by {program}: the server runs in a container; "
            "name its process with `pid` to watch it"
        )

    def port_shared(self, pid: str, others: str) -> str:
        return f"several servers share the port; pid {pid} is watched, {others} are not"

    def listener_unseen(self, path: str) -> str:
        return f"the process that listens on {path} may not be seen by this user"

    def listener_of(self, url: str, user: str, uid: str) -> str:
        return (
            f"{url} is served by a process of user {user} (uid {uid}), which this user may not look at; "
            "run loadrig as that user or as root to watch it"
        )

    # --- inspectors of Node -----------------------------------------------------------------------------

    no_inspector = "it is no inspector"
    an_error = "an error"

    def nothing_within(self, seconds: str) -> str:
        return f"nothing came within {seconds}"

    def inspector_refuses(self, address: str, method: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"the inspector at {address} refuses {method}: {why}",
            mend="look whether another debugger profiles it",
        )

    def inspector_silent(self, address: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"the inspector at {address} does not answer: {why}",
            mend="look whether the program runs and whether its CPU is used up",
        )

    def inspector_open_still(self, pid: str, address: str) -> str:
        return f"the inspector of process {pid} at {address} is open still"

    def inspector_is_closed(self, pid: str) -> str:
        return f"the inspector of process {pid} is closed"

    # --- leases: what a rig has left, and what became of it ----------------------------------------------

    standings: ClassVar[Mapping[str, str]] = {
        "living": "its rig is running",
        "other-host": "it was taken on another host, or here before its name or machine id was changed",
        "other-pid-namespace": "it was taken in another PID namespace (a container), where pids mean others",
        "other-user": "another user has taken it",
        "other-proc": "/proc shows the processes of another PID namespace, so none can be told from the dead",
        "unknown": "it does not say which process has taken it",
    }
    all_in_folder = "all leases in this folder"
    gone_by_restart = "gone since the machine was restarted"
    went_with_network = "it went with the network namespace that it was made in"

    def leased_process(self, pid: str, command: str) -> str:
        return f"process {pid}: {command}"

    def leased_change(self, what: str) -> str:
        return f"change: {what}"

    def leased_inspector(self, pid: str, port: str) -> str:
        return f"inspector of process {pid} at port {port}"

    def leased_folder(self, folder: str) -> str:
        return f"data in {folder}"

    def no_lease_written(self, folder: str, why: str) -> str:
        return f"no lease in {folder}: {why}; `loadrig doctor --clean` will not know of it"

    def not_private(self, why: str) -> str:
        return f"it {why}"

    def other_version(self, schema: str, own: str) -> str:
        return f"it is {schema}, and this version reads {own}"

    def no_lease(self, why: str) -> str:
        return f"it is no lease: {why}"

    def left_alone(self, why: str) -> str:
        return f"left alone: {why}"

    def goes_on(self, pid: str) -> str:
        return f"process {pid} goes on"

    def is_stopped_still(self, pid: str) -> str:
        return f"process {pid} is stopped still"

    def ended_process(self, pid: str, command: str) -> str:
        return f"ended process {pid}: {command}"

    def removed_group(self, group: str) -> str:
        return f"removed cgroup {group}"

    def removed_folder(self, path: str) -> str:
        return f"removed {path}"

    def folder_not_removed(self, path: str, why: str) -> str:
        return f"{path} cannot be removed: {why}"

    def network_not_entered(self, why: str) -> str:
        return f"the network namespace that it was made in cannot be entered: {why}"

    def not_moved_back(self, pid: str, folder: str, why: str) -> str:
        return f"process {pid} could not be moved back to {folder}: {why}"


_speakers: list[Callable[[], BaseTexts]] = [BaseTexts]


def texts() -> BaseTexts:
    """Return the sentences of this room in the language of this process; English where none was chosen."""
    return _speakers[-1]()


def speak(maker: Callable[[], BaseTexts]) -> None:
    """Let a function that knows the language make the sentences from now on."""
    _speakers[:] = [maker]
