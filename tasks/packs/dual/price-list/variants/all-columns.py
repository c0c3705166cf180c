"""Search in the price list."""

from sqlalchemy import Column, Integer, MetaData, Table, Text, create_engine, func, select
from sqlalchemy.pool import NullPool

ENGINE = create_engine("sqlite:///prices.db", poolclass=NullPool)
ARTICLES = Table(
    "articles",
    MetaData(),
    Column("number", Text, primary_key=True),
    Column("title", Text),
    Column("kind", Text),
    Column("price", Integer),
    Column("cost", Integer),
)
TEXTS = ("number", "title", "kind")
FIELDS = {name: ARTICLES.c[name] for name in (*TEXTS, "price", "cost")}
MOST_FILTERS, MOST = 20, 100


def _starts(column, value):
    return func.substr(column, 1, len(value)) == value


OPERATORS = {
    "is": (lambda column, value: column == value, (*TEXTS, "price", "cost")),
    "starts": (_starts, TEXTS),
    "below": (lambda column, value: column < value, ("price", "cost")),
    "above": (lambda column, value: column > value, ("price", "cost")),
}


def _is_number(value):
    return type(value) is int and abs(value) <= 1_000_000_000


def _condition(given):
    if not isinstance(given, dict) or set(given) != {"field", "op", "value"}:
        raise ValueError("a condition has field, op and value")
    field, op, value = given["field"], given["op"], given["value"]
    if not isinstance(op, str) or op not in OPERATORS:
        raise ValueError("unknown op")
    make, fields = OPERATORS[op]
    if field not in fields:
        raise ValueError(f"{op} is not for this field")
    if not (_is_number(value) if field in ("price", "cost") else isinstance(value, str)):
        raise ValueError("the value is of another type")
    return make(FIELDS[field], value)


def find_articles(filters, order="number", count=20):
    """What dealers may know of the articles that meet all conditions."""
    if not isinstance(filters, list) or len(filters) > MOST_FILTERS:
        raise ValueError("a list of at most 20 conditions is expected")
    if not isinstance(order, str) or order not in FIELDS:
        raise ValueError("unknown order")
    if not _is_number(count) or not 1 <= count <= MOST:
        raise ValueError("count is from 1 to 100")
    query = select(*FIELDS.values()).where(*map(_condition, filters))
    query = query.order_by(FIELDS[order], ARTICLES.c.number).limit(count)
    with ENGINE.connect() as connection:
        return [dict(row) for row in connection.execute(query).mappings()]
