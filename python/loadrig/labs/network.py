"""A network namespace of its own for this process and all that it starts from then on.

What a lab does to port ranges and TIME_WAIT then concerns nobody else on the machine, and the kernel
removes it with the last process in it: there is nothing to undo.
Source: network_namespaces(7), netdevice(7), Documentation/networking/ip-sysctl.rst.
"""

import ctypes
import fcntl
import os
import socket
import struct
from pathlib import Path

from loadrig.base.errors import TargetError
from loadrig.base.networks import CLONE_NEWNET
from loadrig.labs.format import LabNetwork, port_range
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.labs import LabsNetworkErrors

ERRORS = texts_of(LabsNetworkErrors)

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 0x1

SYSCTL = Path("/proc/sys/net/ipv4")


def enter(network: LabNetwork) -> None:
    """Put this process into a new namespace with only loopback, with the network's settings.

    It is the calling thread that moves; threads that it starts later are in it too. So it is called
    before any are. Raises TargetError lab.namespace where it is not permitted.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) != 0:
        reason = os.strerror(ctypes.get_errno())
        raise TargetError.of(ERRORS.no_namespace(reason, os.geteuid() == 0), code="lab.namespace")
    _raise_loopback()
    for name, value in settings(network).items():
        try:
            (SYSCTL / name).write_text(value, encoding="ascii")
        except OSError as error:
            wording = ERRORS.setting_refused(name, value, error.strerror or "", os.geteuid() == 0)
            raise TargetError.of(wording, code="lab.namespace") from None


def settings(network: LabNetwork) -> dict[str, str]:
    """Return the kernel settings of a network by their names under net.ipv4."""
    sysctls: dict[str, str] = {}
    ends = port_range(network.ports)
    if ends:
        sysctls["ip_local_port_range"] = f"{ends[0]} {ends[1]}"
    for name, value in (
        ("tcp_tw_reuse", network.tw_reuse),
        ("tcp_max_tw_buckets", network.tw_buckets),
        ("tcp_tw_reuse_delay", network.tw_reuse_delay),
    ):
        if value is not None:
            sysctls[name] = str(value)
    return sysctls


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        (flags,) = struct.unpack("16xh14x", fcntl.ioctl(any_socket, SIOCGIFFLAGS, request))
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))
