"""Sentences of `client_port_exhaustion` in English, and the sections of its page.

## Signature

Requests fail in the generator itself because no local port is free (EADDRNOTAVAIL), while its ports in
TIME_WAIT towards the loaded address fill the port range.

## Data

The generator's own outcome `no_ports` (check G6), its connections by destination (sock_diag), the port range.

## Deciding test

`--prove` keeps the load's connections alive, in turns: the failures go, unless the server closes them
itself. A second source address shows it too; with a wider range they only come later, in proportion.

## Guard

TIME_WAIT at the server's end uses up no port, however many there are. A port is taken only at the end that
opened the connection and closed it first.

## Fix

Keep connections alive; where new ones are what is to be measured, more source addresses, a wider range, or
net.ipv4.tcp_tw_reuse=1.
"""


class ClientPortExhaustionTexts:
    title = "the generator ran out of local ports"
    decides = "the same load with connections kept alive: no request fails for lack of a port"
    use_more_source = (
        "use more source addresses (connections: {from_addresses: [127.0.0.1, 127.0.0.2]}) or a wider range"
        " (sysctl -w net.ipv4.ip_local_port_range='1024 65535')"
    )

    def connections_held_local(self, address: str) -> str:
        return f"its connections to {address} held {{}} of the local ports"

    def requests_failed_generator(self, failed: str, ended: str) -> str:
        return f"{failed} of {ended} requests failed in the generator, before they reached the server"

    def requests_no_free(self, failed: str) -> str:
        return f"{failed} requests found no free local port (EADDRNOTAVAIL)"

    def generator_held_local(self, used: str) -> str:
        return f"the generator held {used} of its local ports"

    def held_local_ports(self, used: str) -> str:
        return f"the generator held at most {used} of its local ports, and every request had one"

    def keep_connections_alive(self, ways: str) -> str:
        return (
            f"keep connections alive (connections: {{keep_alive: true}}); if the test needs new ones, {ways}"
        )

    def server_closes_every(self, ways: str) -> str:
        return (
            "the server closes every connection: configure its keep-alive or its worker class so that it"
            f" keeps them; else {ways}"
        )
