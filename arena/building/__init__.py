"""From cases to a pack of checked tasks, in the order in which it happens; a step can lose a case, with its
reason.

cases/        lists of vulnerabilities, in any form -> a store of cases
catalogue/    real tasks as facts, rebuilt from anybody's clones
oss_fuzz/     OSS-Fuzz's recipes, and ARVO's images, as the environments of cases
fuzzing/      finds a lost PoC again
feasibility.py builds the fix and its parent only: what is worth building
reproducing.py from an id to a crash: record, clone, environment, PoC
selecting.py  cases by their projects and by what they lack
regression_range.py  the commits of the report's range of revisions, and the order of a search
candidates.py further candidates for a VIC
confirm.py    a case -> B-SZZ's candidates -> the proof of its VIC
revisions/    a revision of a project: fetched, built once, replayed
patches.py    gold and fixed, from the commits
suites/       which test suite a project has, and how it is run
draft.py      a confirmed case -> a task's folder
oracle/       what grading needs: expected outcomes, reach of the tests, neighbours of the PoC
instruction/  the agent's instruction, written by a model and checked by rules
suite_selection.py that folder -> a suite that serves, the image that it runs in, and its oracle
task_completion.py that -> fixed patch, neighbours, alternative values, instruction, checks
pipeline.py   all cases, repository by repository; finished steps are not repeated
funnel.py     how many cases reach each step, and why the rest were lost
picture.py    the funnel, drawn
"""
