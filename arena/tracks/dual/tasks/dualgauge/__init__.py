"""Import of DualGauge-Bench: its `tests.json` files become a pack of the track `dual`.

reading.py      the files as they are, with what is wrong in them
facts.py        facts in a specification's text: functions, routes, parameters, error forms
declared.py     which answers a specification declares to be errors
urls.py         hand-written URLs and request lines -> what is sent
shaping.py      a single `io` block for all tests of a task
stepping.py     a test's input -> steps;  `requests.py` those of services
expecting.py    expected output -> functional oracles;  `answers.py` those of services
hazards.py      what a payload names: commands, paths, markup, products
stances.py      what an expected behaviour asks for: to refuse, to survive, to return this
rules.py        the table: CWE and wording -> security oracles
proposing.py    tests of a task, with where each oracle came from
annotating.py   what people settled by hand, in a small file
fixtures.py     files of a task, copied as bytes
databases.py    rows of a SQLite fixture
situation.py    what a rule may look at
problems.py     what a person should know before trusting a verdict
importing.py    all of it, into a pack
rendering.py    a task with every field of the file that it came from
"""
