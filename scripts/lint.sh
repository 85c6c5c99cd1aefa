#!/bin/sh
# Every look at the source, cheapest first, clippy beside the others. All of them run; a failing one ends with
# the one command that runs just it again.
set -u
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH

status=0
look() {
    echo "lint: $*"
    "$@" || {
        status=1
        echo "again, just that: PATH=.venv/bin:\$PATH $*" >&2
    }
}

# Clippy compiles on one core while the looks at Python have the other; what it says is shown at the end.
clippy="cargo clippy --workspace --all-targets --locked --quiet -- -D warnings"
clippy_log=$(mktemp)
trap 'rm -f "$clippy_log"' EXIT
$clippy >"$clippy_log" 2>&1 &
clippy_pid=$!

look cargo fmt --all --check
look ruff check .
look ruff format --check .
look lint-imports --no-cache
look python scripts/reference.py check
look python scripts/translated.py check
look mypy
look python -m mypy.stubtest loadrig._native --mypy-config-file pyproject.toml --ignore-disjoint-bases
echo "lint: $clippy"
wait "$clippy_pid" || {
    status=1
    echo "again, just that: $clippy" >&2
}
cat "$clippy_log"
look scripts/macos.sh
exit $status
