#!/bin/sh
# Resolves pyproject.toml into locks/: every version, with hashes, for every system. No index is
# named in them, so that they hold wherever the packages are fetched from.
# The demo's lock is resolved within the tests' lock: what both hold is the same version.
set -eu
cd "$(dirname "$0")/.."

uv=$(command -v uv || printf .tools/uv/bin/uv)
compile() {
    "$uv" pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-header --quiet "$@"
}
compile --upgrade --extra demo --group dev --output-file locks/dev.txt
compile --upgrade --extra demo --group build --constraint locks/dev.txt --output-file locks/demo.txt
