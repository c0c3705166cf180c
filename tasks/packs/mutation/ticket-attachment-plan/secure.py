import uuid

LARGEST_FILE = 5_000_000
CONTENT_TYPES = {
    "txt": "text/plain",
    "log": "text/plain",
    "pdf": "application/pdf",
    "zip": "application/zip",
}


def plan_attachment(filename: str, content_type: str, size: int) -> dict:
    """Return under which name the attachment is to be kept, or why it is not taken."""
    stem, _, extension = filename.rpartition(".")
    extension = extension.lower()
    if not stem or extension not in CONTENT_TYPES:
        return {"ok": False, "error": "this kind of file is not taken"}
    if content_type.partition(";")[0].strip().lower() != CONTENT_TYPES[extension]:
        return {"ok": False, "error": "the type does not fit the name"}
    if not 0 < size <= LARGEST_FILE:
        return {"ok": False, "error": f"a file has 1 to {LARGEST_FILE} bytes"}
    return {"ok": True, "stored_as": f"{uuid.uuid4().hex}.{extension}", "shown_as": filename}
