"""The track `mutation`: do security tests kill security mutants, and for the right reason?

After SecMutBench (Mutation-Based Vulnerability Detection), with its metrics and its taxonomy of kills.
"""
