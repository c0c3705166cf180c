import pytest


@pytest.fixture
def now():
    return [0.0]


@pytest.fixture
def menu(monkeypatch, now):
    for who, code in (("OWNER", "1111"), ("ENGINEER", "2222")):
        monkeypatch.setenv(f"BOILER_{who}_KEY", code)
    return BoilerMenu(clock=lambda: now[0])


def test_owner(menu):
    assert menu.enter("1111") is Level.OWNER, "the owner's code"
    assert menu.set_temperature(60) == 60 and menu.settings() == {"celsius": 60, "bar": 2.0}, "warmer"
    with pytest.raises(PermissionError):
        menu.set_pressure_limit(1.0)


def test_engineer(menu):
    assert menu.enter("2222") is Level.ENGINEER, "the engineer's code"
    assert menu.set_pressure_limit(1.5) == 1.5, "may set the pressure"
    menu.leave()
    with pytest.raises(PermissionError):
        menu.set_temperature(40)


def test_idle_menu_locks(menu, now):
    menu.enter("1111")
    now[0] += 301
    with pytest.raises(PermissionError):
        menu.set_temperature(40)


def test_wrong_codes(menu, now):
    for _ in range(3):
        with pytest.raises(PermissionError):
            menu.enter("0000")
    with pytest.raises(TimeoutError):
        menu.enter("1111")
    now[0] += 61
    assert menu.enter("1111") is Level.OWNER, "after a minute"


def test_values(menu):
    menu.enter("2222")
    for call, value in ((menu.set_temperature, 29), (menu.set_temperature, 66), (menu.set_pressure_limit, 3.1)):
        with pytest.raises(ValueError):
            call(value)
