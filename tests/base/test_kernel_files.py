"""Small files of the kernel, read whole or not at all."""

import os
from pathlib import Path

from loadrig.base import kernel_files


def test_a_file_is_read_whole_and_what_is_no_text_does_not_matter(tmp_path: Path) -> None:
    long = tmp_path / "long"
    long.write_bytes(b"x" * 200_000 + b"\xff\r\n")
    assert kernel_files.read(long) == "x" * 200_000 + "\ufffd\r\n"
    assert str(os.getpid()) in (kernel_files.read("/proc/self/stat") or "")


def test_what_is_no_file_or_ends_meanwhile_is_none(tmp_path: Path) -> None:
    handles = len(os.listdir("/proc/self/fd"))
    assert kernel_files.read(tmp_path / "nothing") is None
    assert kernel_files.read(tmp_path) is None
    assert len(os.listdir("/proc/self/fd")) == handles
