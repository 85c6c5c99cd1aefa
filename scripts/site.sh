#!/bin/sh
# Builds the documentation site from docs/ into target/site; a warning is a failure.
# mkdocs comes from locks/site.txt into a place of its own, .tools/site: it is no part of .venv. Where there is
# no index and no mkdocs yet, that is said, and it is a failure only with --strict.
set -eu
cd "$(dirname "$0")/.."

venv=$PWD/.tools/site
stamp=$PWD/.tools/stamps/site
uv=$(command -v uv || printf .tools/uv/bin/uv)
if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
    export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-true}" UV_NATIVE_TLS="${UV_NATIVE_TLS:-true}"
fi

state=$(sha256sum locks/site.txt | cut -c1-64)
if [ "$(cat "$stamp" 2>/dev/null || true)" != "$state" ] || ! "$venv/bin/python" --version >/dev/null 2>&1; then
    echo "site: installing the packages of locks/site.txt into .tools/site" >&2
    rm -rf "$venv" "$stamp"
    if "$uv" venv --quiet --no-project --no-python-downloads --python .venv/bin/python "$venv" &&
        VIRTUAL_ENV=$venv "$uv" pip install --quiet --no-deps --require-hashes -r locks/site.txt; then
        mkdir -p "$(dirname "$stamp")" && printf '%s\n' "$state" >"$stamp"
    else
        echo "site: mkdocs could not be installed, so the site was not built" >&2
        [ "${1:-}" != --strict ]
        exit
    fi
fi
NO_MKDOCS_2_WARNING=1 "$venv/bin/python" -m mkdocs build --quiet --strict
echo "site: target/site/index.html"
