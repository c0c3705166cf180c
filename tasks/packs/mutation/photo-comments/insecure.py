def edit_comment(comment: dict, user: dict, text: str) -> dict:
    if user["id"] not in (comment["author_id"], comment["photo_owner_id"]) and not user["roles"]:
        raise PermissionError("only the author edits a comment")
    if not text.strip():
        raise ValueError("a comment has a text")
    return {**comment, "text": text}


def hide_comment(comment: dict, user: dict) -> dict:
    owners = (comment["author_id"], comment["photo_owner_id"])
    if user["id"] not in owners and not any("mod" in role for role in user["roles"]):
        raise PermissionError("author, owner of the photo and moderators hide comments")
    return {**comment, "hidden": True}
