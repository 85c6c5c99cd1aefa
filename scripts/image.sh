#!/bin/sh
# Builds the container image with no registry of images: `scripts/image.sh [--try]`. How stands in image.py.
set -eu
cd "$(dirname "$0")/.."

PATH=$PATH:$PWD/.tools/uv/bin # where setup.sh has put uv if there was none
export PATH
if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
    export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-true}" UV_NATIVE_TLS="${UV_NATIVE_TLS:-true}"
fi
exec .venv/bin/python scripts/image.py "$@"
