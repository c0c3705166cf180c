"""OSS-Fuzz's own recipes as the environments of cases: a checkout of it, read as of the fix's date.

checkout.py  a project's folder (Dockerfile, build.sh, project.yaml) as of a date
recipe.py    that folder -> packages, clones and steps; or a loss with its code
asked.py     what its shell lines install, clone and download
packages.py  names of packages that Debian has under another one
clones.py    what the recipe clones, from mirrors, at the last commit before the date
dependencies.py what the recipes of cases clone besides
arvo.py      an image of ARVO's: its folder of sources, its PoC
pocs.py      PoCs that a project keeps in its own history
harness.py   the fuzz target's own files, carried where a revision has none
image.py     recipe and clones -> an image, made once
attach.py    an import's cases -> the environment and PoC command of each, or why there is none
"""
