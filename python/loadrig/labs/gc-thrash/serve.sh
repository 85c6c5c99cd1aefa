#!/bin/sh
# Starts the service with a heap of HEAP. G1 by name: where the JVM sees one core it would choose another
# collector by itself. The log is what an operator would have: dates, and all of the collector.
exec java -XX:+UseG1GC "-Xms${HEAP:-384m}" "-Xmx${HEAP:-384m}" \
    "-Xlog:gc*,safepoint:file=gc.log:time,uptime,level,tags" -cp "classes:lib/*" Service "$@"
