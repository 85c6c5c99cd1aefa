"""JTL as XML, as a stream: only the attributes of samples are kept, of answers' bodies nothing."""

from collections.abc import Iterator
from xml.parsers import expat

from loadrig.importers._jtl import Record
from loadrig.importers._source import ResultsFile
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersJmeterErrors

ERRORS = texts_of(ImportersJmeterErrors)

_SAMPLES = frozenset(("sample", "httpSample"))
_ROOT = "testResults"

LONGEST_TAG_BYTES = 4 << 20
"""Bytes of a tag with its attributes (a label, a message of failure, a URL) at most. The parser keeps a tag
until it ends, and looks through it anew with every block."""

DEEPEST = 200
"""Levels of elements within each other at most. JMeter nests a sample in its controllers, a few deep."""


class _Parser:
    """Collector of the records of what was fed.

    A sample within another one is a part of it, unless that one is a transaction.
    """

    def __init__(self) -> None:
        self.records: list[Record] = []
        self._within: list[Record] = []
        self.has_ended = False
        self._depth = 0
        self._fed = 0
        self.expat = expat.ParserCreate()
        self.expat.StartElementHandler = self._start
        self.expat.EndElementHandler = self._end
        self.expat.StartDoctypeDeclHandler = self._refuse
        self.expat.EntityDeclHandler = self._refuse

    def feed(self, block: bytes) -> None:
        """Take the next bytes. Raise ValueError or ExpatError for what no JMeter has written."""
        self._fed += len(block)
        self.expat.Parse(block, False)
        # The parser keeps what it has not understood yet: a tag that never ends would take all memory.
        if self._fed - self.expat.CurrentByteIndex > LONGEST_TAG_BYTES:
            raise ValueError(ERRORS.long_tag)

    def _refuse(self, *_: object) -> None:
        # An entity may stand for gigabytes, or for a file of this machine; JMeter writes none.
        raise ValueError(ERRORS.foreign_declaration)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError(ERRORS.deep_nesting(DEEPEST))
        if name not in _SAMPLES:
            return
        record = Record.of_texts(
            attributes.get("ts", ""), attributes.get("t", ""), attributes.get("lb", ""),
            attributes.get("rc", ""), attributes.get("rm", ""), attributes.get("tn", ""),
            attributes.get("s", ""), "", attributes.get("by", ""), attributes.get("na", ""),
            is_part=any(whole.in_transaction < 0 for whole in self._within),
        )  # fmt: skip
        self._within.append(record)
        self.records.append(record)

    def _end(self, name: str) -> None:
        self._depth -= 1
        if name in _SAMPLES:
            self._within.pop()
        self.has_ended = name == _ROOT


def records(source: ResultsFile) -> Iterator[Record]:
    """Yield every sample, in the file's order. Raise PlanError `import.bad-line`."""
    parser = _Parser()
    for block in source.blocks():
        try:
            parser.feed(block)
        except (ValueError, expat.ExpatError) as error:
            raise source.bad(str(error), line=parser.expat.CurrentLineNumber) from error
        yield from parser.records
        parser.records.clear()
    # A JMeter that was stopped hard leaves the root open; every sample that has begun has its attributes.
    source.was_torn = source.was_torn or not parser.has_ended
