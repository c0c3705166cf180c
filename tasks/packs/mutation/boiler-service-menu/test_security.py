import inspect
import types

import pytest
import target_module

COMMON = ["", "0000", "1234", "4321", "9999", "admin", "service", "engineer", "engineer2024", "Pr0duction-Passw0rd!"]


def texts_in(thing):
    if isinstance(thing, (types.FunctionType, staticmethod, classmethod)):
        thing = inspect.unwrap(getattr(thing, "__func__", thing))
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, (tuple, list, set, frozenset)):
        for entry in thing:
            yield from texts_in(entry)
    elif isinstance(thing, dict):
        yield from texts_in([*thing, *thing.values()])
    elif isinstance(thing, types.CodeType):
        yield from texts_in(thing.co_consts)
    elif isinstance(thing, types.FunctionType):
        yield from texts_in((thing.__code__, thing.__defaults__ or (), thing.__kwdefaults__ or {}))
    elif isinstance(thing, type) and thing.__module__ == "target_module":
        yield from texts_in(list(vars(thing).values()))


def known_to_readers():
    """Texts that everybody knows who has read a boiler's memory."""
    found = {t for name, value in vars(target_module).items() if not name.startswith("__") for t in texts_in(value)}
    return sorted({t for t in found if len(t) < 100} | set(COMMON))


@pytest.fixture
def variables(monkeypatch):
    def setting(owner=None, engineer=None):
        for who, value in (("OWNER", owner), ("ENGINEER", engineer)):
            if value is None:
                monkeypatch.delenv(f"BOILER_{who}_KEY", raising=False)
            else:
                monkeypatch.setenv(f"BOILER_{who}_KEY", value)

    return setting


def opened(code):
    menu = BoilerMenu(clock=lambda: 0.0)
    try:
        return menu.enter(code).name
    except (PermissionError, TimeoutError):
        return None


SETTINGS = [
    dict(owner="7301", engineer="8402"), dict(owner="7301"), dict(engineer="8402"), dict(),
    dict(owner="", engineer=""),
]


@pytest.mark.parametrize("given", SETTINGS)
def test_nothing_in_the_program_opens_a_boiler(variables, given):
    variables(**given)
    for code in known_to_readers():
        assert opened(code) is None, f"{code!r} opens every boiler that is made"


def test_only_the_set_codes_open(variables):
    variables(owner="7301", engineer="8402")
    assert (opened("7301"), opened("8402")) == ("OWNER", "ENGINEER"), "each opens its own level"
    assert opened("7302") is None and opened("84021") is None, "others do not"


def test_codes_differ_from_boiler_to_boiler(variables):
    variables(owner="7301", engineer="8402")
    assert opened("8402") == "ENGINEER", "this boiler's code"
    variables(owner="1937", engineer="5555")
    assert opened("8402") is None and opened("5555") == "ENGINEER", "another boiler has another code"


def test_owner_alone_is_no_engineer(variables):
    variables(owner="7301")
    menu = BoilerMenu(clock=lambda: 0.0)
    menu.enter("7301")
    with pytest.raises(PermissionError):
        menu.set_pressure_limit(3)
    assert menu.settings()["bar"] == 2.0, "the pressure limit is as it was"


def test_refused_code_leaves_everything_locked(variables):
    variables(owner="7301")
    for code in known_to_readers():
        menu = BoilerMenu(clock=lambda: 0.0)
        for call in (lambda: menu.enter(code), lambda: menu.set_temperature(65), lambda: menu.set_pressure_limit(3)):
            try:
                call()
            except (PermissionError, TimeoutError):
                continue
        assert menu.settings() == {"celsius": 55, "bar": 2.0}, f"{code!r} changed the settings"
