"""Write torch_cuda_printed.json and torch_cuda_dropout.json: what owners of devices published, copied by hand.

Each case has the thread or file with the numbers, the device that it names, and the call. Places are row-major indices
of the tensor, and printed numbers have four decimals. `kept` is the number of elements that dropout kept.
"""

import numpy as np
from recording import write

MAKER = "tests/makers/torch_cuda_printed.py"
PYTORCH = "github.com/pytorch/pytorch/issues/"
ENDS = (0, 1, 2, -3, -2, -1)  # of an axis that torch prints with dots

RAND_36 = """
    0.3990 0.5167 0.0249 0.9401 0.9459 0.7967 0.4150 0.8203 0.2290 0.9096 0.1183 0.0752 0.4092 0.9601 0.2093 0.1940
    0.8909 0.4387 0.3570 0.5454 0.8299 0.2099 0.7684 0.4290 0.2117 0.6606 0.1654 0.4250 0.9927 0.6964 0.2472 0.7028
    0.7494 0.9303 0.0494 0.0750"""
RAND_10 = "0.9722 0.7910 0.4690 0.3300 0.3345 0.3783 0.7640 0.6405 0.1103 0.3594"
RANDN_64 = """
    -0.9247 -0.4253 -2.6438  0.1452 -0.1209 -0.5797 -0.6229 -0.3284
    -1.0745 -0.3631 -1.6711  2.2655  0.3117 -0.1842  1.2866  1.1820
    -0.1271  1.2169  1.4353  1.0605 -0.4941 -1.4244 -0.7244 -1.2973
     0.0697 -0.0074  1.8969  0.6878 -0.0779 -0.8373  1.3506 -0.2879
    -0.5965 -0.3283 -0.9086 -0.8059 -0.7407 -0.0504  0.5435  1.5150
     0.0141  0.4532  1.6349  0.7124 -0.1806  1.0252 -1.4622 -0.7554
    -0.1836  0.3824  0.3918 -0.0830  0.8971 -1.1123  0.1116  0.4863
    -0.5499 -0.3231 -0.5469  0.9049  0.2837  0.1210  0.4730 -1.0823"""
A4000 = """
    2.8731 5.2727 2.9889 1.6853 9.6331 6.6319
    3.9968 3.8097 5.7328 4.4029 3.9804 7.4698
    6.5552 4.0857 4.2315 2.7704 3.5479 3.3063
    8.6297 2.3137 6.2596 7.9358 4.4697 2.7475
    7.0551 7.8583 3.9990 4.1139 8.9315 4.2042
    2.7337 2.2106 7.7815 8.2207 6.5395 4.2604"""
RTX_3060 = """
     0.1940  2.1614 -0.1721  1.4540 -2.7733 -0.8932
    -0.4574  0.8063  0.1580  0.1124  0.2769 -1.2535
     1.1346 -0.6329 -0.9147 -1.0001 -1.1552 -0.6955
    -0.4861  0.3358  1.0578 -0.7282  0.5087  0.1318
     0.7881  0.8339 -1.1424 -0.6297 -1.1112 -0.4091
    -1.2356 -0.4083 -0.4695 -0.4841  1.2850 -0.0282"""
FEW = 49 * 12 * 112 * 144


def corners(shape):
    """The elements that torch prints of a large matrix: the ends of both axes."""
    rows, columns = shape
    return [row % rows * columns + column % columns for row in ENDS for column in ENDS]


def case(source, device, geometry, seed, draw, arguments, shape, places, printed, offset=0):
    values = [float(word) for word in printed.split()]
    where = list(range(len(values))) if places is None else [place % int(np.prod(shape)) for place in places]
    assert len(where) == len(values)
    return {
        "source": source, "device": device, "geometry": geometry, "seed": seed, "offset": offset, "draw": draw,
        "arguments": arguments, "shape": shape, "places": where, "printed": values,
    }  # fmt: skip


def cases():
    small = [132, 2048]  # any geometry: the draws are smaller than one wave
    yield case("a test of NVIDIA/TensorRT-LLM (TestReDrafter)", "", small, 0, "rand", [], [9, 4], None, RAND_36)
    yield case("examples of Triton kernels", "", small, 0, "rand", [], [10], None, RAND_10, offset=4)
    yield case("a tutorial on fused kernels", "", small, 0, "randn", [], [8, 8], None, RANDN_64)
    yield case(f"{PYTORCH}79496", "", small, 10, "randn", [], [3], None, "-0.1029 1.6810 -0.2708")
    text = "-0.2963 2.6764 -0.1408 -0.6970 -0.7780 0.3267"
    yield case(f"{PYTORCH}143086", "H100 SXM", [132, 2048], 1, "randn", [], [1, FEW], ENDS, text)
    text = "-0.2963 2.6764 -0.1408 0.1549 -0.6797 -0.1656"
    yield case(f"{PYTORCH}143086", "A100", [108, 2048], 1, "randn", [], [1, FEW], ENDS, text)
    matrix = [1000, 100]
    yield case(f"{PYTORCH}97097", "RTX A4000", [48, 1536], 14, "normal", [5, 5**0.5], matrix, corners(matrix), A4000)
    latents = [1, 3, 128, 128]
    places = [0, 1 << 14, 2 << 14]
    yield case(f"{PYTORCH}62467", "RTX A6000", [84, 1536], 43, "randn", [], latents, places, "1.9983 0.8704 2.1127")
    shape = [1, 64, 2048]
    yield case(f"{PYTORCH}158398", "RTX 3060", [28, 1536], 42, "randn", [], shape, corners(shape[1:]), RTX_3060)


def dropouts():
    """Dropout of ones: the first and last places that were dropped, or the sum of the elements that were kept."""
    source, n = "github.com/intel/torch-xpu-ops/issues/2926", 512 * 4 * 1024
    dropped = [8, 14, 20, 2097121, 2097140, 2097151]
    yield {
        "source": source, "device": "RTX 4080 Super", "geometry": [80, 1536], "seed": 1, "offset": 0, "p": 0.1,
        "shape": [n], "vectorized": True, "dropped_ends": dropped,
    }  # fmt: skip
    for device, sms, total in (("P100", 56, 999826), ("Tesla K80", 13, 999100)):
        yield {
            "source": f"{PYTORCH}25690", "device": device, "geometry": [sms, 2048], "seed": 0, "offset": 0, "p": 0.5,
            "shape": [1000, 1000], "vectorized": False, "kept": total // 2,
        }  # fmt: skip


if __name__ == "__main__":
    write("torch_cuda_printed", "torch on CUDA devices, as their owners published it", list(cases()), MAKER)
    write("torch_cuda_dropout", "torch on CUDA devices, as their owners published it", list(dropouts()), MAKER)
