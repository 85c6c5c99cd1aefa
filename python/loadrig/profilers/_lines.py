"""C code that a line of Python calls: such code has no frame, so the text of the line stands for it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from loadrig.base import user_files
from loadrig.profilers._classes import C_CALL, Rule, table
from loadrig.profilers._stacks import Profile, Stack, StackFrame

MOST_BYTES = 4 << 20
"""Longest source file that is read, in bytes: CPython's own longest has a tenth of it."""


def with_c_calls(profile: Profile, pid: int) -> Profile:
    """Return a profile of CPython with a frame for C code below each line that is known to call some.

    pid: a process of the server; its file system is the one in which files are read. A line that calls
    several kinds of work, and a file that cannot be read, add no frame.
    """
    root = Path(f"/proc/{pid}/root")
    texts: dict[str, list[str]] = {}
    extended = replace(profile, stacks={})
    for stack, weight in profile.stacks.items():
        callee = _callee(stack.frames[-1], root, texts)
        frames = (*stack.frames, StackFrame(callee, module=C_CALL)) if callee else stack.frames
        extended.add(Stack(frames, stack.thread, stack.pid), weight.count, weight.time_ns)
    return extended


def _callee(frame: StackFrame, root: Path, texts: dict[str, list[str]]) -> str:
    if not frame.file.startswith("/") or frame.line < 1:
        return ""
    if frame.file not in texts:
        try:
            data = user_files.read_bytes(root / frame.file.lstrip("/"), MOST_BYTES)
            texts[frame.file] = data.decode("utf-8", "replace").splitlines()
        except OSError:
            texts[frame.file] = []
    lines = texts[frame.file]
    return called_on(lines[frame.line - 1]) if frame.line <= len(lines) else ""


def called_on(line: str) -> str:
    """Return the C function that a line calls, "zlib.compress()"; "" for none, or for several kinds."""
    code = line.partition("#")[0]
    matches = {rule.work: match for rule in _rules() if (match := rule.pattern.search(code)) is not None}
    if len(matches) != 1:
        return ""
    match = next(iter(matches.values()))
    start = match.start()
    while start > 0 and (line[start - 1].isalnum() or line[start - 1] in "_."):
        start -= 1
    return f"{line[start : match.end()]})"


@cache
def _rules() -> tuple[Rule, ...]:
    rules: Mapping[str, tuple[Rule, ...]] = table().rules
    return tuple(rule for rule in rules["cpython"] if rule.on == "line")
