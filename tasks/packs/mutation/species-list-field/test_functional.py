import pytest


def test_names():
    assert parse_species("Parus major, Turdus merula,Pica pica") == ["Parus major", "Turdus merula", "Pica pica"], "three names"
    assert parse_species("  Corvus corone cornix ") == ["Corvus corone cornix"], "blanks around it"


@pytest.mark.parametrize("field", ["", "Parus", "Parus major,", "Parus 2", "Parus  major", "a b c d", "Parus major; Pica pica"])
def test_others(field):
    with pytest.raises(ValueError):
        parse_species(field)


def test_long_fields():
    assert len(parse_species(",".join(["Pica pica"] * 200))) == 200, "1999 characters are fine"
    with pytest.raises(ValueError):
        parse_species(",".join(["Pica pica"] * 201))
