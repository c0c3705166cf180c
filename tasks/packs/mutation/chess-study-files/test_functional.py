import datetime

import pytest

DAY = datetime.date(2020, 2, 3)


def test_study_comes_back():
    study = Study("Opera game", [Move("e4"), Move("e5", "symmetrical")], DAY)
    assert open_study(save_study(study)) == study, "as it was saved"


def test_empty_study():
    assert open_study(save_study(Study("", [], DAY))).moves == [], "no moves yet"


@pytest.mark.parametrize("data", [b"", b"1. e4 e5", save_study(Study("a", [], DAY))[:-3], save_study(Study(3, [], DAY)), save_study(Study("a", ["e4"], DAY)), save_study(Study("a", [], DAY)) + bytes(100_000)])
def test_other_files(data):
    with pytest.raises(StudyError):
        open_study(data)
