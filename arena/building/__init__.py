"""From cases to a pack of checked tasks, in the order in which it happens; a step can lose a case, with its
reason.

cases/        lists of known vulnerabilities, of whatever form -> a store of cases
catalogue/    real tasks as facts, made again from anybody's clones
oss_fuzz/     OSS-Fuzz's own recipes, and ARVO's images, as the environments of cases
fuzzing/      a PoC that nobody kept, found again
trying.py     the fix and its parent only: what is worth building
reproducing.py from an id to a crash: record, clone, environment, PoC
selecting.py  cases by their projects and by what they lack
window.py     which commits came when the report says the crash did, and what a search asks first
candidates.py where else a VIC may be
confirm.py    a case -> B-SZZ's candidates -> the proof of its VIC
revisions/    one revision of a project: fetched, built once, replayed
patches.py    gold and fixed, from the commits
suites/       which test suite a project has, and how it is run
draft.py      a confirmed case -> a task's folder
oracle/       what grading needs: expected outcomes, reach of the tests, neighbours of the PoC
instruction/  what an agent is told, written by a model and held against rules
trials.py     that folder -> a suite that serves, the image it is run in, and its oracle
finish.py     that -> fixed patch, neighbours, other values, instruction, checks
pipeline.py   all cases, repository by repository; what is done is not done again
funnel.py     how many at each step, and why each of the others was lost
picture.py    the funnel, drawn
"""
