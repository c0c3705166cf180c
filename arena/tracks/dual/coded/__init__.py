"""Import of benchmarks whose suites are code: nothing of them is run here but in the program runner's jail.

benchmark.py   what such a task is, before it is a task
cweval.py      CWEval's Python tasks;  `baxbench.py` BaxBench's scenarios
importing.py   both into packs: their test modules say themselves which tests they have
"""
