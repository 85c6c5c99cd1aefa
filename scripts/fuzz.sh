#!/bin/sh
# Fuzzes what reads bytes from the network or from a user: `scripts/fuzz.sh SECONDS [TARGET…]`, so
# many seconds a target, all of fuzz/fuzz_targets if none is named. One line a target; fails if one
# has crashed, and says where the input lies. Without the means to build the fuzzers it says so and
# ends well: the kept corpus is played back by `cargo test` in any case.
#
# What is new goes into fuzz/target/found. `scripts/fuzz.sh keep [TARGET…]` takes the smallest set
# of it that reaches more than fuzz/corpus does over into fuzz/corpus, to be looked at and committed.
#
# Without a sanitizer: the engine is safe Rust but for a handful of system calls, what is looked for
# are panics, hangs and broken promises; and so it can be built with the stable compiler.
set -eu
cd "$(dirname "$0")/.."

version=0.13.2
tools=$PWD/.tools/fuzz
# A head or a config that is longer teaches nothing that a shorter one does not.
longest=4096
# What is kept is read by people.
longest_kept=1024

skip() {
    printf 'fuzz: skipped: %s\n' "$1" >&2
    exit 0
}

usage() {
    printf 'usage: scripts/fuzz.sh SECONDS [TARGET…] | keep [TARGET…]\n' >&2
    exit 2
}

what=${1:-}
case $what in keep) ;; '' | *[!0-9]*) usage ;; esac
shift
if [ $# -eq 0 ]; then
    for program in fuzz/fuzz_targets/*.rs; do set -- "$@" "$(basename "$program" .rs)"; done
fi
for target in "$@"; do
    [ -e "fuzz/fuzz_targets/$target.rs" ] || { printf 'fuzz: no target %s\n' "$target" >&2 && exit 2; }
done

PATH=$PATH:$tools/bin
command -v c++ >/dev/null || skip "no C++ compiler, which libFuzzer is built with (apt-get install g++)"
if ! cargo fuzz --version >/dev/null 2>&1; then
    printf 'fuzz: installing cargo-fuzz into .tools\n' >&2
    cargo install --quiet --locked cargo-fuzz --version "$version" --root "$tools" ||
        skip "cargo-fuzz could not be installed; cargo's own words are above"
fi
(cd fuzz && CARGO_TERM_QUIET=true cargo fuzz build --sanitizer none) || {
    printf 'fuzz: the targets could not be built\n' >&2
    exit 1
}
host=$(rustc -vV | sed -n 's/^host: //p')
number() { sed -n "s/^stat::$1: *//p" "$log" | tail -n 1; }

status=0
for target in "$@"; do
    program=fuzz/target/$host/release/$target
    found=fuzz/target/found/$target
    corpus=fuzz/corpus/$target
    crashes=fuzz/artifacts/$target
    log=fuzz/target/$target.log
    mkdir -p "$found" "$corpus" "$crashes"
    if [ "$what" = keep ]; then
        "$program" -merge=1 -max_len="$longest_kept" "$corpus" "$found" >"$log" 2>&1 || status=1
        printf 'fuzz: %-12s %5s kept\n' "$target" "$(find "$corpus" -type f | wc -l)"
        continue
    fi
    before=$(find "$crashes" -type f | wc -l)
    ended=0
    # A single input may take ten seconds, all memory be 1 GiB; a target that ends early has crashed.
    "$program" -max_total_time="$what" -max_len="$longest" -timeout=10 -rss_limit_mb=1024 \
        -print_final_stats=1 -artifact_prefix="$crashes/" "$found" "$corpus" >"$log" 2>&1 || ended=$?
    crashed=$(($(find "$crashes" -type f | wc -l) - before))
    printf 'fuzz: %-12s %9s executions %6s new inputs %3s crashes\n' \
        "$target" "$(number number_of_executed_units)" "$(number new_units_added)" "$crashed"
    if [ $ended -ne 0 ] || [ $crashed -ne 0 ]; then
        status=1
        grep -E "panicked at|ERROR: libFuzzer|Test unit written to" -A 2 "$log" >&2 || tail -n 20 "$log" >&2
    fi
done
exit $status
