"""Exploits: proof that a mutant is weak, and the means to see whether a test met the weakness.

`roles.py` kinds of parameters and what to pass for them · `calls.py` calls to try on a program ·
`literals.py` values from its source · `requests.py` requests to try on its Flask app ·
`remade.py` calls of a test, written as source · `values.py` values parsed from text ·
`places.py` where addresses and paths lead · `relevance.py` whether a lost refusal is about the weakness ·
`rights.py` rights that files are left with · `refusals.py` what a refusal is ·
`witnesses.py` how the success of an attack is recognised · `prove.py` the search for an exploit.
"""
