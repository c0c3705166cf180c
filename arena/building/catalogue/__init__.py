"""The catalogue of real tasks: facts from which anybody builds the same tasks out of local clones.

<catalogue>/<project>/<case>/case.toml        the case with `[proof]` and `[expected]`
<catalogue>/<project>/<case>/instruction.md   the agent's instruction

An entry holds facts and texts of this project only: no source, no recipe, no input that crashes anybody's
software. The recipe is named by commit, path and digest, the PoC by commit and path or by a campaign.

entries.py   the entries of a folder, checked as data from a stranger
parts.py     an entry -> a case whose clone, recipe and PoC are at hand, or what is lacking
building.py  entries -> tasks, as `arena tasks build` builds them, and what came out differently
adding.py    a checked task of a pack -> an entry
overview.py  the table of what the catalogue has
"""
