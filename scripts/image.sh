#!/bin/sh
# Builds the container image with no registry of images: `scripts/image.sh [--try]`. How stands in image.py.
set -eu
cd "$(dirname "$0")/.."
exec .venv/bin/python scripts/image.py "$@"
