#!/bin/sh
# Makes .venv, whole and from the locks: `scripts/setup.sh demo` what the demo needs, `dev` also what
# the linters need, `test` also the Rust tests, built. Writes only inside the checkout, besides the caches of uv and cargo.
# Quick when nothing has changed: a stamp holds the hash of all that went into a step.
#
# Found or fetched, in this order: a Python >= 3.11 (PYTHON names one); uv from PATH, else by pip into
# .tools/uv; the Python packages, hash by hash; the Rust engine, built in release.
set -eu

cd "$(dirname "$0")/.."
what=${1:-dev}
tools=$PWD/.tools
venv=$PWD/.venv
stamps=$tools/stamps

say() { printf 'setup: %s\n' "$*" >&2; }

# fail WHAT WHY MEND: the same three lines as the program's own errors.
fail() {
    printf '\nsetup: %s\n\n   %s\n\n   mend: %s\n\n' "$1" "$2" "$3" >&2
    exit 1
}

hash_of() { sha256sum | cut -c1-64; }

is_done() { [ "$(cat "$stamps/$1" 2>/dev/null || true)" = "$2" ]; }
note_done() { mkdir -p "$stamps" && printf '%s\n' "$2" >"$stamps/$1"; }

is_new_python() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_new_python "$PYTHON" && command -v "$PYTHON" && return
        fail "PYTHON=$PYTHON is no Python 3.11 or newer" "loadrig needs Python 3.11" "PYTHON=/path/to/python3.11 make $what"
    fi
    for name in python3 python3.11 python3.12 python3.13 python3.14 python; do
        # A version manager's shim answers to its name and then refuses: only running it tells.
        if is_new_python "$name"; then command -v "$name" && return; fi
    done
    seen=$(python3 --version 2>&1 || echo "no python3 at all")
    fail "no Python 3.11 or newer on PATH" "found: $seen" \
        "apt-get install python3 (Debian 12, Ubuntu 24.04 or newer), or PYTHON=/path/to/python3.11 make $what"
}

check_rust() {
    command -v cargo >/dev/null && command -v rustc >/dev/null ||
        fail "no cargo on PATH" "the engine is written in Rust" \
            "install Rust 1.85 or newer with rustup, or apt-get install cargo rustc where that is new enough"
    version=$(rustc --version | cut -d' ' -f2)
    minor=$(printf '%s' "$version" | cut -d. -f2)
    major=$(printf '%s' "$version" | cut -d. -f1)
    if [ "$major" -lt 2 ] && [ "$minor" -lt 85 ]; then
        fail "rustc $version is too old" "loadrig needs Rust 1.85 (edition 2024)" "rustup update stable"
    fi
    command -v cc >/dev/null ||
        fail "no C compiler (cc) on PATH" "Rust links with it" "apt-get install gcc libc6-dev"
}

# A pip that can be run, on standard output: that of this Python, of any other, or its wheel.
find_pip() {
    for name in "$python" python3 /usr/bin/python3 python3.12 python3.13 python3.10 python3.9; do
        # Any Python's pip will do: uv is a program of its own, not a module of that Python.
        if "$name" -m pip --version >/dev/null 2>&1; then printf '%s -m pip' "$name" && return; fi
    done
    if "$python" -m venv "$tools/pip" >/dev/null 2>&1 && "$tools/pip/bin/python" -m pip --version >/dev/null 2>&1; then
        printf '%s -m pip' "$tools/pip/bin/python" && return
    fi
    # Debian takes pip and ensurepip out of Python; its package of wheels can be unpacked by anyone.
    rm -rf "$tools/pip" && mkdir -p "$tools/pip"
    if (cd "$tools/pip" && apt-get download python3-pip-whl && dpkg -x python3-pip-whl_*.deb .) >/dev/null 2>&1; then
        for wheel in "$tools"/pip/usr/share/python-wheels/pip-*.whl; do
            [ -e "$wheel" ] && printf '%s %s/pip' "$python" "$wheel" && return
        done
    fi
    fail "neither uv nor pip, and no venv with pip in it" "the Python packages are installed with uv, which pip can install" \
        "apt-get install python3-pip, or install uv"
}

