"""Profiles of a component's CPU time, taken for some seconds while it is loaded.

A member is a file: NAME, RANK, EFFECTS (what it does to a server, see base.effects), Options,
fits(component) -> bool, and take(options, component, shot) -> Capture, which waits until the profile is there
and raises Unavailable where there can be none. Of those that fit a component the one with the least RANK is
asked first. What a member brings is either stacks, which are turned into pprof here, or a pprof that its
runtime has written.

ONLY, a literal on one line, names facts of the components that it fits, where it fits no others, as in the
room of probes: one that cannot fit is then not imported while the load runs.

All profiles are kept as pprof, so one module (`_pprof`) writes and reads them, one (`_origin`) tells the
program's own code from its libraries, one (`_summary`) adds up by function, and one (`_classes`, by the table
`_classes.toml`) by class of work. What results say of them is made in `_cpu_time`, which nothing imports
before a result is worked out.

A member may have BURST, options of its own for the short profiles that the rig takes by itself, and
record(options, component, shot), which returns what turns a recording into a profile: for these short
profiles that is done when the load is over.
"""

from loadrig.profilers._classes import Folded, Folder, StackWork, fold
from loadrig.profilers._cost import throughput_change
from loadrig.profilers._cpu_document import ClassTime
from loadrig.profilers._origin import ORIGINS, Origin, Own, origin_of
from loadrig.profilers._own import own_of
from loadrig.profilers._pprof import decoded, encoded
from loadrig.profilers._recorded import KeptProfile, profiles_of
from loadrig.profilers._shares import classes_of
from loadrig.profilers._shot import Capture, Shot
from loadrig.profilers._stacks import Profile, Stack, StackFrame
from loadrig.profilers._summary import Summary, TimeUse, summary

__all__ = [
    "ORIGINS",
    "Capture",
    "ClassTime",
    "Folded",
    "Folder",
    "KeptProfile",
    "Origin",
    "Own",
    "Profile",
    "Shot",
    "Stack",
    "StackFrame",
    "StackWork",
    "Summary",
    "TimeUse",
    "classes_of",
    "decoded",
    "encoded",
    "fold",
    "origin_of",
    "own_of",
    "profiles_of",
    "summary",
    "throughput_change",
]
