"""All stacks of a component at once: each function as wide as its share of the CPU time, under its caller."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.flame_graph import FlameGraphTexts
from loadrig.profilers import KeptProfile, Origin, Own, Profile, StackFrame, origin_of
from loadrig.report import top_frames
from loadrig.report.model import Figure

TEXTS = texts_of(FlameGraphTexts)

FOLDED = 0.001
"""Frames below this share of the time are folded into their caller: on a page they would be a line wide."""

MOST_NODES = 3_000
"""Number of nodes of one picture, some 100 kB. With more, frames are folded from a higher share on."""

PPM = 1_000_000

ORDER: tuple[Origin, ...] = ("own", "library", "runtime", "kernel")
"""Origins as the renderer numbers them."""


FrameKey: TypeAlias = tuple[str, str, str]
"""Function, file and module of a frame."""


@dataclass(slots=True)
class Node:
    """Function under its callers. high, low: share of the time in it and below, in millionths.

    self_high, self_low: share in the function alone.
    """

    frame: StackFrame
    high: float = 0.0
    low: float = 0.0
    self_high: float = 0.0
    self_low: float = 0.0
    children: dict[FrameKey, "Node"] = field(default_factory=dict)


def draw(
    view: str, high: KeptProfile, low: KeptProfile | None, most_nodes: int = MOST_NODES
) -> Figure | None:
    """Return the profile at high load, beside that at low load if there is one; None if it is unreadable."""
    profile, summary = high.profile, high.summary
    if profile is None or summary is None:
        return None
    low_profile = low.profile if low is not None else None
    root = tree(profile, low_profile)
    threshold = _threshold(root, most_nodes)
    data = {
        **_flattened(root, threshold, high.own),
        "compared": low_profile is not None,
        "seconds": {
            "high": profile.time_ns / 1e9,
            "low": low_profile.time_ns / 1e9 if low_profile is not None else 0,
        },
        "samples": {"high": profile.count, "low": low_profile.count if low_profile is not None else 0},
        "shares": {
            "high": [summary.shares[origin] for origin in ORDER],
            "low": [low.summary.shares[origin] for origin in ORDER] if low and low.summary else [],
        },
        "kind": profile.kind,
        "folded": threshold / PPM,
    }
    time = TEXTS.cpu_time if profile.kind == "cpu" else TEXTS.time
    about = TEXTS.about(time)
    if low_profile is not None:
        about += " " + TEXTS.what_grew
    return Figure(
        f"flame-{view}-{_word(high.component)}",
        "flame",
        TEXTS.title(top_frames.named(high.component), time),
        about,
        data,
        top_frames.table(summary, 20, TEXTS.functions, folded=True),
    )


def tree(high: Profile, low: Profile | None) -> Node:
    """Return both profiles as one tree under a root for all, each scaled to a million in all."""
    root = Node(StackFrame("all"))
    for profile, is_high in ((high, True), (low, False)):
        if profile is None or not profile.time_ns:
            continue
        scale = PPM / profile.time_ns
        for stack, weight in profile.stacks.items():
            share = weight.time_ns * scale
            at = root
            _add(at, share, is_high, is_last=False)
            for number, frame in enumerate(stack.frames, 1):
                at = at.children.setdefault(_key(frame), Node(frame))
                _add(at, share, is_high, is_last=number == len(stack.frames))
    return root


def _add(node: Node, share: float, is_high: bool, *, is_last: bool) -> None:
    if is_high:
        node.high += share
        node.self_high += share if is_last else 0.0
    else:
        node.low += share
        node.self_low += share if is_last else 0.0


def _threshold(root: Node, most: int) -> float:
    """Return the share from which on nodes are shown: FOLDED, or more where that gives too many."""
    sizes: list[float] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        size = max(node.high, node.low)
        if size >= FOLDED * PPM:
            sizes.append(size)
            waiting += node.children.values()
    if len(sizes) <= most:
        return FOLDED * PPM
    return sorted(sizes, reverse=True)[most - 1]


def _flattened(root: Node, threshold: float, own: Own) -> dict[str, Any]:
    """Return the tree as lists, each text and each function once.

    frames: name, place and origin of a function, as numbers. nodes: depth, frame, then shares, in the order
    of a walk; callers and big children first.
    """
    names: dict[str, int] = {}
    places: dict[str, int] = {}
    frames: dict[FrameKey, tuple[int, int, int]] = {}
    numbers: dict[FrameKey, int] = {}
    nodes = []
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        frame, key = node.frame, _key(node.frame)
        if key not in frames:
            where = top_frames.short(frame.file or frame.module) + (f":{frame.line}" if frame.line else "")
            name = names.setdefault(frame.function, len(names))
            place = places.setdefault(where, len(places))
            numbers[key] = len(frames)
            frames[key] = (name, place, ORDER.index(origin_of(frame, own)))
        shares = (round(share) for share in (node.high, node.self_high, node.low, node.self_low))
        nodes.append([depth, numbers[key], *shares])
        shown = [child for child in node.children.values() if max(child.high, child.low) >= threshold]
        # The last one in is the first one out.
        waiting += [(child, depth + 1) for child in sorted(shown, key=lambda child: (child.high, child.low))]
    return {"names": list(names), "places": list(places), "frames": list(frames.values()), "nodes": nodes}


def _key(frame: StackFrame) -> FrameKey:
    return frame.function, frame.file, frame.module


def _word(name: str) -> str:
    """Return a component's name as part of an id."""
    return "".join(letter if letter.isalnum() else "-" for letter in name)
