"""The network of a jail: a separate namespace, whose every way out leads to the sinkhole.

Two namespaces are joined by a pair of devices. The program's has loopback and a default route; the sinkhole's
takes what is sent to any address as local. So the sinkhole may listen on every address at usual ports
without taking a port from the program, and only what is sent to the program's address
leaves.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable

from arena.tracks.dual.runner.netlink import Netlink
from arena.tracks.dual.runner.order import SINK
from harness.sandbox.jail import kernel

# Of the networks for documentation (RFC 5737, RFC 3849).
PROGRAM_ADDRESS, PROGRAM_ADDRESS_V6, SINK_V6 = "198.51.100.2", "2001:db8::2", "2001:db8::7"
_INSIDE, _OUTSIDE = "eth0", "sink0"


def join(proc: int, listen: Callable[[], None]) -> None:
    """Enter a fresh network namespace whose traffic goes to another, in which `listen` was called.

    `proc`: a descriptor of the host's /proc. Raises OSError naming what the kernel refused.
    """
    kernel.unshare(kernel.CLONE_NEWNET)
    six = _has_six(proc)
    outside = Netlink()
    # Local routes go through the loopback device, which is down in a new namespace.
    outside.up("lo")
    # In the first namespace: the sockets stay there when this process moves on to the second one.
    listen()
    namespace = os.open("self/ns/net", os.O_RDONLY, dir_fd=proc)
    kernel.unshare(kernel.CLONE_NEWNET)
    inside = Netlink()
    try:
        inside.up("lo")
        inside.pair(_INSIDE, _OUTSIDE, namespace)
        for address, sink in ((PROGRAM_ADDRESS, SINK), (PROGRAM_ADDRESS_V6, SINK_V6))[: 1 + six]:
            inside.address(_INSIDE, address)
            outside.address(_OUTSIDE, sink)
        inside.up(_INSIDE)
        outside.up(_OUTSIDE)
        for family, address in (
            (socket.AF_INET, PROGRAM_ADDRESS),
            (socket.AF_INET6, PROGRAM_ADDRESS_V6),
        )[: 1 + six]:
            inside.route(_INSIDE, address, 0)
            # The way back. Without it answers to the program would count as local too.
            outside.route(_OUTSIDE, address, 8 * len(socket.inet_pton(family, address)))
            outside.everything_local(family)
    finally:
        os.close(namespace)
        inside.close()
        outside.close()
    _any_port(proc)


def _has_six(proc: int) -> bool:
    try:
        descriptor = os.open("sys/net/ipv6/conf/default/disable_ipv6", os.O_RDONLY, dir_fd=proc)
    except FileNotFoundError:
        return False
    try:
        return os.read(descriptor, 8).strip() == b"0"
    finally:
        os.close(descriptor)


def _any_port(proc: int) -> None:
    """Programs that insist on a port below 1024 may have it."""
    name = "sys/net/ipv4/ip_unprivileged_port_start"
    descriptor = os.open(name, os.O_WRONLY, dir_fd=proc)
    os.write(descriptor, b"0")
    os.close(descriptor)
