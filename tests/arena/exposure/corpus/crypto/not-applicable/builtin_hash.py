from collections import defaultdict


def buckets(words, count=16):
    result = defaultdict(list)
    for word in words:
        result[hash(word) % count].append(word)
    return result
