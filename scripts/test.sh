#!/bin/sh
# Every test. The Rust tests come first, so that the closing line is pytest's, which counts what was
# skipped. A failure of one does not hide the other's.
set -u
cd "$(dirname "$0")/.."

status=0
# The crate of the bindings is tested from Python: alone it would need Python's library to link with.
cargo test --workspace --exclude loadrig-py --locked --quiet || {
    status=1
    echo "again, just that: cargo test --workspace --exclude loadrig-py" >&2
}
.venv/bin/python -m pytest -q "$@" || {
    status=1
    echo "again, just what failed: .venv/bin/python -m pytest --last-failed" >&2
}
exit $status