find_uv() {
    if command -v uv >/dev/null && uv --version >/dev/null 2>&1; then uv=$(command -v uv) && return; fi
    uv=$tools/uv/bin/uv
    if "$uv" --version >/dev/null 2>&1; then return; fi
    case "$PWD" in *" "*) fail "the path of the checkout has a space in it" "$PWD" "move it, or install uv" ;; esac
    pip=$(find_pip)
    say "installing uv with pip into .tools"
    # --target is no installation in the sense of PEP 668, so an externally managed pip does it too.
    # shellcheck disable=SC2086 # $pip is a command and its words
    PIP_ROOT_USER_ACTION=ignore $pip install --quiet --disable-pip-version-check --no-warn-script-location \
        --upgrade --target "$tools/uv" --no-deps --require-hashes -r locks/installer.txt >&2 ||
        fail "pip could not install uv" "its own words are above" "install uv by hand, or see that pip reaches a package index"
}

# A .venv that cannot run (its Python was removed) or was moved (its programs name its old place) is
# made anew.
make_venv() {
    place=$(cat "$stamps/place" 2>/dev/null || printf '%s' "$PWD")
    if is_new_python "$venv/bin/python" && [ "$place" = "$PWD" ]; then return; fi
    say "making .venv with $("$python" --version 2>&1)"
    rm -rf "$venv" "$stamps"
    "$uv" venv --quiet --no-project --no-python-downloads --python "$python" "$venv"
    note_done place "$PWD"
}

packages_state() { { cat locks/"$1".txt && echo compiled; } | hash_of; }

install_packages() {
    state=$(packages_state "$1")
    if is_done "packages-$1" "$state"; then return; fi
    say "installing the packages of locks/$1.txt"
    # install, not sync: the demo's lock is a part of the tests' lock, and must not remove the rest.
    # Compiled here: else every start compiles numpy and scipy anew where Python may not write beside
    # its sources (PYTHONDONTWRITEBYTECODE, a read-only checkout), which takes three seconds.
    VIRTUAL_ENV=$venv "$uv" pip install --quiet --compile-bytecode --no-deps --require-hashes -r locks/"$1".txt ||
        fail "the packages of locks/$1.txt could not be installed" "uv's own words are above" \
            "see that uv reaches a package index, then again"
    note_done "packages-$1" "$state"
}

build_engine() {
    state=$({
        "$venv/bin/python" --version
        cat Cargo.toml Cargo.lock pyproject.toml
        find crates -type f | LC_ALL=C sort | xargs cat
    } | hash_of)
    if is_done engine "$state" && [ -x "$venv/bin/loadrig" ] && [ -e python/loadrig/_native.abi3.so ]; then return; fi
    say "building the engine (a few minutes the first time)"
    # maturin calls `uv` by name. The group: without one it installs `dev` too, and not from the lock.
    PATH=$(dirname "$uv"):$venv/bin:$PATH VIRTUAL_ENV=$venv \
        "$venv/bin/maturin" develop --release --locked --uv --group build >"$tools/build.log" 2>&1 || {
        tail -n 60 "$tools/build.log" >&2
        fail "the engine could not be built" "the compiler's own words are above" "if they are not about your change, send them"
    }
    note_done engine "$state"
}

# The Rust tests are compiled while the Python packages are fetched and unpacked, which leave a core idle.
start_rust_tests() {
    say "building the Rust tests"
    mkdir -p "$tools"
    cargo test --workspace --exclude loadrig-py --locked --quiet --no-run >"$tools/tests.log" 2>&1 &
    rust_tests=$!
    trap 'kill "$rust_tests" 2>/dev/null || true' EXIT
}

finish_rust_tests() {
    wait "$rust_tests" || {
        tail -n 60 "$tools/tests.log" >&2
        fail "the Rust tests could not be built" "the compiler's own words are above" "mend what it names, then again"
    }
    trap - EXIT
}

# uv trusts its own list of authorities; pip and cargo trust the system's, to which a proxy's may be added.
if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
    export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-true}" UV_NATIVE_TLS="${UV_NATIVE_TLS:-true}"
fi
case $what in demo | dev | test) ;; *) fail "scripts/setup.sh $what" "it knows demo, dev and test" "scripts/setup.sh dev" ;; esac
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV
check_rust
if [ "$what" = test ]; then start_rust_tests; fi
python=$(find_python)
find_uv
make_venv
packages=dev
if [ "$what" = demo ] && ! is_done packages-dev "$(packages_state dev)"; then packages=demo; fi
install_packages "$packages"
build_engine
if [ "$what" = test ]; then finish_rust_tests; fi
# For the same reason; what is compiled already and has not changed is left as it is.
"$venv/bin/python" -m compileall -q python/loadrig
