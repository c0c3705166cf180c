"""Programs of the track `mutation`: what a program is (`program.py`), and loading from a pack (`pack.py`).

<pack>/pack.toml                  name, version, licence, track = "mutation"
<pack>/<id>/program.toml          id, title, cwe, entry_point, difficulty
<pack>/<id>/instruction.md        what the program is to do; says nothing of the weakness
<pack>/<id>/secure.py             works, and holds against the attack
<pack>/<id>/insecure.py           works alike on ordinary input, and has the weakness;
                                  or insecure.py.patch, a diff of secure.py (`tasks/derived_file.py`)
<pack>/<id>/test_functional.py    passes on both
<pack>/<id>/test_security.py      the reference tests: pass on the secure, fail on the insecure version
<pack>/<id>/survivors.toml        mutants that are no weakness, each with the reason (optional)
"""
