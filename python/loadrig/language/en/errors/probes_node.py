"""Errors of `probes.node` and `probes._node` in English."""

from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.permits import not_permitted

_NAME_IT = "name its inspector: `- node: {inspector: HOST:PORT}` under probes"
_WITH_INSPECTOR = "start the program with NODE_OPTIONS=--inspect=127.0.0.1:0"


class ProbesNodeErrors:
    more_processes = "of a server that the rig starts, `- node: {inspect: true}` shows up to four"

    def not_an_address(self, shown: str) -> ErrorWords:
        return ErrorWords(what=f"{shown} is no address", mend="write `- node: {inspector: 127.0.0.1:9229}`")

    def not_here(self, component: str) -> ErrorWords:
        return ErrorWords(what=f"{component} is not on this machine", mend=_NAME_IT)

    def not_permitted(self) -> ErrorWords:
        does = "open Node's inspector and evaluate a few lines through it"
        return not_permitted(
            "node-inspector", "how late its event loop is, with its heap and collections,", does
        )

    def no_node_program(self, pid: str) -> ErrorWords:
        return ErrorWords(what=f"process {pid} runs no Node program", mend=_NAME_IT)

    def inspector_closed(self, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"the inspector of process {pid} is closed",
            mend="add --permit node-inspector, or start it with --inspect",
        )

    def not_yet_open(self, pid: str) -> ErrorWords:
        return ErrorWords(what=f"process {pid} has not yet opened its inspector", mend="wait")

    def processes_left_out(self, watched: int, processes: int) -> str:
        return f"probe node watches {watched} of {processes} Node processes; {self.more_processes}"

    def answers_late(self) -> ErrorWords:
        return ErrorWords(what="its processes answer too late", mend="look whether its CPU is used up")

    def no_longer_watched(self, pid: str) -> ErrorWords:
        return ErrorWords(what=f"process {pid} is no longer watched", mend="wait")


class ProbesNodeInspectorErrors:
    """Errors of `probes._node.inspector`. place: host and port."""

    def questions_refused(self, place: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"the program at {place} refuses to be asked: {why}",
            mend="Node 16 or newer is watched this way; leave others out by `unwatched`",
        )

    def no_inspector(self, place: str) -> ErrorWords:
        return ErrorWords(what=f"what listens at {place} is no inspector", mend="name its port")

    def not_opened_within(self, pid: str, limit_s: str) -> ErrorWords:
        return ErrorWords(
            what=f"process {pid} did not open its inspector within {limit_s} s",
            mend="look whether its CPU is used up",
        )

    def port_taken(self, pid: str, port: str) -> ErrorWords:
        return ErrorWords(
            what=f"process {pid} would open its inspector at port {port}, which is taken",
            mend=_WITH_INSPECTOR,
        )

    def signal_not_handled(self, pid: str) -> ErrorWords:
        return ErrorWords(what=f"process {pid} does not open its inspector at SIGUSR1", mend=_WITH_INSPECTOR)

    def other_user(self, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"process {pid} belongs to another user", mend="run loadrig as that user, or as root"
        )

    def process_gone(self, pid: str) -> ErrorWords:
        return ErrorWords(what=f"process {pid} is gone", mend="look why it ended")

    def own_network(self, pid: str) -> ErrorWords:
        return ErrorWords(
            what=(
                f"process {pid} is in a network of its own (a container), where its inspector cannot be"
                " reached"
            ),
            mend="run loadrig inside of it: `observers` with `via: docker exec -i NAME`",
        )
