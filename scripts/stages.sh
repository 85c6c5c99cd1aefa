#!/bin/sh
# All stages, one after the other, and a table of what each took: `scripts/stages.sh ci` as on every change,
# `scripts/stages.sh nightly` at full length. A stage that fails does not hide the others.
# Those that mostly wait for a package index are run beside the one that looks at the source.
set -u
cd "$(dirname "$0")/.."

status=0
table=

# stage NAME COMMAND…: run it, note its time.
stage() {
    name=$1
    shift
    began=$(date +%s)
    came_to=passed
    "$@" || {
        status=1
        came_to="failed; again, just that: $*"
    }
    table="$table$(printf '  %-8s %5d s  %s' "$name" $(($(date +%s) - began)) "$came_to")
"
}

notes=$(mktemp -d)
beside=
trap 'if [ -n "$beside" ]; then kill "$beside"; fi; rm -rf "$notes"' EXIT

# begin_beside FUNCTION: run its stages beside those that follow. `meet` waits for them, and shows their output.
begin_beside() {
    "$@" >"$notes/output" 2>&1 &
    beside=$!
}

meet() {
    wait "$beside" || status=1
    beside=
    cat "$notes/output"
    table="$table$(cat "$notes/table")
"
}

# What needs packages of its own, which an index is asked for. The audit looks into what the two before it made.
apart() {
    table=
    status=0
    stage site scripts/site.sh
    stage peers scripts/peers.sh
    stage audit scripts/audit.sh
    printf '%s' "$table" >"$notes/table"
    exit $status
}

case ${1:-} in
ci)
    stage set-up scripts/setup.sh test
    begin_beside apart
    stage lint scripts/lint.sh
    meet
    stage tests scripts/test.sh
    # The proofs of the cases are the night's: a proof of a real server is among the tests.
    stage truths env LOADRIG_TRUTHS=ci .venv/bin/python -m pytest -q --tb=short tests/truths/test_truths.py
    ;;
nightly)
    LOADRIG_LENGTH=full
    export LOADRIG_LENGTH
    stage set-up scripts/setup.sh test
    stage lint scripts/lint.sh
    stage site scripts/site.sh
    stage wheels scripts/wheels.sh
    stage peers scripts/peers.sh
    stage audit scripts/audit.sh
    stage tests scripts/test.sh
    stage truths env LOADRIG_TRUTHS=all make truths
    stage fuzz scripts/fuzz.sh 600
    stage imports .venv/bin/python -m tests.hostile 30
    ;;
*)
    echo "usage: scripts/stages.sh ci | nightly" >&2
    exit 2
    ;;
esac
printf '\nstages\n%s' "$table"
cat target/lanes/failed.txt 2>/dev/null
exit $status
