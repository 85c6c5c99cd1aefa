"""CPU quota of the database, set so that a study can turn it as a knob: `give_cores.py PORT CORES`.

The database runs already, in the control group that the lab has made for it; serve.sh calls this before it
starts the server.
"""

import sys

from loadrig.base import cgroups, sockets
from loadrig.labs import quota


def main() -> None:
    """Give a number of cores to the process that listens at a port."""
    port, cores = int(sys.argv[1]), float(sys.argv[2])
    inodes = [listener.inode for listener in sockets.listeners_at("127.0.0.1", port)]
    pid = next(iter(sockets.holders(inodes)), None)
    if pid is None:
        sys.exit(f"nobody listens at 127.0.0.1:{port}")
    groups = cgroups.of(pid)
    version, controller = (1, "cpu") if "cpu" in groups else (2, "2")
    quota.limit(groups[controller], version, round(cores * quota.PERIOD_US))


if __name__ == "__main__":
    main()
