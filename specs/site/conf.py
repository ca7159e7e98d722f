"""The site: README.md, the pages of specs/, and the docstrings. specs/architecture.md has the command that builds it.

Sphinx reads the whole checkout, so that links between README.md and specs/ are links of the site too.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURES = "specs/site/pictures"

project = "dmlrand"
root_doc = "README"
exclude_patterns = [path.name for path in ROOT.iterdir() if path.name not in ("README.md", "specs")]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
myst_heading_anchors = 3
smartquotes = False  # the pages quote values of arguments
default_role = "code"  # docstrings mark code with single backticks
autodoc_member_order = "groupwise"
autodoc_typehints = "none"  # a docstring says more about an argument than its annotation
autodoc_inherit_docstrings = False
napoleon_use_param = napoleon_use_rtype = False  # else Sphinx takes the words of a type for links
napoleon_custom_sections = [("Attributes", "params_style")]

html_theme = "furo"
html_title = "dmlrand"
html_static_path, html_css_files = ["static"], ["narrow.css"]
html_show_copyright = html_show_sphinx = html_copy_source = False
# A copied example has no prompts and no printed results, so it runs as pasted.
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

CONTENTS = """

```{{toctree}}
:caption: {caption}
:hidden:
:maxdepth: 1

{pages}
```
"""


# The pages in the order of reading. A page that is not listed follows at the end of its group.
ORDER = {
    "Guides": "numbers coming_from problems check port train reproduce large gpu numba",
    "Contract": """promises words operator state distributions stream permutations sampler batch dask bit_generator
        checkpoint bulk cli backends names verify conformance directml std_philox openvino tensorflow tfp jax torch
        curand triton theano shaders webgpu cuda onnx kernels architecture proofs performance changes""",
}


def add_contents(app, docname, source):
    """Add the table of contents of the site to the README. GitHub and package indexes show the README without it."""
    if docname == root_doc:
        groups = {"Guides": "specs/guides", "Contract": "specs", "Reference": "specs/site/api"}
        for caption, folder in groups.items():
            order = [f"{folder}/{name}" for name in ORDER.get(caption, "").split()]
            found = sorted(name for name in app.env.found_docs if name.rpartition("/")[0] == folder)
            pages = sorted(found, key=lambda name: order.index(name) if name in order else len(order))
            pages += [PICTURES] if caption == "Reference" else []
            source[0] += CONTENTS.format(caption=caption, pages="\n".join(pages)) if pages else ""


def add_distributions(app, docname, source):
    """Document each function of a distribution in place of the line `.. distributions`."""
    from dmlrand.drawing.number_rules import DISTRIBUTIONS

    functions = "".join(f".. autofunction:: {name}\n" for name in DISTRIBUTIONS)
    source[0] = source[0].replace(".. distributions\n", functions)


def read_plain_text(app, what, name, item, options, lines):
    """A docstring is plain text with `code`, examples and names of pages: *, | and a last _ have no meaning in it."""
    example_or_code = r"^ *>>>.*?(?:\n *\n|\Z)|`[^`]*`"
    pattern = re.compile(rf"({example_or_code})|(\*(?=\S)|\||_(?!\w))|specs/(\w+)\.md", re.MULTILINE | re.DOTALL)
    lines[:] = pattern.sub(_as_markup, "\n".join(lines)).split("\n")


def _as_markup(found):
    unchanged, escaped, page = found.groups()
    return unchanged or (f":doc:`specs/{page}.md </specs/{page}>`" if page else "\\" + escaped)


def skip_made_up(app, what, name, item, skip, options):
    """Leave out the docstrings that NamedTuple makes up for its fields: the docstring of the class describes them."""
    return True if (getattr(item, "__doc__", None) or "").startswith("Alias for field number") else None


def draw_pictures(app):
    """Run the commands of the page of pictures, which write the pictures beside that page."""
    folder = Path(app.outdir, PICTURES).parent
    folder.mkdir(parents=True, exist_ok=True)
    page = (ROOT / f"{PICTURES}.md").read_text("utf-8").replace(".venv/bin/dmlrand", f"{sys.executable} -m dmlrand")
    for commands in re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        done = subprocess.run(["bash", "-c", commands], cwd=folder, capture_output=True, text=True)
        if done.returncode not in (0, 1):  # 1: verify found wrong words
            raise RuntimeError(f"exit code {done.returncode} of\n{commands}{done.stderr}")


def write_index(app, error):
    """A server and a reader open index.html first."""
    if error is None and app.builder.format == "html":
        line = f'<!doctype html><title>{project}</title><meta http-equiv="refresh" content="0; url={root_doc}.html">\n'
        Path(app.outdir, "index.html").write_text(line, "utf-8")


def setup(app):
    app.connect("autodoc-process-docstring", read_plain_text, priority=1)  # before napoleon adds markup of its own
    app.connect("autodoc-skip-member", skip_made_up)
    app.connect("builder-inited", draw_pictures)
    app.connect("source-read", add_contents)
    app.connect("source-read", add_distributions)
    app.connect("build-finished", write_index)
