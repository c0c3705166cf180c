import pytest


@pytest.fixture
def queue():
    return PrintQueue()


def test_job_is_printed(queue):
    number = queue.submit("ada", 12)
    assert (number, queue.pages_waiting()) == (1, 12), "it waits"
    assert queue.release(number, "ada") == 12 and queue.pages_waiting() == 0, "it is printed"


def test_job_is_cancelled(queue):
    first, second = queue.submit("ada", 3), queue.submit("bob", 4)
    assert queue.cancel(first, "ada") == "cancelled", "by its user"
    assert queue.cancel(second, "olga", is_operator=True) == "cancelled", "by an operator"


def test_large_job(queue):
    assert queue.release(queue.submit("ada", 201), "olga", is_operator=True) == 201, "released by an operator"


def test_wrong_calls(queue):
    number = queue.submit("ada", 3)
    queue.cancel(number, "ada")
    for call, error in ((lambda: queue.release(number, "ada"), ValueError), (lambda: queue.cancel(9, "ada"), LookupError),
                        (lambda: queue.submit("ada", 0), ValueError)):
        with pytest.raises(error):
            call()
