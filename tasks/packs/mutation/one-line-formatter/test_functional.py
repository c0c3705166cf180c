import io


def written(name="shop.cart"):
    stream = io.StringIO()
    return line_logger(name, stream), stream


def test_ordinary_record():
    logger, stream = written()
    logger.info("added %d of %s", 2, "tea")
    assert stream.getvalue() == "INFO shop.cart | added 2 of tea\n", "level, name and message"


def test_exception():
    logger, stream = written()
    try:
        int("x7")
    except ValueError:
        logger.exception("no number")
    assert stream.getvalue().startswith("ERROR shop.cart | no number | ValueError: invalid literal"), "the exception follows"
    assert stream.getvalue().count("\n") == 1, "on one line"


def test_line_break_and_backslash():
    logger, stream = written()
    logger.debug("a\nb\\c")
    assert stream.getvalue() == "DEBUG shop.cart | a\\nb\\\\c\n", "escapes"


def test_one_handler():
    line_logger("shop.cart", io.StringIO())
    logger, stream = written()
    logger.warning("hi")
    assert stream.getvalue().count("hi") == 1, "one handler only"
