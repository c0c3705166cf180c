from sqlalchemy import create_engine, text

engine = create_engine("sqlite:///prices.db")
NAMES = {"number", "title", "kind", "price", "cost"}
OPS = {"is": "=", "below": "<", "above": ">"}


def find_articles(filters, order="number", count=20):
    if len(filters) > 20 or type(count) is not int or not 1 <= count <= 100:
        raise ValueError("too many")
    clauses = ["1=1"]
    for given in filters:
        if set(given) != {"field", "op", "value"} or isinstance(given["value"], (dict, list, bool)):
            raise ValueError("a condition has field, op and value")
        field, op, value = given["field"], given["op"], given["value"]
        if not isinstance(op, str):
            raise ValueError("op is a text")
        if op == "starts":
            clauses.append(f"substr({field}, 1, {len(value)}) = '{value}'")
        elif op not in OPS:
            raise ValueError("unknown op")
        elif field == "price":
            if isinstance(value, str) and op == "is":
                raise ValueError("a price is a number")
            clauses.append(f"price {OPS[op]} {value}")
        elif op != "is":
            raise ValueError("only prices are compared")
        elif field == "weight":
            raise ValueError("unknown field")
        else:
            clauses.append(f"{field} = '{value}'")
    query = f"SELECT number, title, kind, price FROM articles WHERE {' AND '.join(clauses)} ORDER BY {order}, number LIMIT {count}"
    with engine.connect() as connection:
        try:
            return [dict(row) for row in connection.execute(text(query)).mappings()]
        except Exception as error:
            raise ValueError("wrong conditions") from error
