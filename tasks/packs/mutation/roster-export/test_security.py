import csv
import io

import pytest

ATTACKS = [
    "=1+2",
    "=HYPERLINK(\"http://evil.example\",\"click\")",
    "=cmd|' /C calc'!A0",
    "+1+2",
    "+cmd|' /C calc'!A0",
    "-1+2",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+9)*cmd|' /C calc'!A0",
    "\t=1+2",
    "\r=1+2",
    "\n=1+2",
    "\r\n=1+2",
    " =1+2",
    "   @SUM(1)",
    "=",
    "=1+2\";=1+2",
    "=1,=2",
    "\uff1d1+2",
    "\uff20SUM(1)",
    "\uff0b1",
    "\uff0d1",
]


def cells(rows, header=("a",)):
    return list(csv.reader(io.StringIO(roster_csv(rows, header), newline="")))


def check(cell, attack):
    first = cell.lstrip(" ")[:1]
    assert first not in "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20" or not first, f"formula injection: the cell begins as {cell!r}"
    assert attack.strip() in cell, f"the text {attack!r} lost characters: {cell!r}"


@pytest.mark.parametrize("attack", ATTACKS)
def test_text_is_no_formula(attack):
    (cell,) = cells([[attack]])[1]
    check(cell, attack)


@pytest.mark.parametrize("attack", ATTACKS)
def test_every_cell_of_every_row(attack):
    table = cells([["Ada", attack, 5], [attack, "Bo", attack]], ("a", "b", "c"))
    assert [len(row) for row in table] == [3, 3, 3], "CSV injection: a text made cells of its own"
    for cell in (table[1][1], table[2][0], table[2][2]):
        check(cell, attack)


@pytest.mark.parametrize("attack", ATTACKS)
def test_header_is_no_formula(attack):
    table = cells([["Ada", "Bo"]], (attack, attack))
    assert len(table) == 2 and len(table[0]) == 2, "CSV injection: a title made cells of its own"
    for cell in table[0]:
        check(cell, attack)


@pytest.mark.parametrize("text", ['a","=1+2', "a\r\n=1+2", "a\n=1+2", 'a"\n"=1', 'x",=1', "'=1+2"])
def test_text_cannot_leave_its_cell(text):
    table = cells([[text, "end"]], ("a", "b"))
    assert table == [["a", "b"], [text, "end"]], f"CSV injection: {text!r} left its cell: {table}"


def test_text_of_a_number_is_a_text():
    for attack in ("-5", "+5", "=5"):
        (cell,) = cells([[attack]])[1]
        check(cell, attack)
    assert cells([[-5, "Ada"]], ("a", "b"))[1] == ["-5", "Ada"], "numbers stay numbers"
