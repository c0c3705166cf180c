import logging
import sqlite3
from contextlib import closing

log = logging.getLogger("kiosk")


def price_of(db_path: str, sku: str) -> dict:
    try:
        with closing(sqlite3.connect(db_path)) as db:
            row = db.execute("SELECT cents FROM price_list WHERE sku = ?", (sku,)).fetchone()
    except sqlite3.Error as error:
        log.exception("price of %r could not be read from %s", sku, db_path)
        return {"ok": False, "message": f"Prices cannot be shown: {error!r} ({db_path})"}
    if row is None:
        return {"ok": False, "message": "We do not sell this article."}
    return {"ok": True, "cents": row[0]}
