"""Results of other tools become recordings: a file is a format, and its name is the tool's.

A member has TOOL (the tool's name as its makers write it), FILES (what is read, in a few words), TIMES (what
its times count), and

    recognises(head: bytes) -> bool           by the first bytes of a file, unpacked
    samples(source, remarks) -> Iterator[RequestSample]
                                              every request of a file, in its order, in constant memory

Where a tool keeps sums and not requests, a member has instead, or for some of its files,

    totals(source, remarks) -> Iterator[LoadStretch]
                                              stretches of the load in order (`_summed`), as the file has them

and where it has both,

    is_summed(head: bytes) -> bool            whether a file that it recognises holds sums

It raises what `source` makes: `source.bad(...)` at a line that cannot be understood. What it leaves out, and
what a reader must know, it adds to `remarks`. Rows may come in any order: they are put in order on the disk
(`_spool`) before the recording is written (`_written`), so that hours need no more memory than minutes.
"""

from loadrig.importers._outcomes import OUTCOMES, outcome_of_status, outcome_of_text
from loadrig.importers._read import import_files, named_after
from loadrig.importers._sample import RequestSample, RunFacts
from loadrig.importers._source import ResultsFile

__all__ = [
    "OUTCOMES",
    "RequestSample",
    "ResultsFile",
    "RunFacts",
    "import_files",
    "named_after",
    "outcome_of_status",
    "outcome_of_text",
]
