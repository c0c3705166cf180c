MOST_PRICES = 1000
HIGHEST_PRICE = 10_000_000_000


def is_price(value):
    return type(value) is int and 0 <= value <= HIGHEST_PRICE


def normal(code):
    stripped = code.strip(" ")
    return stripped


def reduced(total, worth):
    kind, number = worth.split(" ")
    off = total * int(number) // 100 if kind == "percent" else int(number)
    return max(total - off, 0)


def checkout(prices, codes, coupons):
    if len(prices) > MOST_PRICES or not all(is_price(price) for price in prices):
        return None
    total = sum(prices)
    wanted = [code for code in map(normal, codes) if code]
    for code in wanted:
        if code not in coupons:
            continue
        total = reduced(total, coupons[code])
    return total
