import pytest


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "queue.db")


@pytest.fixture
def client(path):
    return create_app(path).test_client()


@pytest.fixture
def bearer(path):
    return {"Authorization": f"Bearer {add_token(path, 'w1')}"}


def test_life_of_a_job(client, bearer):
    made = client.post("/jobs", json={"kind": "resize"}, headers=bearer)
    assert made.status_code == 201, "a job is added"
    job = client.post("/jobs/next", headers=bearer).get_json()
    assert job == {"id": made.get_json()["id"], "kind": "resize"}, "it is taken"
    assert client.post("/jobs/next", headers=bearer).status_code == 204, "no other job waits"
    assert client.post(f"/jobs/{job['id']}/done", headers=bearer).status_code == 204, "it is done"
    assert client.get("/jobs", headers=bearer).get_json() == {"done": 1}, "and counted"


def test_drop(client, bearer):
    for kind in ("a", "b"):
        client.post("/jobs", json={"kind": kind}, headers=bearer)
    assert client.delete("/jobs", headers=bearer).get_json() == {"dropped": 2}, "waiting jobs are dropped"


def test_only_the_worker_finishes(client, bearer, path):
    client.post("/jobs", json={"kind": "a"}, headers=bearer)
    job = client.post("/jobs/next", headers=bearer).get_json()
    other = {"Authorization": f"Bearer {add_token(path, 'w2')}"}
    assert client.post(f"/jobs/{job['id']}/done", headers=other).status_code == 404, "another worker's job"


def test_public_and_odd(client, bearer):
    assert client.get("/health").get_json() == {"status": "up"}, "health is public"
    assert client.get("/version").get_json() == {"version": "1"}, "version is public"
    assert client.post("/jobs", json=[], headers=bearer).status_code == 400, "a job has a kind"
    assert client.get("/nowhere", headers=bearer).status_code == 404, "no such route"
