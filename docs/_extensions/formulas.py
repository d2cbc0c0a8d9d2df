"""Formulas as MathML, which browsers draw themselves: no script, and no network.

The font is STIX Two Math as it comes with the package ziamath (SIL Open Font License), reduced to the characters of
formulas when the documentation is built.
"""

import re
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert

CHARACTERS = [
    *range(0x20, 0x180), *range(0x2B0, 0x400), *range(0x2010, 0x2060), *range(0x20D0, 0x20F0), *range(0x2100, 0x2200),
    *range(0x2200, 0x2400), *range(0x27C0, 0x2800), *range(0x2900, 0x2B00), *range(0x1D400, 0x1D800),
]  # fmt: skip


def mathml(tex, display="inline"):
    """A formula as a MathML element."""
    tex = re.sub(r"\\arg(?![a-z])", r"\\operatorname{arg}", tex.strip())
    if display == "block" and (r"\\" in tex or "&" in tex) and not tex.startswith(r"\begin"):
        tex = rf"\begin{{aligned}}{tex}\end{{aligned}}"
    return with_norms(convert(tex, display=display))


def with_norms(formula):
    """The formula with bars of norms as high as the line, not as the tallest neighbour."""
    return formula.replace("<mo>&#x02016;</mo>", '<mo stretchy="false">&#x02016;</mo>')


def visit_inline(self, node):
    self.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def visit_block(self, node):
    self.body.append(self.starttag(node, "div", CLASS="math"))
    parts = [node.astext()] if node["no-wrap"] else re.split(r"\n\s*\n", node.astext())
    self.body.extend(mathml(part, "block") for part in parts if part.strip())
    if node["number"]:
        self.body.append(f'<span class="eqno">({node["number"]})</span>')
    self.body.append("</div>\n")
    raise nodes.SkipNode


def write_font(app, exception):
    """Write the font of the formulas into the site."""
    if exception is not None or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "math.woff"
    if target.exists():
        return
    import ziamath
    from fontTools import subset

    options = subset.Options(flavor="woff", layout_features=["*"], notdef_outline=True)
    font = subset.load_font(str(Path(ziamath.__file__).parent / "fonts" / "STIXTwoMath-Regular.ttf"), options)
    reduced = subset.Subsetter(options)
    reduced.populate(unicodes=CHARACTERS)
    reduced.subset(font)
    subset.save_font(font, str(target), options)


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("build-finished", write_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
