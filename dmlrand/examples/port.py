"""Write the operator in six languages, and find the first wrong round of a port."""

from dmlrand import trace
from dmlrand.shaders import LANGUAGES, source

for language, name in LANGUAGES.items():
    with open(name, "w", encoding="utf-8") as file:
        print(source(language), end="", file=file)
    print("wrote", name)


def my_round(c: tuple[int, ...], k: tuple[int, ...]) -> tuple[int, int, int, int]:
    """One round of a port. Put yours here. This one multiplies in float64, which loses the lowest bits of a product."""
    product0, product1 = int(float(c[0]) * 0xD2511F53), int(float(c[2]) * 0xCD9E8D57)
    return product1 >> 32 ^ c[1] ^ k[0], product1 % 2**32, product0 >> 32 ^ c[3] ^ k[1], product0 % 2**32


for step in trace(counter=5, key=42):
    mine = my_round(step.counter, step.key)
    if mine != step.result:
        print(f"Round {step.round} is wrong for counter {step.counter} and key {step.key}:")
        print("expected", *(f"{word:08x}" for word in step.result))
        print("got     ", *(f"{word:08x}" for word in mine))
        break
else:
    print("All rounds are right.")
