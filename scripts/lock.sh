#!/bin/sh
# Resolves pyproject.toml into locks/: every version, with hashes, for every system. No index is
# named in them, so that they hold wherever the packages are fetched from.
# The locks of the demo, and of what a user runs (run.txt), are resolved within the tests' lock: what they
# share is the same version. uv itself, the tools of the audit, of the wheels and of the site, and other load tools are resolved
# by themselves: each is installed apart from the rest.
set -eu
cd "$(dirname "$0")/.."

uv=$(command -v uv || printf .tools/uv/bin/uv)
compile() {
    "$uv" pip compile --upgrade --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-header --quiet "$@"
}
compile pyproject.toml --extra demo --group dev --output-file locks/dev.txt
compile pyproject.toml --extra demo --group build --constraint locks/dev.txt --output-file locks/demo.txt
compile --group installer --output-file locks/installer.txt
compile --group audit --output-file locks/audit.txt
compile --group site --output-file locks/site.txt
compile --group peers --output-file locks/peers.txt
compile --group wheels --output-file locks/wheels.txt
compile pyproject.toml --constraint locks/dev.txt --output-file locks/run.txt
