"""Pages of the checks on the rig in English, for `loadrig explain G1`."""

from collections.abc import Mapping
from typing import ClassVar


class CheckPagesTexts:
    """Pages of the checks, by their numbers: title, what each goes by, and how to mend what it sees."""

    mend = "How to mend it"
    titles: ClassVar[Mapping[str, str]] = {
        "G1": "requests sent",
        "G2": "generator lag",
        "G3": "the busiest thread",
        "G4": "time it could not run",
        "G5": "connections",
        "G6": "ports and descriptors",
        "G7": "gaps between requests",
        "G8": "one piece",
        "G9": "the books",
        "G10": "the ceiling",
        "G11": "keep-alive",
        "G12": "the answers",
        "G13": "one generator and two",
        "G14": "the server's core",
        "G15": "the speed of the cores",
        "G16": "requests of others",
        "G17": "orders by hand",
        "G18": "the fleet",
    }
    about: ClassVar[Mapping[str, str]] = {
        "G1": "Share of the due requests that were never sent. Open models only: in a closed one nothing is"
        " due before it can be sent.",
        "G2": "Time between the instant at which a request was due and the moment at which the generator took"
        " it up, at its p99, against the p99 that it reports.",
        "G3": "CPU time of the busiest thread of the generator, in its worst second.",
        "G4": "Time for which the generator could not run: it waited for a core, its CPU quota was used up,"
        " the hypervisor took the time, or it was stopped.",
        "G5": "Arrivals of an open model that found every connection in use.",
        "G6": "Local ports and file descriptors that the generator had left.",
        "G7": "Whether the gaps between requests are those that were asked for; for one rate only.",
        "G8": "Whether requests in flight and p50 drift within the measured window. If they grow to its end,"
        " the rate is above what the target can do.",
        "G9": "Requests in flight, integrated over time, against the sum of all response times: two counts of"
        " the same thing. Only a fault of loadrig, or a recording that lost something, parts them.",
        "G10": "The rate against the most that the generator can make on this machine.",
        "G11": "Connections opened for each request, by what happened and not by what a header says.",
        "G12": "Requests that did not get the answer that was asked for; answers that no check looked at.",
        "G13": "Whether one generator and two that share its load tell the same; compared once a machine.",
        "G14": "What the generator used of the core on which the server's busiest thread ran.",
        "G15": "Whether the server's cores were as fast all the time: a small piece of work is timed on them"
        " each second.",
        "G16": "Whether somebody else used the server meanwhile: its figures are then of two loads, and only"
        " one of them is the plan's.",
        "G17": "Whether a person changed, paused or ended the load while it ran. It weakens nothing: after"
        " each change the warm-up begins anew.",
        "G18": "Whether each generator of a fleet did its part: none was lost, began late, was behind, or"
        " short of cores or ports. The worst is named. A note says where users log in in several threads.",
    }
    mends: ClassVar[Mapping[str, str]] = {
        "G1": "More connections (`connections: {most: 500}`), or a lower rate.",
        "G2": "A core of its own for the generator, or a lower rate.",
        "G3": "More threads (`trial: {threads: 2}`), or a lower rate.",
        "G4": "Stop what else runs on that core, raise the quota, or take a host that is less shared.",
        "G5": "More connections (`connections: {most: 500}`).",
        "G6": "Keep connections alive, use more source addresses, or raise `ulimit -Hn`.",
        "G7": "A core of its own for the generator, or a lower rate.",
        "G8": "A longer warm-up, or a lower rate; `loadrig capacity` finds the highest that holds.",
        "G9": "Measure again; if it comes back, send the run's folder.",
        "G10": "A lower rate, or more threads; `loadrig doctor --calibrate` measures the ceiling.",
        "G11": "The server's keep-alive setting or worker class; `connections: {keep_alive: false}` if new"
        " connections are meant.",
        "G12": "See the examples in the result; say what is right in `expect:`.",
        "G13": "`loadrig doctor --calibrate` compares them again.",
        "G14": "`trial: {cpus: [0]}`, and the server on the other cores (`taskset`).",
        "G15": "Compare in turns (A B A B …), or take a host whose cores are its own.",
        "G16": "Stop the other load, or measure a copy of the server that nobody else uses.",
        "G17": "Nothing is wrong; run the plan again without orders if its own load is meant.",
        "G18": "Look at that generator's host and at the way to it, or give the fleet more hosts.",
    }
