"""Print the constants of dmlrand/kernels/normal.py. Needs mpmath: pip install mpmath; python normal_coefficients.py.

Remez' exchange algorithm finds each polynomial. It minimises the largest relative error of the function that uses the
polynomial.
"""

import struct


def remez(mp, f, weight, a, b, degree, points=2000):
    """Coefficients, constant term first, of the polynomial p that minimises max |weight * (p - f)| on [a, b]."""
    count = degree + 2

    def chebyshev(n):
        return [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * i / (n - 1)) for i in range(n)]

    grid, nodes = chebyshev(points), chebyshev(count)
    values = [(x, f(x), weight(x)) for x in grid]
    while True:
        rows = [[x**j for j in range(degree + 1)] + [(-1) ** i / weight(x)] for i, x in enumerate(nodes)]
        solution = mp.lu_solve(mp.matrix(rows), mp.matrix([f(x) for x in nodes]))
        coefficients = [solution[j] for j in range(degree + 1)]
        errors = [w * (mp.polyval(coefficients[::-1], x) - y) for x, y, w in values]
        runs, start = [], 0  # the largest error between two changes of sign
        for i in range(1, points + 1):
            if i == points or errors[i] * errors[start] < 0:
                runs.append(max(range(start, i), key=lambda j: abs(errors[j])))
                start = i
        while len(runs) > count:
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        nodes = [grid[i] for i in runs]
        sizes = [abs(errors[i]) for i in runs]
        if max(sizes) < min(sizes) * 1.001:
            return coefficients, max(sizes)


def truncate(number, bits):
    """`number` cut to `bits` fraction bits."""
    return int(number * 2**bits) / 2**bits


def main():
    import mpmath as mp

    mp.mp.prec = 200
    tiny = mp.mpf(10) ** -5  # the intervals begin at tiny * b, because the weights vanish at 0
    root = mp.sqrt(2)

    def log_part32(g):  # -2 log(1 - g/2) = g + g**2 * (1/4 + g * P(g))
        return (-2 * mp.log1p(-g / 2) - g - g**2 / 4) / g**3 if abs(g) > mp.mpf(2) ** -50 else mp.mpf(1) / 12

    def log_part64(z):  # log(1 + f) = 2s + s * z * P(z) for s = f / (2 + f), z = s**2; this function is 2 * P
        s = mp.sqrt(z)
        return 4 * (mp.atanh(s) - s) / (s * z)

    def sine_part(z):  # sin(r) = r + r * z * P(z), z = r**2
        return (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z

    def cosine_part(z):  # cos(r) = 1 - z/2 + z**2 * P(z)
        return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2

    z_log = ((root - 1) / (root + 1)) ** 2
    # float64 chooses the quarter by the top 20 bits alone, so r goes a little beyond pi/4.
    z_angle = (mp.pi / 4 + 2 * mp.pi / 2**20) ** 2
    for name, f, weight, a, b, degree in [
        ("log32", log_part32, lambda g: g**2, 2 - root, 0, 7),
        ("sin32", sine_part, lambda z: z, 0, z_angle, 2),
        ("cos32", cosine_part, lambda z: z**2, 0, z_angle, 2),
        ("log64", log_part64, lambda z: z, 0, z_log, 6),
        ("sin64", sine_part, lambda z: z, 0, z_angle, 5),
        ("cos64", cosine_part, lambda z: z**2, 0, z_angle, 5),
    ]:
        if name == "log32":
            a, b = -2 * (root - 1), 2 - root
        else:
            a = tiny * b
        coefficients, error = remez(mp, f, weight, a, b, degree)
        print(name, "error 2 **", mp.nstr(mp.log(error, 2), 4))
        for c in coefficients:
            single = struct.unpack("f", struct.pack("f", float(c)))[0]
            print("   ", f"{single:.9g}" if name.endswith("32") else repr(float(c)))
    for name, number, bits32, bits64 in [("2 log 2", 2 * mp.log(2), 17, 39), ("pi / 2", mp.pi / 2, 20, 49)]:
        for bits in (bits32, bits64):
            high = truncate(number, bits)
            print(name, f"{high!r} + {float(number - mp.mpf(high))!r}")


if __name__ == "__main__":
    main()
