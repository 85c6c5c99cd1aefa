"""Types of what a recording keeps of each generator of a fleet, as they stand in its result under `fleet`."""

from typing import Annotated

from loadrig.base.documents import Document, Says


class FleetDelay(Document, frozen=True):
    """Delays of one generator of a fleet, in microseconds, over its whole load."""

    p50: Annotated[float, Says("half of them were no longer")]
    p99: Annotated[float, Says("99 % of them were no longer")]
    max: Annotated[float, Says("the longest")]


class FleetClock(Document, frozen=True):
    """Interval that holds the lead of a host's clock over the rig's, in microseconds."""

    low: Annotated[float, Says("its lower end")]
    high: Annotated[float, Says("its upper end")]


class FleetGenerator(Document, frozen=True, kw_only=True):
    """Testimony of one generator of a fleet, over its whole load."""

    name: Annotated[str, Says("its name")]
    host: Annotated[str, Says("name or address of its machine")]
    label: Annotated[str, Says('what its machine is called together with others, or ""')] = ""
    requests: Annotated[int, Says("number of requests that ended, however")]
    due: Annotated[int, Says("number of requests that were due")]
    sent: Annotated[int, Says("number of requests sent")]
    lag_us: Annotated[
        FleetDelay | None, Says("from when a request was due until it was taken up; null without any")
    ]
    clock_offset_us: Annotated[FleetClock, Says("lead of its clock before the load")]
    clock_offset_after_us: Annotated[
        FleetClock | None, Says("lead of its clock after the load; null where its host did not answer")
    ] = None
    clock_drift_ppm: Annotated[float | None, Says("microseconds that its clock gained in a second")] = None
    start_late_us: Annotated[
        float,
        Says("by how much later than the common instant it may have started"),
    ] = 0.0
    busiest_thread_share: Annotated[float, Says("share of the time in which its busiest thread ran")] = 0.0
    run_delay_share: Annotated[float, Says("share of the time in which its threads waited for a core")] = 0.0
    ports_share: Annotated[float, Says("largest share of the local ports of its host that it used")] = 0.0
    no_ports: Annotated[int, Says("number of requests that found no local port")] = 0
    no_descriptors: Annotated[int, Says("number of requests that found no file descriptor")] = 0
    lost: Annotated[str, Says('how it was lost, as a clause; "" where it was not')] = ""
    lost_after_s: Annotated[
        float | None,
        Says("end of its last frame, in seconds since the load began; null if not lost"),
    ] = None
    taken_over_after_s: Annotated[
        float | None,
        Says("when a fresh generator went on with its part, in seconds since the load began; null if none"),
    ] = None
    missed: Annotated[int, Says("number of requests due from when it was lost until then, all unsent")] = 0
    unanswered: Annotated[
        int, Says("number of requests in flight at the end of its last frame, whose answers nobody heard")
    ] = 0


class FleetLabel(Document, frozen=True, kw_only=True):
    """Requests of all generators whose hosts share a label, over the whole load."""

    label: Annotated[str, Says('the label, "" of those that have none')]
    generators: Annotated[int, Says("how many generators there are")]
    due: Annotated[int, Says("number of requests that were due")]
    sent: Annotated[int, Says("number of requests sent")]
    answered: Annotated[int, Says("number of requests that were answered")]
    failed: Annotated[int, Says("number of requests that got no answer")]
    unsent: Annotated[int, Says("number of requests that were never sent")]
    ok: Annotated[int, Says("number of requests of the service that were answered well")]
    response_us: Annotated[
        FleetDelay | None, Says("how long the good answers took since their requests were due")
    ]


class FleetDocument(Document, frozen=True, kw_only=True):
    """Fleet that made a load together."""

    generators: Annotated[tuple[FleetGenerator, ...], Says("its generators, by number of their parts")]
    labels: Annotated[
        tuple[FleetLabel, ...], Says("what the hosts of each label measured; empty without two labels")
    ] = ()
    orders: Annotated[int, Says("how often all were told something while the load ran, such as a level")] = 0
    order_us: Annotated[
        float | None, Says("longest time until an order had reached all of them; null without any")
    ] = None
