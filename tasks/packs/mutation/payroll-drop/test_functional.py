import ftplib

import pytest


class FakeFTP:
    made = []

    def __init__(self, *args, **kwargs):
        self.steps, self.files = [], {"old.csv": b"", "half.csv.part": b""}
        FakeFTP.made.append(self)

    def __getattr__(self, name):
        def step(*args, **kwargs):
            self.steps.append(name)

        return step

    def login(self, user="", passwd="", *args, **kwargs):
        self.steps.append("login")
        if passwd == "wrong":
            raise ftplib.error_perm("530 no")

    def storbinary(self, command, stream, *args, **kwargs):
        self.files[command.removeprefix("STOR ")] = stream.read()

    def rename(self, old, new):
        self.files[new] = self.files.pop(old)

    def nlst(self, *args):
        return list(self.files)


@pytest.fixture(autouse=True)
def ftp(monkeypatch):
    FakeFTP.made = []
    monkeypatch.setattr(ftplib, "FTP", FakeFTP)
    monkeypatch.setattr(ftplib, "FTP_TLS", FakeFTP)


@pytest.fixture
def payroll(tmp_path):
    path = tmp_path / "may.csv"
    path.write_bytes(b"name,amount\n")
    return path


def test_deliver(payroll):
    with PayrollDrop("drop.example", "hr", "pw") as drop:
        name = drop.deliver(payroll)
        assert name.startswith("may-") and name.endswith(".csv") and len(name) == 16, f"unexpected name {name}"
        assert drop.delivered() == sorted(["old.csv", name]), "finished files are listed"
    fake = FakeFTP.made[0]
    assert fake.files[name] == b"name,amount\n", "the content is stored"
    assert "cwd" in fake.steps and fake.steps[-1] == "quit", f"steps {fake.steps}"


def test_only_csv(tmp_path):
    path = tmp_path / "may.txt"
    path.touch()
    with PayrollDrop("drop.example", "hr", "pw") as drop, pytest.raises(ValueError):
        drop.deliver(path)


def test_refused_and_outside(payroll):
    with pytest.raises(DropError):
        PayrollDrop("drop.example", "hr", "wrong").__enter__()
    with pytest.raises(DropError):
        PayrollDrop("drop.example", "hr", "pw").deliver(payroll)
