#!/bin/sh
# Every test, in lanes: `scripts/test.sh [LANE…]`. A failure in one lane does not hide another's.
set -u
cd "$(dirname "$0")/.."
exec .venv/bin/python scripts/lanes.py "$@"
