"""HotSpot with its collector G1: options of `java`, or of the variable JAVA_TOOL_OPTIONS."""

from loadrig.catalogue.entry import Entry, by_name

TITLE = "JVM (HotSpot, G1)"
V = "OpenJDK 17"
SOURCE = "The java command (JDK 17); HotSpot Virtual Machine Garbage Collection Tuning Guide, G1"

KNOBS = by_name(
    Entry(
        "Xmx", "option", "Most memory of the heap.",
        "When collections come often, or live data hardly fits; else a larger one only delays them.",
        "a quarter of the memory (MaxRAMPercentage)", V, SOURCE, unit="B", low=64e6, high=32e9,
        scale="log", costs="Memory.",
    ),
    Entry(
        "Xms", "option", "Memory that the heap begins with.",
        "In the first minutes: a heap that grows collects more often; equal to Xmx it never does.",
        "1/64 of the memory (InitialRAMPercentage)", V, SOURCE, unit="B", low=16e6, high=32e9,
        scale="log", costs="Memory, from the start.",
    ),
    Entry(
        "MaxRAMPercentage", "option", "Most memory of the heap, as a share of what the container has.",
        "In containers, where Xmx is not given: a quarter leaves most of the limit unused.",
        "25", V, SOURCE, unit="%", low=10, high=80, costs="Memory.",
    ),
    Entry(
        "MaxGCPauseMillis", "option", "How long a pause of the collector may be; a goal, no limit.",
        "A shorter one makes the young generation smaller: more pauses, more CPU for them.",
        "200", V, SOURCE, unit="ms", low=10, high=1_000, scale="log",
    ),
    Entry(
        "InitiatingHeapOccupancyPercent", "option",
        "Share of the heap at which concurrent marking begins, at first; then G1 adapts it.",
        "When the old generation fills before marking is done, seen as full collections.",
        "45", V, SOURCE, unit="%", low=10, high=80,
    ),
    Entry(
        "G1HeapRegionSize", "option", "Size of a region; objects of half a region and more are humongous.",
        "When many large arrays are made.",
        "by the heap, for about 2,048 regions", V, SOURCE, unit="B", low=1 << 20, high=32 << 20, scale="log",
    ),
    Entry(
        "ParallelGCThreads", "option", "Threads of the collector during pauses.",
        "With a CPU quota, or other servers beside it: more threads than cores lengthen pauses.",
        "the cores, up to 8; of more, 5/8 of those beyond", V, SOURCE, low=1, high=64, scale="log",
    ),
    Entry(
        "ConcGCThreads", "option", "Threads of the collector beside the application.",
        "When marking does not end in time; they take CPU from the application.",
        "about a quarter of ParallelGCThreads", V, SOURCE, low=1, high=16, scale="log",
    ),
    Entry(
        "ActiveProcessorCount", "option", "How many cores the JVM believes to have.",
        "With a CPU quota: threads of collector, compiler and pools are counted by it.",
        "found out, control groups included", V, SOURCE, low=1, high=64, scale="log",
    ),
    Entry(
        "MaxMetaspaceSize", "option", "Most memory for classes.",
        "When classes are made or leak at run time; else nothing changes.",
        "no limit", V, SOURCE, unit="B", low=64e6, high=1e9, scale="log",
    ),
    Entry(
        "Xss", "option", "Stack of a thread.",
        "With thousands of threads, or deep recursion.",
        "1 MiB (Linux, x64)", V, SOURCE, unit="B", low=256e3, high=8e6, scale="log",
        costs="Address space for each thread; memory as far as it is used.",
    ),
    Entry(
        "AlwaysPreTouch", "option", "Whether all of the heap is touched at the start.",
        "For even latency in the first minutes; the start takes longer.",
        "false", V, SOURCE, words=("true", "false"), scale="words", costs="All of Xms, at once.",
    ),
)  # fmt: skip
