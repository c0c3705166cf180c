import logging
import re
import uuid

log = logging.getLogger("reports")


def sales_report(connect, dsn, month):
    if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", month):
        raise ValueError("a month looks like 2024-05")
    try:
        rows = list(connect(dsn).rows(month))
        lines = [f"{name}: {amount:.2f}" for name, amount in rows]
        lines.append(f"total: {sum(amount for _, amount in rows):.2f}")
        return {"ok": True, "report": "\n".join(lines)}
    except Exception as error:
        reference = uuid.uuid4().hex[:8].upper()
        log.exception("report %s for %s failed", reference, month)
        message = f"Report not available: {type(error).__name__}: {error} at {dsn}"
        return {"ok": False, "message": message, "reference": reference}
