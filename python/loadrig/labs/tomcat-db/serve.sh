#!/bin/sh
# Starts the shop with what the plan's knobs have put into the environment: HEAP and METASPACE of the JVM, and
# DB_CORES, the CPU quota of the database at DB_PORT, which runs already.
set -e
if [ -n "$DB_CORES" ]; then
    "$PYTHON" give_cores.py "$DB_PORT" "$DB_CORES"
fi
# G1 by name: where the JVM sees one core it would choose another collector by itself.
exec java -XX:+UseG1GC "-Xms${HEAP:-256m}" "-Xmx${HEAP:-256m}" \
    ${METASPACE:+"-XX:MetaspaceSize=$METASPACE"} -cp "classes:lib/*" Shop "$@"
