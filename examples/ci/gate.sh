#!/bin/sh
# Runs a plan and compares it with the run that is kept: `gate.sh PLAN [FOLDER]`.
#
# FOLDER (default: loadrig-out) is to be kept from one pipeline to the next. It holds
#   base/         the run to compare with; on the first time, and with KEEP=1, the new run becomes it
#   new/          the run of this time
#   summary.md, junit.xml, comparison.html, badge.svg    what a pipeline shows
#
# Ends with 0 where it is better, equal or undecided, 1 where it is worse, or a goal was missed; any other exit
# code is that of loadrig (docs/reference/exit-codes.md). UNDECIDED=1 fails for what is undecided, too.
set -u
loadrig=${LOADRIG:-loadrig}
plan=$1
out=${2:-loadrig-out}
worse=113 undecided=112 missed=99

mkdir -p "$out"
rm -rf "$out/new"
"$loadrig" run "$plan" --out "$out/new"
code=$?
if [ "$code" -ne 0 ] && [ "$code" -ne "$missed" ]; then
    exit "$code"
fi
[ "$code" -eq 0 ] || code=1

if [ -d "$out/base" ]; then
    "$loadrig" compare "$out/base" "$out/new" --markdown "$out/summary.md" --junit "$out/junit.xml" \
        --html "$out/comparison.html" --badge "$out/badge.svg"
    compared=$?
    case $compared in
        0) ;;
        "$worse") code=1 ;;
        "$undecided") [ "${UNDECIDED:-0}" = 0 ] || code=1 ;;
        *) exit "$compared" ;;
    esac
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
        cat "$out/summary.md" >> "$GITHUB_STEP_SUMMARY"
    fi
fi
if [ ! -d "$out/base" ] || [ "${KEEP:-0}" = 1 ]; then
    rm -rf "$out/base"
    cp -R "$out/new" "$out/base"
fi
exit "$code"
