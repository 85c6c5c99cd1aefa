#!/bin/sh
# Installs other load tools from locks/peers.txt into a place of their own, .tools/peers: what a plan that is
# made of their tests sends is compared with what they send. Where there is no index, that is said, and the
# tests that need them are skipped by name; it is a failure only with --strict.
set -eu
cd "$(dirname "$0")/.."

venv=$PWD/.tools/peers
stamp=$PWD/.tools/stamps/peers
uv=$(command -v uv || printf .tools/uv/bin/uv)
if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
    export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-true}" UV_NATIVE_TLS="${UV_NATIVE_TLS:-true}"
fi

state=$(sha256sum locks/peers.txt | cut -c1-64)
if [ "$(cat "$stamp" 2>/dev/null || true)" != "$state" ] || ! "$venv/bin/python" --version >/dev/null 2>&1; then
    echo "peers: installing the packages of locks/peers.txt into .tools/peers" >&2
    rm -rf "$venv" "$stamp"
    if "$uv" venv --quiet --no-project --no-python-downloads --python .venv/bin/python "$venv" &&
        VIRTUAL_ENV=$venv "$uv" pip install --quiet --no-deps --require-hashes -r locks/peers.txt; then
        mkdir -p "$(dirname "$stamp")" && printf '%s\n' "$state" >"$stamp"
    else
        echo "peers: they could not be installed, so nothing is compared with them" >&2
        [ "${1:-}" != --strict ]
        exit
    fi
fi
