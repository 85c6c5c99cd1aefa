#!/bin/sh
# Builds what is published into dist/ and checks it: `scripts/wheels.sh`. What is built stands in wheels.py.
# The tools come from locks/wheels.txt into a place of their own, .tools/wheels: they are no part of .venv.
set -eu
cd "$(dirname "$0")/.."

venv=$PWD/.tools/wheels
stamp=$PWD/.tools/stamps/wheels
uv=$(command -v uv || printf .tools/uv/bin/uv)
if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
    export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-true}" UV_NATIVE_TLS="${UV_NATIVE_TLS:-true}"
fi

state=$(sha256sum locks/wheels.txt | cut -c1-64)
if [ "$(cat "$stamp" 2>/dev/null || true)" != "$state" ] || ! "$venv/bin/python" --version >/dev/null 2>&1; then
    echo "wheels: installing the packages of locks/wheels.txt into .tools/wheels" >&2
    rm -rf "$venv" "$stamp"
    "$uv" venv --quiet --no-project --no-python-downloads --python "${PYTHON:-python3}" "$venv"
    VIRTUAL_ENV=$venv "$uv" pip install --quiet --no-deps --require-hashes -r locks/wheels.txt
    mkdir -p "$(dirname "$stamp")" && printf '%s\n' "$state" >"$stamp"
fi
exec "$venv/bin/python" scripts/wheels.py "$@"
