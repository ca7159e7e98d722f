"""`dmlrand plot`: the numbers of the picture, its labels and its file. specs/bulk.md, section 7"""

import os
import re
import sys

import numpy as np
import oracle
import pytest
from thinning import with_costly

from dmlrand import make_state, random_generator, save_checkpoint
from dmlrand.cli.plots.words import bit_image, figure_of, ones_by_lane, plot_words

pytest.importorskip("matplotlib")

STATE = make_state(counter=2**64 - 300, key=42)


def drawn(n):
    return random_generator(STATE, n).values


# The numbers


def test_the_image_shows_each_bit_in_its_place():
    """bulk 7.2"""
    image = bit_image(drawn(4096))
    assert image.shape == (256, 256)
    words = oracle.words(2**64 - 300, 42, 0, 2048)
    for row in (0, 1, 255):
        bits = "".join(f"{word:032b}" for word in words[8 * row : 8 * row + 8])
        assert image[row].tolist() == [int(bit) for bit in bits]


def test_ones_are_counted_by_lane_and_bit():
    words = np.zeros((100, 4), np.uint32)
    words[:, 1] = 1
    words[:50, 2] = 1 << 31
    deviations = ones_by_lane(np.append(words.ravel(), np.uint32(2**32 - 1)))  # the started last block does not count
    assert deviations.shape == (4, 32)
    assert deviations[1, 31] == 10 and deviations[2, 0] == 0
    deviations[1, 31] = deviations[2, 0] = -10
    assert (deviations == -10).all()


# The picture


def test_the_state_may_be_that_of_options(run, monkeypatch):
    """cli 13: the same picture as of a file with this state."""
    save_checkpoint("s.json", make_state(counter=5, key=42))
    drawn = []
    monkeypatch.setattr("dmlrand.cli.plots.words.plot_words", lambda *arguments: drawn.append(arguments))
    for state in ("s.json", "--key 0x2a --counter 5"):
        assert run(f"plot {state} --words 4096 --output p.png").out == "plot     p.png\n"
        name, drawn_state, words = drawn.pop()
        assert (name, drawn_state.tolist(), words) == ("p.png", [5, 0, 0, 0, 42, 0], 4096)


def texts(figure):
    return [panel.get_title() for panel in figure.axes[:4]]


def test_the_picture_says_what_it_shows():
    """bulk 7.1"""
    figure = figure_of(drawn(1 << 16), 2**64 - 300, 42)
    assert figure.get_suptitle() == (
        "65,536 words of key 0x000000000000002a\n"
        "counters 0x0000000000000000fffffffffffffed4\n"
        "      to 0x00000000000000010000000000003ed3"
    )
    bits, pairs, histogram, lanes = texts(figure)
    assert bits == "Bits of the first 2,048 words: 1 is black"
    assert pairs == "The first 16,384 pairs of successive words"
    assert re.fullmatch(r"Words in 64 equal bins: chi-square [0-9]{2}\.[0-9], expected 63 ± 11", histogram)
    assert re.fullmatch(r"Ones of each bit: largest deviation [234]\.[0-9], expected 2 to 4", lanes)
    for panel in figure.axes[:3]:
        assert panel.get_xlabel() and panel.get_ylabel()


def test_few_words_and_the_wrap():
    words = random_generator(make_state(counter=2**128 - 1, key=1), 4097).values
    figure = figure_of(words, 2**128 - 1, 1)
    assert figure.get_suptitle().endswith("to 0x000000000000000000000000000003ff")
    assert texts(figure)[1] == "The first 2,048 pairs of successive words"
    words = words[:4096]
    (line,) = figure.axes[1].get_lines()
    assert line.get_xdata().tolist() == words[0::2].tolist() and line.get_ydata().tolist() == words[1::2].tolist()


def test_the_titles_show_errors():
    words = drawn(1 << 16).copy()
    words[2::4] |= 1 << 7
    assert "largest deviation 128.0" in texts(figure_of(words, 0, 0))[3]
    words >>= 1
    assert float(re.search(r"chi-square ([0-9.]+)", texts(figure_of(words, 0, 0))[2])[1]) > 60_000


# The file


@pytest.mark.parametrize(
    ("name", "start"), with_costly([("p.png", b"\x89PNG")], [("p.svg", b"<?xml"), ("p.pdf", b"%PDF")])
)
def test_the_name_determines_the_format(tmp_path, name, start):
    """bulk 7.1"""
    plot_words(tmp_path / name, STATE, 4096)
    assert (tmp_path / name).read_bytes().startswith(start)


def test_other_formats_and_lengths_are_refused(run):
    error = "the plot's name must end in .png, .svg or .pdf; got 'p.gif'. Name such a file."
    assert run("plot --seed 1 -o p.gif") == (2, "", f"dmlrand: error: {error}\n")
    for words in (4095, 2**26 + 1):
        error = f"words must be in [4096, 2**26]; got {words}."
        assert run(f"plot --seed 1 -o p.png --words {words}") == (2, "", f"dmlrand: error: {error}\n")
    assert os.listdir() == []


def test_without_matplotlib_the_extra_is_named(run, monkeypatch):
    """It is loaded for pictures alone."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    np.save("v.npy", random_generator(make_state(key=1), 4).values)
    error = "dmlrand: error: plots need matplotlib, which is not installed. Install it: pip install matplotlib. "
    error += "The extra 'plot' of dmlrand includes it.\n"
    for line in ("plot --seed 1 -o p.png", "verify --seed 1 --values v.npy --plot p.png"):
        assert run(line) == (2, "", error)
    assert run("verify --seed 1 --values v.npy").code == 0
