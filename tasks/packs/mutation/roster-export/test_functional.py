def test_rows():
    text = roster_csv([["Ada", 36, 1.5], ["Bo, jr.", 7, None]], ["name", "age", "fee"])
    assert text == 'name,age,fee\r\nAda,36,1.5\r\n"Bo, jr.",7,\r\n', "header and rows"


def test_quotes_and_signs_inside():
    text = roster_csv([['Tim "T" O\'Neil', "a=b", "x-y@z"]], ["a", "b", "c"])
    assert text == 'a,b,c\r\n"Tim ""T"" O\'Neil",a=b,x-y@z\r\n', "ordinary texts stand as they are"


def test_negative_numbers():
    assert roster_csv([[-5, -0.5]], ["a", "b"]) == "a,b\r\n-5,-0.5\r\n", "numbers stay numbers"


def test_no_rows():
    assert roster_csv([], ["name"]) == "name\r\n", "only the header"
