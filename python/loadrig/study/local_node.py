"""Node on this machine: a process of loadrig with its own cores, ports and trials."""

import math
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from loadrig.base.documents import plain, typed
from loadrig.base.errors import VoidError
from loadrig.base.refused import starting
from loadrig.base.safe_python import safe_python
from loadrig.base.talks import BrokenTalk, ProcessTalk
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.study import StudyLocalNodeErrors
from loadrig.language.en.study import StudyLocalNodeTexts
from loadrig.recording.layout import RunFolder
from loadrig.study.node_messages import NodeAnswer, NodeBegin, NodeOrder
from loadrig.study.node_process import packed
from loadrig.study.study_node import LostNode
from loadrig.study.trials import DoneTrial
from loadrig.trial.spec import TrialSpec

TEXTS, ERRORS = texts_of(StudyLocalNodeTexts), texts_of(StudyLocalNodeErrors)

STARTS_WITHIN_S = 60.0
"""Longest wait for a node's process, in seconds: it imports a trial's modules, a second on a free core."""


class LocalNode:
    """Node of this machine. cpus: cores of its own; empty: all of ours. log: file for its messages.

    held: descriptor of the ledger, which stays locked until the last node has ended: a killed driver's trials
    end by themselves a little later than it, and until then nobody may go on with the study.
    """

    def __init__(self, name: str, run: RunFolder, cpus: Sequence[int], log: Path, held: int) -> None:
        self.name = name
        with starting("node"):
            self._talk = ProcessTalk(safe_python("-m", "loadrig.study.node_process"), log, held=(held,))
        try:
            self._talk.send(plain(NodeBegin(folder=str(run.path.absolute()), cpus=tuple(cpus))))
            if self._talk.read(STARTS_WITHIN_S) is None:
                raise BrokenTalk(TEXTS.ended)
        except BrokenTalk as broken:
            words = self._talk.last_words()
            self._talk.close()
            raise VoidError.of(
                ERRORS.not_started(name, str(broken)), code="rig.refused", detail=words
            ) from None

    @property
    def pid(self) -> int:
        """Pid of the node's process."""
        return self._talk.pid

    def run(self, spec: TrialSpec) -> DoneTrial:
        """Run a trial to its end, see StudyNode."""
        over = self.ask(NodeOrder(spec=packed(spec)), spec.index).over()
        if over is None:
            raise LostNode(TEXTS.ended)
        return over

    def ask(self, order: NodeOrder, index: int) -> NodeAnswer:
        """Let the node's process carry out an order, see StudyNode: it writes into the run's folder."""
        del index
        try:
            self._talk.send(plain(order))
            # However long a trial takes: a node that is gone closes its end.
            answer = self._talk.read(math.inf, lambda: None)
        except (BrokenTalk, ValueError) as broken:
            raise LostNode(str(broken)) from None
        if answer is None:
            raise LostNode(TEXTS.ended)
        return typed(NodeAnswer, answer, self.name)

    def stop(self) -> None:
        """End the trial that runs, as Ctrl-C does."""
        with suppress(BrokenTalk):
            self._talk.send(plain(NodeOrder(stop=1)))

    def close(self) -> None:
        """End the process; a trial that runs is ended."""
        self._talk.close()
