"""Where a component's CPU time goes: profiles, taken for some seconds while it is loaded.

A member is a file: NAME, RANK, EFFECTS (what it does to a server, see base.effects), Options,
fits(component) -> bool, and take(options, component, shot) -> Taken, which waits until the profile is there
and raises Unavailable where there can be none. Of those that fit a component the one with the least RANK is
asked first. What a member brings is either stacks, which are turned into pprof here, or a pprof that its
runtime has written.

All profiles are kept as pprof, so one module (`_pprof`) writes and reads them, one (`_origin`) tells the
program's own code from its libraries, and one (`_summary`) adds up.
"""

from loadrig.profilers._cost import throughput_change
from loadrig.profilers._kept import Kept, kept
from loadrig.profilers._origin import ORIGINS, Origin, Own, origin_of
from loadrig.profilers._own import own_of
from loadrig.profilers._pprof import decoded, encoded
from loadrig.profilers._shot import Shot, Taken
from loadrig.profilers._stacks import Frame, Profile, Stack
from loadrig.profilers._summary import Summary, Use, summary

__all__ = [
    "ORIGINS",
    "Frame",
    "Kept",
    "Origin",
    "Own",
    "Profile",
    "Shot",
    "Stack",
    "Summary",
    "Taken",
    "Use",
    "decoded",
    "encoded",
    "kept",
    "origin_of",
    "own_of",
    "summary",
    "throughput_change",
]
