"""The README, and the lines of its shell blocks."""

import re

from paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SET_UP = "python3 -m venv "


def shell_lines():
    blocks = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]
