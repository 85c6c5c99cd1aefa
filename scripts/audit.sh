#!/bin/sh
# Looks at what loadrig is made of: licences, sources and known vulnerabilities of crates and Python
# packages. `scripts/audit.sh` says what it could not check; `scripts/audit.sh --strict` fails then, too.
# The tools come from locks/audit.txt into a place of their own, .tools/audit: they are no part of .venv.
set -eu
cd "$(dirname "$0")/.."

venv=$PWD/.tools/audit
stamp=$PWD/.tools/stamps/audit
uv=$(command -v uv || printf .tools/uv/bin/uv)
if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
    export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-true}" UV_NATIVE_TLS="${UV_NATIVE_TLS:-true}"
fi

state=$(sha256sum locks/audit.txt | cut -c1-64)
if [ "$(cat "$stamp" 2>/dev/null || true)" != "$state" ] || ! "$venv/bin/python" --version >/dev/null 2>&1; then
    echo "audit: installing the packages of locks/audit.txt into .tools/audit" >&2
    rm -rf "$venv" "$stamp"
    # A machine without an index has no tools: audit.py names each check that is missing for it.
    if "$uv" venv --quiet --no-project --no-python-downloads --python .venv/bin/python "$venv" &&
        VIRTUAL_ENV=$venv "$uv" pip install --quiet --no-deps --require-hashes -r locks/audit.txt; then
        mkdir -p "$(dirname "$stamp")" && printf '%s\n' "$state" >"$stamp"
    fi
fi
exec .venv/bin/python scripts/audit.py --tools "$venv/bin" "$@"
