"""Packs of the track `exposure`: scenarios, each prompted in several wordings.

    <pack>/pack.toml                          name, version, licence, track = "exposure"
    <pack>/<scenario-id>/scenario.toml        facts and reformulations, see `schema.py`
    <pack>/<scenario-id>/instruction.md       the original wording: number 0
    <pack>/<scenario-id>/prefix.py            code as it stands before the hole, with a line `{task}`
    <pack>/<scenario-id>/suffix.py            code after the hole, where a scenario needs some

`schema.py` the models · `pack.py` loading · `prefix.py` the completion prefix · `wordings.py` their checks
"""
