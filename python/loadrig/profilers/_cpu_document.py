"""Types of the document on CPU time: the key `cpu_time` of a trial's result."""

from collections.abc import Mapping
from typing import Annotated

from loadrig.base.documents import Document, Says

VERSION = 1
"""Version of the document: it changes when a field changes its meaning or is left out."""


class ProfiledStretch(Document, frozen=True):
    """Stretch in which a component was profiled."""

    from_s: Annotated[float, Says("its beginning, in seconds since the load began")]
    to_s: Annotated[float, Says("its end, in seconds since the load began")]


class NamedTime(Document, frozen=True):
    """Part of a class of work."""

    name: Annotated[str, Says("what of the class, such as a library")]
    share: Annotated[float, Says("its share of the whole")]


class ClassTime(Document, frozen=True, rename={"work": "class"}):
    """CPU time in a class of work."""

    work: Annotated[str, Says("the class, see below")]
    words: Annotated[str, Says("the class in words")]
    share: Annotated[float, Says("its share of the time seen")]
    interval: Annotated[tuple[float, float], Says("the 95 % interval of that")]
    samples: Annotated[int, Says("looks at a thread that was in it")]
    names: Annotated[tuple[NamedTime, ...], Says("what of that class, most first")]


class FunctionTime(Document, frozen=True, rename={"work": "class"}):
    """CPU time in a function."""

    function: Annotated[str, Says("its name")]
    place: Annotated[str, Says("its file, or the name of its library")]
    work: Annotated[str, Says("the class with most of its time")]
    share: Annotated[float, Says("its share of the time seen")]


class ThreadTime(Document, frozen=True):
    """CPU time of a thread."""

    thread: Annotated[str, Says("its name")]
    pid: Annotated[int, Says("its process")]
    share: Annotated[float, Says("its share of the time seen")]
    function: Annotated[str, Says("the function in which it was most")]
    place: Annotated[str, Says("the file of that function, or the name of its library")]


class ComponentTime(Document, frozen=True):
    """CPU time of a component that was profiled under high load."""

    profiler: Annotated[str, Says("which profiler saw it")]
    why: Annotated[
        str, Says("what was nearly full when the rig took bursts; empty where the plan asked for it")
    ]
    bursts: Annotated[tuple[ProfiledStretch, ...], Says("when it was profiled")]
    sentence: Annotated[str, Says("the largest classes in words")]
    samples: Annotated[int, Says("looks at a thread that ran, in all bursts")]
    seen_cores: Annotated[
        float, Says("CPU time that was seen, over the time of the bursts: cores on average")
    ]
    used_cores: Annotated[float | None, Says("cores that it used meanwhile by its own counters, or null")]
    classes: Annotated[tuple[ClassTime, ...], Says("classes of work, most first")]
    functions: Annotated[tuple[FunctionTime, ...], Says("functions in which it was most")]
    threads: Annotated[
        tuple[ThreadTime, ...],
        Says("threads that used most of it; empty where the profiler does not tell threads apart"),
    ]
    unnamed_share: Annotated[
        float, Says("share of the time in code without symbols, of which no class is known")
    ]


class ProfileGap(Document, frozen=True):
    """Component that was nearly full and could not be profiled."""

    component: Annotated[str, Says("its name")]
    text: Annotated[str, Says("what could not be done, and why")]
    code: Annotated[str, Says("`loadrig explain CODE` says more")]
    mend: Annotated[str, Says("what would let it")]


class CpuTimeDocument(Document, frozen=True):
    """CPU time of programs by class of work, for each component."""

    version: Annotated[int, Says("version of this document")]
    components: Annotated[
        Mapping[str, ComponentTime], Says("by name, those that were profiled under high load")
    ]
    gaps: Annotated[tuple[ProfileGap, ...], Says("what was nearly full and could not be profiled")]
