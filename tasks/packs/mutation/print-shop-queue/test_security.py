import pytest

OTHERS = ["bob", "", "ad", "adam", "ADA", "ada ", None, "zoe"]


def queue_with(pages):
    queue = PrintQueue()
    queue.submit("ada", pages)
    return queue


def attempt(call):
    try:
        return call()
    except Exception as error:
        return error


@pytest.mark.parametrize("user", OTHERS)
@pytest.mark.parametrize("pages", [5, 200, 201, 900])
def test_others_cannot_cancel(user, pages):
    queue = queue_with(pages)
    result = attempt(lambda: queue.cancel(1, user))
    assert isinstance(result, Refused), f"{user!r} cancelled ada's job: {result!r}"
    assert queue.pages_waiting() == pages, "the job waits no more"


@pytest.mark.parametrize("user", OTHERS)
@pytest.mark.parametrize("pages", [1, 5, 200])
@pytest.mark.parametrize("is_operator", [False, True])
def test_others_cannot_release_small_jobs(user, pages, is_operator):
    queue = queue_with(pages)
    result = attempt(lambda: queue.release(1, user, is_operator))
    assert isinstance(result, Refused), f"{user!r} printed what ada has sent: {result!r}"
    assert queue.pages_waiting() == pages, "the job waits no more"


@pytest.mark.parametrize("user", ["ada", *OTHERS])
@pytest.mark.parametrize("pages", [201, 202, 5000])
def test_large_jobs_need_an_operator(user, pages):
    queue = queue_with(pages)
    result = attempt(lambda: queue.release(1, user))
    assert isinstance(result, Refused), f"{user!r} released {pages} pages without an operator: {result!r}"
    assert queue.pages_waiting() == pages, "the job waits no more"


def test_nobody_is_an_operator_unless_told():
    for call in (lambda q: q.cancel(1, "bob"), lambda q: q.release(1, "ada")):
        queue = queue_with(300)
        result = attempt(lambda: call(queue))
        assert isinstance(result, Refused), f"an ordinary user acted as operator: {result!r}"


def test_who_may():
    assert attempt(lambda: queue_with(200).release(1, "ada")) == 200, "ada prints her own"
    assert attempt(lambda: queue_with(300).cancel(1, "ada")) == "cancelled", "ada cancels her own"
    assert attempt(lambda: queue_with(5).cancel(1, "olga", is_operator=True)) == "cancelled", "an operator cancels"


def test_refusal_comes_before_the_state_is_told():
    queue = queue_with(5)
    queue.cancel(1, "ada")
    for call in (lambda: queue.cancel(1, "bob"), lambda: queue.release(1, "bob")):
        assert isinstance(attempt(call), Refused), "a stranger learns how the job has ended"
