#!/bin/sh
# The demo: a real study over the bundled shop, begun anew each time, and its page at the root.
set -eu
cd "$(dirname "$0")/.."

rm -rf runs/demo report.html
status=0
.venv/bin/loadrig run examples/demo.yaml --out runs/demo || status=$?
if [ -e runs/demo/report.html ]; then
    cp runs/demo/report.html report.html
    echo "the page: $PWD/report.html" >&2
fi
exit $status
