import pytest


@pytest.mark.parametrize("kind, start", [("rsa", "ssh-rsa "), ("ec", "ecdsa-sha2-nistp")])
def test_forms(kind, start):
    key = new_deploy_key(kind, "ci@build")
    assert key.kind == kind, "the kind is told"
    assert b"BEGIN PRIVATE KEY" in key.private, "the private key is PEM"
    assert key.public.startswith(start) and key.public.endswith(" ci@build"), f"unexpected: {key.public}"


def test_keys_differ():
    assert new_deploy_key("ec", "a").private != new_deploy_key("ec", "a").private, "each key is new"


@pytest.mark.parametrize("kind, comment", [("dsa", "a"), ("", "a"), ("ec", "two\nlines")])
def test_bad_arguments(kind, comment):
    with pytest.raises(ValueError):
        new_deploy_key(kind, comment)
