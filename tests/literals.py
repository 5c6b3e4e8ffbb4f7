"""Writes tests/literals.txt: numbers near the middle of two floats, and the float that each of them rounds to.

    python3 tests/literals.py > tests/literals.txt

A float is found by its definition alone, with exact fractions: the values of a type are ordered as their patterns of
bits are, so the two neighbours of a number are found by halving, and the nearer one is taken, or the even one. Past the
greatest value comes infinity, at the place of the next power of two. Lines hold what is rounded (`literal` is text,
`ramp` an integer), the type, the number and the bits. The same seed writes the same file.
"""

import random
from decimal import Decimal, getcontext
from fractions import Fraction

TYPES = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
EACH = 400
getcontext().prec = 2000


def value(bits: int, kind: str) -> Fraction:
    """What a pattern of bits without a sign stands for."""
    exponent_bits, fraction_bits = TYPES[kind]
    bias = 2 ** (exponent_bits - 1) - 1
    exponent, fraction = divmod(bits, 2**fraction_bits)
    if exponent == 0:
        return Fraction(fraction, 2**fraction_bits) * Fraction(2) ** (1 - bias)
    return (1 + Fraction(fraction, 2**fraction_bits)) * Fraction(2) ** (exponent - bias)


def infinity(kind: str) -> int:
    exponent_bits, fraction_bits = TYPES[kind]
    return (2**exponent_bits - 1) << fraction_bits


def nearest(number: Fraction, kind: str) -> int:
    """The bits of the nearest float, the even one of two."""
    sign = 1 << sum(TYPES[kind]) if number < 0 else 0
    number = abs(number)
    low, high = 0, infinity(kind)
    if number >= value(high, kind):
        return sign | high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if value(middle, kind) <= number else (low, middle)
    below, above = number - value(low, kind), value(high, kind) - number
    if below == above:
        return sign | (low if low % 2 == 0 else high)
    return sign | (low if below < above else high)


def written(number: Fraction, chance: random.Random) -> str:
    """A fraction whose denominator is a product of twos and fives, as one of the texts that mean it."""
    text = str(Decimal(number.numerator) / Decimal(number.denominator))
    assert Fraction(text) == number
    if "E" in text:
        return text.replace("E", chance.choice("eE"))
    form = chance.randrange(4)
    if form == 0 and "." in text:
        return text + "0" * chance.randrange(1, 40)
    if form == 1:
        return f"{Decimal(text):.{len(text)}e}"
    if form == 2 and not text.startswith("-"):
        return "+" + text
    return text


def literals(kind: str, chance: random.Random) -> set[str]:
    """Middles, and what lies beside them by a little or by very little."""
    found = set()
    places = [0, 1, infinity(kind) - 1, infinity(kind) - 2, 2 ** TYPES[kind][1] - 1]
    while len(found) < EACH:
        bits = places.pop() if places else chance.randrange(infinity(kind))
        middle = (value(bits, kind) + value(bits + 1, kind)) / 2
        aside = middle * Fraction(chance.choice([-1, 1]), 10 ** chance.choice([6, 8, 9, 12, 17, 20, 25, 40]))
        number = chance.choice([middle, middle + aside, middle + aside, middle + aside])
        number *= chance.choice([-1, 1])
        found.add(written(number, chance))
        # The same with fewer digits, as a person would write it.
        found.add(f"{Decimal(number.numerator) / Decimal(number.denominator):.{chance.randrange(6, 17)}g}")
    return found


def integers(kind: str, chance: random.Random) -> set[int]:
    """Integers of 64 bits near the middle of two floats."""
    found = {1103806595073, -(2**63), 2**63 - 1, 0, -1}
    precision = TYPES[kind][1] + 1
    while len(found) < EACH // 2:
        power = chance.randrange(precision + 1, 63 if kind != "f16" else 17)
        step = 2 ** (power - precision)
        middle = chance.randrange(2 ** (precision - 1), 2**precision) * step + step // 2
        aside = chance.choice([0, 1, -1, chance.randrange(step) // 2**20, chance.randrange(step) // 2**30])
        found.add(chance.choice([-1, 1]) * min(middle + aside, 2**63 - 1))
    return found


def main() -> None:
    chance = random.Random(15)
    print("# Written by tests/literals.py.")
    for kind in TYPES:
        width = (sum(TYPES[kind]) + 1) // 4
        for text in sorted(literals(kind, chance)):
            print("literal", kind, text, f"{nearest(Fraction(text), kind):0{width}x}")
        for number in sorted(integers(kind, chance)):
            print("ramp", kind, number, f"{nearest(Fraction(number), kind):0{width}x}")


if __name__ == "__main__":
    main()
