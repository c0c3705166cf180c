"""OSS-Fuzz's recipes as the environments of cases: a checkout of it, read as of the fix's date.

checkout.py  a project's folder (Dockerfile, build.sh, project.yaml) as of a date
recipe.py    that folder -> packages, clones and steps; or a loss with its code
recipe_requirements.py  what the shell lines of a recipe install, clone and download
packages.py  names of packages that differ in Debian
clones.py    what the recipe clones, from mirrors, at the last commit before the date
dependencies.py what the recipes of cases clone besides
arvo.py      an image of ARVO's: its folder of sources, its PoC
pocs.py      PoCs in a project's history
harness.py   the fuzz target's files, carried where a revision has none
image.py     recipe and clones -> an image, built once
attach.py    an import's cases -> the environment and PoC command of each, or why there is none
"""
