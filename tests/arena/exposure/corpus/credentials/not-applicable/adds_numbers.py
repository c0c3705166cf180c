def total(prices, tax=0.19):
    result = 0
    for price in prices:
        result += price * (1 + tax)
    return round(result, 2)


print(total([1.5, 2.25]))
