import sqlite3

import pytest

SECRETS = ("crm_customers", "sqlite", "Error", "Exception", "Traceback", "constraint", "INSERT", "SELECT", "codec",
           "10.0.0.8", "token=", "target_module", ".py", "datatype", "rating-host", "unique", "UNIQUE", "NUL",
           "position", "0xff", "division", "closed database", "readonly", "invalid literal", "base 10", "int()", "score", "field limit", "column")


def broken_rate(name, credit):
    raise {"net": ConnectionError("rating-host 10.0.0.8 token=abc"), "zero": ZeroDivisionError("division by zero")}[name]


@pytest.fixture
def job(tmp_path):
    store = tmp_path / "uploads-eu-1"
    store.mkdir()
    return CustomerImport(sqlite3.connect(":memory:"), store)


def page(job, content, name="new.csv"):
    data = content if isinstance(content, bytes) else content.encode()
    (job.store / name).write_bytes(data)
    try:
        return render(job.run(name))
    except Exception as error:
        return f"raised {error!r}"


def told(job, text):
    return [s for s in (*SECRETS, str(job.store), job.store.name) if s in text]


HEAD = "email,name,credit\n"


@pytest.mark.parametrize("name", ["net", "zero"])
def test_failing_rating_is_not_described(job, name):
    job.rate = broken_rate
    text = page(job, HEAD + f"a@x.example,{name},1\n")
    assert not told(job, text), f"the partner is told {told(job, text)}"


@pytest.mark.parametrize("content", [
    HEAD.encode() + b"a@x.example,\xff\xfe,1\n", HEAD.encode() + b"a@x.example,A\x00,1\n",
    (HEAD + "a@x.example," + "x" * 200000 + ",1\n").encode(), (HEAD + "a@x.example,Ada\n").encode(),
    (HEAD + "a@x.example,Ada," + "9" * 5000 + "\n").encode(),
])
def test_odd_file_is_not_described_by_the_inside(job, content):
    text = page(job, content)
    assert not told(job, text), f"the partner is told {told(job, text)}"


@pytest.mark.parametrize("credit", ["9" * 30, str(2**63)])
def test_credit_that_the_database_does_not_take(job, credit):
    text = page(job, HEAD + f"a@x.example,Ada,{credit}\n")
    assert not told(job, text), f"the partner is told {told(job, text)}"


@pytest.mark.parametrize("damage", [
    "DROP TABLE crm_customers", "ALTER TABLE crm_customers ADD COLUMN vip",
    "CREATE TRIGGER t BEFORE INSERT ON crm_customers BEGIN SELECT RAISE(ABORT, 'rating-host'); END",
])
def test_trouble_of_the_database_is_not_described(job, damage):
    job.db.execute(damage)
    text = page(job, HEAD + "a@x.example,Ada,1\n")
    assert not told(job, text), f"the partner is told {told(job, text)}"


def test_closed_database_is_not_described(job):
    job.db.close()
    text = page(job, HEAD + "a@x.example,Ada,1\n")
    assert not told(job, text), f"the partner is told {told(job, text)}"


@pytest.mark.parametrize("name", ["gone.csv", "../gone.csv", "", ".", "uploads", "a" * 300, "x\0y"])
def test_place_of_the_files_is_not_told(job, name):
    try:
        text = render(job.run(name))
    except Exception as error:
        text = f"raised {error!r}"
    assert not told(job, text), f"the partner is told {told(job, text)}"


@pytest.mark.parametrize("credit", ["many", "1.5", "0x10", "1e9", "--1"])
def test_credit_that_is_no_number(job, credit):
    text = page(job, HEAD + f"a@x.example,Ada,{credit}\n")
    assert not told(job, text), f"the partner is told {told(job, text)}"


def test_known_email_does_not_show_the_other_customer(job):
    page(job, HEAD + "a@x.example,Confidential Name,777\n")
    text = page(job, HEAD + "a@x.example,Eve,1\n")
    assert "Confidential" not in text and "777" not in text, "data of another customer is shown"
    assert not told(job, text), f"the partner is told {told(job, text)}"


def test_messages_do_not_depend_on_the_cause(job):
    job.rate = broken_rate
    first, second = page(job, HEAD + "a@x.example,net,1\n"), page(job, HEAD + "a@x.example,zero,1\n")
    assert len(first) == len(second), "the message tells the cause"
