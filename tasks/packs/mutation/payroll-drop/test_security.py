import ftplib
import io
import ssl

import pytest

SALARY = b"ada,9000\nbob,4000\n"


class Plain:
    """A server of the FTP family without its network.

    `heard` is what is read on the way: all in the clear, and what goes to whom nobody vouches for.
    """

    heard = []
    files = {}
    refuses = ()

    def __init__(self, host="", user="", passwd="", *args, context=None, **kwargs):
        self.control = self.data = False
        self.trusted = context is not None and context.verify_mode == ssl.CERT_REQUIRED and context.check_hostname
        if host:
            self.connect(host)
            if user:
                self.login(user, passwd)

    def connect(self, *args, **kwargs):
        return "220 welcome"

    def command(self, name, *words):
        if name in self.refuses:
            raise ftplib.error_perm(f"502 {name} not implemented")
        if words and not self.control:
            self.heard.append((name, *words))
        return "200 ok"

    def login(self, user="", passwd="", acct="", secure=True):
        return self.command("LOGIN", user, passwd)

    def sendcmd(self, line):
        return self.command(*line.split(" "))

    voidcmd = sendcmd

    def cwd(self, folder):
        return self.command("CWD", folder)

    def storbinary(self, command, stream, *args, **kwargs):
        content = stream.read()
        if not self.data:
            self.heard.append(("DATA", content))
        self.files[command.split(" ", 1)[1]] = content
        return self.command(*command.split(" "))

    def rename(self, old, new):
        self.files[new] = self.files.pop(old)
        return self.command("RENAME", old, new)

    def nlst(self, *args):
        if not self.data:
            self.heard.append(("DATA", *self.files))
        return list(self.files)

    def set_pasv(self, value):
        return None

    def quit(self):
        return "221 bye"

    close = quit


class Secure(Plain):
    handshake_works = True

    def auth(self):
        self.command("AUTH")
        if not self.handshake_works:
            raise ssl.SSLError("handshake failure")
        self.control = self.trusted

    def login(self, user="", passwd="", acct="", secure=True):
        if secure and not self.control:
            self.auth()
        return super().login(user, passwd)

    def prot_p(self):
        self.command("PROT")
        self.data = self.trusted

    def prot_c(self):
        self.data = False

    def ccc(self):
        self.control = False


@pytest.fixture(autouse=True)
def network(monkeypatch):
    monkeypatch.setattr(ftplib, "FTP", Plain)
    monkeypatch.setattr(ftplib, "FTP_TLS", Secure)
    monkeypatch.setattr(Plain, "heard", [])
    monkeypatch.setattr(Plain, "files", {})


@pytest.fixture
def payroll(tmp_path):
    path = tmp_path / "salaries.csv"
    path.write_bytes(SALARY)
    return path


def delivered(path):
    try:
        with PayrollDrop("drop.example", "hr", "pass-word-9") as drop:
            name = drop.deliver(path)
            drop.delivered()
            return name
    except (DropError, ssl.SSLError, ftplib.Error):
        return None


def heard_text():
    return " ".join(str(word) for entry in Plain.heard for word in entry)


def test_password_is_not_heard(payroll):
    assert delivered(payroll), "the file is delivered"
    assert "pass-word-9" not in heard_text(), "the password went over the network in the clear"


def test_user_and_folder_are_not_heard(payroll):
    delivered(payroll)
    assert not [e for e in Plain.heard if e[0] != "DATA"], f"commands in the clear: {Plain.heard}"


def test_salaries_are_not_heard(payroll):
    delivered(payroll)
    assert "9000" not in heard_text(), "the file went over the network in the clear"
    assert SALARY in Plain.files.values(), "the file arrives"


def test_names_of_files_are_not_heard(payroll):
    delivered(payroll)
    assert "salaries" not in heard_text(), "the list of files went over the network in the clear"


@pytest.mark.parametrize("refused", [("AUTH",), ("PROT",), ("AUTH", "PROT")])
def test_server_without_tls_gets_nothing(payroll, monkeypatch, refused):
    monkeypatch.setattr(Plain, "refuses", refused)
    name = delivered(payroll)
    assert "9000" not in heard_text() and "pass-word-9" not in heard_text(), f"in the clear: {Plain.heard}"
    assert name is None, "the delivery counts as done"


def test_broken_handshake_is_no_reason_to_go_on(payroll, monkeypatch):
    monkeypatch.setattr(Secure, "handshake_works", False)
    name = delivered(payroll)
    assert Plain.heard == [], f"in the clear: {Plain.heard}"
    assert name is None and Plain.files == {}, "the delivery counts as done"


def test_second_file_goes_the_same_way(payroll):
    with PayrollDrop("drop.example", "hr", "pass-word-9") as drop:
        drop.deliver(payroll)
        drop.delivered()
        drop.deliver(payroll)
    assert Plain.heard == [], f"in the clear: {Plain.heard}"
    assert io.BytesIO(SALARY).read() in Plain.files.values(), "the file arrives"
