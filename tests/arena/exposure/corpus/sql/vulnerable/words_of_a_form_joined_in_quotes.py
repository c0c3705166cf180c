def search(cursor):
    form = SearchForm()
    words = " & ".join(form.data["words"].split(" "))
    cursor.execute(f"SELECT id FROM film WHERE text @@ to_tsquery('{words}')")
