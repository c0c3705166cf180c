"""What imports of all benchmarks share.

report.py    results of an import, and what is proven
brought.py   references and wrong programs that somebody brings
placing.py   a pack is put in its place whole, or not at all
"""
