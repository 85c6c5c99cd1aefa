"""The first instructions of a server's process: run by path, between fork and exec.

It prepares itself (cores, cgroups, the signal at the rig's death) and becomes the server by exec, so
the pid stays. A program of its own, because code between fork and exec in a rig with threads may
deadlock. It must start fast: standard library only, nothing of loadrig.

Usage: python -I -S _launch.py SPEC, with SPEC a JSON object: argv, cpus, cgroups (cgroup.procs files),
rig (pid), die_with_rig, status (a descriptor). To that descriptor it writes one JSON line for each
thing that did not work; it closes at the exec. A line {"failed": …} means there was no exec.
"""

import ctypes
import json
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(
    *, argv: "list[str]", cpus: "list[int]", cgroups: "list[str]", rig: int, die_with_rig: bool, status: int
) -> None:
    """Prepare this process and become the server. The keys of SPEC are its arguments."""
    os.set_inheritable(status, False)

    def say(**facts: object) -> None:
        os.write(status, (json.dumps(facts) + "\n").encode())

    if die_with_rig:
        # SIGTERM and not SIGKILL: a master that is killed leaves its workers behind as orphans, one
        # that is asked to leave takes them along. The kernel sends it when the thread that started
        # us ends, which is why the rig arms this from its main thread only.
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != rig:  # it died before the line above took effect
            os._exit(1)
    for path in cgroups:
        try:
            with open(path, "w") as file:
                file.write("0")
        except OSError as error:
            say(not_entered=path, text=error.strerror)
    if cpus:
        try:
            os.sched_setaffinity(0, cpus)
        except OSError as error:
            say(failed="cpus", errno=error.errno, text=error.strerror)
            os._exit(127)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    try:
        os.execvp(argv[0], argv)
    except OSError as error:
        say(failed="exec", errno=error.errno, text=error.strerror)
        os._exit(127)


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
