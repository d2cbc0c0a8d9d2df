"""Small drawings as inline SVG: scales, axes, lines, points, bands, bars.

Colours are CSS classes (``s1`` ... ``s7`` for series, ``muted``, ``good``, ``bad``), so a drawing follows the page's
theme. Many marks of one kind are one path: ten bytes a point. Everything that is written comes through `escape`.
"""

import math
from html import escape

import numpy as np

from ..names import SUPERSCRIPT, grouped

FLAT = 1e-12
_WIDE, _NARROW = set("mwMW@%—…→"), set("iljtfrI.,:;'|!()[] ")
KEY_ROW = 14  # pixels from one row of a key to the next
GLYPH = 5.9  # average width of a character of the figures' 11-pixel type


FAR = 20_000.0  # no coordinate lies farther out, so that browsers can draw what is clipped


def number(value):
    """A coordinate with a tenth of a pixel at most."""
    value = min(max(value, -FAR), FAR)
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def text_width(words):
    """About how many pixels the figures' type takes for these words; a little too many rather than too few."""
    return sum(9.6 if c in _WIDE else 4.2 if c in _NARROW else 7.9 if c.isupper() else 6.6 for c in str(words))


def nice_ticks(low, high, n=5):
    """Round numbers (1, 2, 2.5, 5 times a power of ten) inside [low, high], about `n` of them."""
    span = high - low
    if not math.isfinite(span) or span <= 0:
        return np.array([low])
    step = nice_step(span / max(n, 1), span, n)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return np.arange(first, last + 1) * step


def nice_step(raw, span=None, n=None):
    """The round number near `raw`; with `span` and `n`, the one that cuts the span into about `n` pieces."""
    power = 10.0 ** math.floor(math.log10(raw))
    steps = [m * power for m in (1, 2, 2.5, 5, 10)]
    if span is None:
        return min((s for s in steps if s == int(s)), key=lambda s: abs(s - raw), default=1.0)
    return min(steps, key=lambda s: abs(span / s - n))


def tick_labels(values):
    """Numbers of one axis with common decimals; thousands as k, M, G where they are all large."""
    values = np.asarray(values, dtype=float)
    largest = np.abs(values).max(initial=0.0)
    if 0 < largest < 1e-4:
        return [f"{v:.1e}".replace("e-0", "e-") if v else "0" for v in values]
    unit, suffix = next(((u, s) for u, s in ((1e9, "G"), (1e6, "M"), (1e4, "k")) if largest >= u), (1.0, ""))
    unit = 1e3 if suffix == "k" else unit
    scaled = values / unit
    for decimals in range(6):
        if np.allclose(scaled, np.round(scaled, decimals), rtol=0, atol=1e-9 * max(largest / unit, 1e-3)):
            break
    return [grouped(v, f".{decimals}f") + suffix if v else "0" for v in scaled]


class Linear:
    """Data to pixels, straight."""

    def __init__(self, low, high, begin, end, n_ticks=5):
        if not high - low > FLAT * max(abs(low), abs(high)):  # what is left is rounding
            pad = abs(low) * 0.05 or 0.5
            low, high = low - pad, high + pad
        self.low, self.high, self.begin, self.end = float(low), float(high), begin, end
        self.ticks = nice_ticks(self.low, self.high, n_ticks)
        self.labels = tick_labels(self.ticks)

    def __call__(self, value):
        return self.begin + (np.asarray(value, dtype=float) - self.low) / (self.high - self.low) * (
            self.end - self.begin
        )


class Dates(Linear):
    """Days since 1970 to pixels, with ticks where years, months, days or hours begin."""

    def __init__(self, low, high, begin, end, n_ticks=5):
        super().__init__(low, high, begin, end, n_ticks)
        self.ticks, self.labels = date_ticks(self.low, self.high, n_ticks)


def date_ticks(low, high, n=5):
    """Days at which about `n` years, months, days or hours begin, and what they are called."""
    span = (high - low) / max(n, 1)  # days from tick to tick
    if span >= 365:
        step = max(int(nice_step(span / 365.25)), 1)
        years = np.arange(np.datetime64(round(low), "D").astype("datetime64[Y]").astype(int) + 1970, 9999)
        marks = np.array([f"{y:04d}" for y in years[years % step == 0][: 4 * n + 4]], "datetime64[Y]")
        form = "Y"
    elif span >= 28:
        step = min((1, 2, 3, 6, 12), key=lambda m: abs(m - span / 30.4))
        first = np.datetime64(int(np.floor(low)), "D").astype("datetime64[M]")
        marks = first + np.arange(0, 12 * n + 24)
        marks = marks[marks.astype(int) % step == 0]
        form = "M"
    else:
        unit, step = ("D", max(round(span), 1)) if span >= 0.75 else ("h", max(round(24 * span), 1))
        first = np.datetime64(int(np.floor(low)), "D").astype(f"datetime64[{unit}]")
        marks = first + step * np.arange(0, 30 * (n + 1))
        form = "D" if unit == "D" else "m"
    days = marks.astype("datetime64[m]").astype(float) / 1440.0
    inside = (days >= low) & (days <= high)
    return days[inside], [str(text).replace("T", " ") for text in np.datetime_as_string(marks[inside], unit=form)]


class Log:
    """Data to pixels by their logarithm; values must be positive."""

    def __init__(self, low, high, begin, end, n_ticks=5):
        if not high > low:
            low, high = low / 2, high * 2
        self.low, self.high, self.begin, self.end = float(low), float(high), begin, end
        self._scale = Linear(math.log10(low), math.log10(high), begin, end)
        decades = np.arange(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        if len(decades) > 3:
            every = max(1, math.ceil((len(decades) - 2) / n_ticks))
            ticks = 10.0 ** decades[decades % every == 0]
        else:
            ticks = np.array([m * 10.0**d for d in decades for m in (1, 2, 5)])
        self.ticks = ticks[(ticks >= low * 0.999) & (ticks <= high * 1.001)]
        if len(self.ticks) < 2:
            self.ticks = nice_ticks(low, high, 4)
        self.labels = [_power_label(t) for t in self.ticks]

    def __call__(self, value):
        return self._scale(np.log10(np.maximum(np.asarray(value, dtype=float), 1e-300)))


class Bands:
    """Names to pixels: equal slots in their order."""

    def __init__(self, names, begin, end):
        self.names, self.begin, self.end = list(names), begin, end
        self.step = (end - begin) / max(len(self.names), 1)
        every = max(1, math.ceil(2.5 * GLYPH / abs(self.step))) if names else 1
        self.ticks = np.arange(0, len(self.names), every)
        self.labels = [str(self.names[k]) for k in self.ticks]
        self.step_between_labels = abs(self.step) * every

    def __call__(self, index):
        return self.begin + (np.asarray(index, dtype=float) + 0.5) * self.step


def _power_label(value):
    exponent = round(math.log10(value)) if value > 0 else 0
    if 1e-3 <= value < 1e5:
        return f"{value:,.10g}"
    if abs(value / 10.0**exponent - 1) < 1e-9:
        return f"10{str(exponent).translate(SUPERSCRIPT)}"
    return f"{value:.0e}"


def shorten(text, width):
    """The text, or its beginning with an ellipsis, to fit `width` characters."""
    text = " ".join(str(text).split())
    return text if len(text) <= width else text[: max(width - 1, 1)].rstrip() + "…"


def _key_width(words):
    return 22 + GLYPH * len(words) + 10


def key_rows(entries, room):
    """How many entries of a key stand in each of its rows, if a row has `room` pixels."""
    rows, used = [], 0.0
    for words in entries:
        width = _key_width(words)
        if rows and used + width - 10 <= room:
            rows[-1] += 1
            used += width
        else:
            rows.append(1)
            used = width
    return rows


def polyline(px, py, apart=0.8):
    """A path through pixel positions; points closer than `apart` to the one before are left out."""
    px, py = np.asarray(px, dtype=float), np.asarray(py, dtype=float)
    parts, last = [], None
    for k, (x, y) in enumerate(zip(px, py)):
        if not (math.isfinite(x) and math.isfinite(y)):
            last = None
            continue
        far = last is None or abs(x - last[0]) + abs(y - last[1]) >= apart
        if far or k == len(px) - 1:
            parts.append(f"{'M' if last is None else 'L'}{number(x)} {number(y)}")
            last = (x, y)
    return "".join(parts)


class Plot:
    """One pair of axes.

    Parameters
    ----------
    x, y : (low, high) or list of str
        The range of the data, or the names of slots.
    width, height : float
        Of the drawing; the page scales it.
    x_label, y_label : str
        The vertical axis's label stands above it, horizontally.
    x_log, y_log : bool
    x_dates : bool
        Days since 1970.
    x_reversed : bool
        Large values on the left.
    grid : {"y", "x", "xy", ""}
    top : float
        Extra room above, for a key.

    Notes
    -----
    Marks end at the plot's edges; words do not.
    """

    def __init__(
        self,
        x,
        y,
        *,
        width=340,
        height=230,
        x_label="",
        y_label="",
        x_log=False,
        y_log=False,
        x_dates=False,
        x_reversed=False,
        grid="y",
        top=0.0,
    ):
        self.width, self.height = width, height
        self.body: list[str] = []
        self._words: list[str] = []
        self._key: list[tuple[str, str, str]] = []
        self.bottom = height - (34 if x_label else 20)
        self.top = 10 + (14 if y_label else 0) + top
        self.y = self._scale(y, self.bottom, self.top, y_log, 4 if height < 200 else 5)
        widest = max(map(text_width, self.y.labels), default=0.0)
        self.left = min(8 + widest + 4, width * 0.45)
        self.right = width - 10
        begin, end = (self.right, self.left) if x_reversed else (self.left, self.right)
        self.x = self._scale(x, begin, end, x_log, max(3, int((self.right - self.left) / 62)), x_dates)
        self._labels = (x_label, y_label)
        self._grid = grid

    @staticmethod
    def _scale(extent, begin, end, log, n_ticks, dates=False):
        if isinstance(extent, list):
            return Bands(extent, begin, end)
        return (Log if log else Dates if dates else Linear)(*extent, begin, end, n_ticks)

    def line(self, x, y, css="s1", *, title=None, dash=None):
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        self._path(polyline(self.x(x), self.y(y)), f"line {css}", extra, title)

    def steps(self, x, y, css="s1", *, title=None):
        """A curve that is level between the points and jumps at them."""
        px, py = self.x(x), self.y(y)
        self._path(
            polyline(np.repeat(px, 2)[1:], np.repeat(py, 2)[:-1], apart=0.5), f"line {css}", "", title
        )  # fmt: skip

    def dots(self, x, y, css="s1", *, size=4.0, title=None):
        """Many points as one path."""
        px, py = np.atleast_1d(self.x(x)), np.atleast_1d(self.y(y))
        path = "".join(f"M{number(a)} {number(b)}h0" for a, b in zip(px, py) if math.isfinite(a) and math.isfinite(b))
        self._path(path, f"dots {css}", f' stroke-width="{number(size)}"', title)

    def dot(self, x, y, css="s1", *, size=6.0, title=None):
        """One point, with words of its own."""
        cx, cy = number(float(self.x(x))), number(float(self.y(y)))
        self.body.append(
            f'<circle class="dot {css}" cx="{cx}" cy="{cy}" r="{number(size / 2)}">{_title(title)}</circle>'
        )

    def band(self, x, lower, upper, css="s1"):
        """The area between two curves."""
        px = self.x(x)
        there = polyline(px, self.y(upper))
        back = polyline(px[::-1], self.y(lower)[::-1])
        if there and back:
            self._path(f"{there}L{back[1:]}z", f"band {css}")

    def bars(self, x0, x1, y0, y1, css="s1", *, title=None):
        """Boxes between data coordinates, as one path."""
        a, b = np.atleast_1d(self.x(x0)), np.atleast_1d(self.x(x1))
        c, d = np.atleast_1d(self.y(y0)), np.atleast_1d(self.y(y1))
        a, b, c, d = np.broadcast_arrays(a, b, c, d)
        path = "".join(
            f"M{number(p)} {number(r)}H{number(q)}V{number(s)}H{number(p)}z" for p, q, r, s in zip(a, b, c, d)
        )
        self._path(path, f"bar {css}", "", title)

    def whiskers(self, lower, upper, at, css="s1", *, vertical=True, cap=0.0):
        """Intervals, vertical at x = `at` or horizontal at y = `at`."""
        lower, upper, at = np.broadcast_arrays(*map(np.atleast_1d, (lower, upper, at)))
        parts = []
        for a, b, c in zip(lower, upper, at):
            if vertical:
                x, y0, y1 = float(self.x(c)), float(self.y(a)), float(self.y(b))
                parts.append(f"M{number(x)} {number(y0)}V{number(y1)}")
                if cap:
                    parts += [f"M{number(x - cap)} {number(y)}h{number(2 * cap)}" for y in (y0, y1)]
            else:
                y, x0, x1 = float(self.y(c)), float(self.x(a)), float(self.x(b))
                parts.append(f"M{number(x0)} {number(y)}H{number(x1)}")
                if cap:
                    parts += [f"M{number(x)} {number(y - cap)}v{number(2 * cap)}" for x in (x0, x1)]
        self._path("".join(parts), f"whisker {css}")

    def rule(self, *, x=None, y=None, css="ref"):
        """A straight line across the whole plot."""
        if x is not None:
            place = number(float(self.x(x)))
            self._path(f"M{place} {number(self.top)}V{number(self.bottom)}", css)
        if y is not None:
            place = number(float(self.y(y)))
            self._path(f"M{number(self.left)} {place}H{number(self.right)}", css)

    def diagonal(self, css="ref"):
        """The line y = x inside the plot."""
        low, high = max(self.x.low, self.y.low), min(self.x.high, self.y.high)
        if high > low:
            self._path(polyline(self.x([low, high]), self.y([low, high])), css)

    def density(self, x, y, css="s1", *, spacing=8.0):
        """Points counted on a hexagonal lattice; the size of a spot grows with the logarithm of their number."""
        px, py = self.x(x), self.y(y)
        inside = np.isfinite(px) & np.isfinite(py)
        px, py = px[inside], py[inside]
        if not len(px):
            return
        height = spacing * math.sqrt(3) / 2
        row = np.round((py - self.top) / height)
        column = np.round((px - self.left) / spacing - (row % 2) / 2)
        first, low, width = row.min(), column.min(), int(np.ptp(column)) + 1
        counts = np.bincount(((row - first) * width + column - low).astype(int))
        filled = np.flatnonzero(counts)
        counts, row, column = counts[filled], filled // width + first, filled % width + low
        cx, cy = self.left + (column + (row % 2) / 2) * spacing, self.top + row * height
        size = np.log1p(counts) / np.log1p(max(counts.max(), 2)) * (spacing + 0.6)
        levels = np.array([1.6, 2.6, 3.8, 5.2, 6.8, spacing + 0.6])
        nearest = np.abs(size[:, None] - levels[None, :]).argmin(axis=1)
        for k in np.unique(nearest):
            at = nearest == k
            path = "".join(f"M{number(a)} {number(b)}h0" for a, b in zip(cx[at], cy[at]))
            self._path(path, f"dots solid {css}", f' stroke-width="{number(levels[k])}"')

    def text(self, x, y, words, *, css="", anchor="start", dx=0.0, dy=0.0):
        px, py = float(self.x(x)) + dx, float(self.y(y)) + dy
        self.label(px, py, words, css=css, anchor=anchor)

    def label(self, px, py, words, *, css="", anchor="start"):
        """Words at a place in pixels."""
        where = f'x="{number(px)}" y="{number(py)}"' + (f' text-anchor="{anchor}"' if anchor != "start" else "")
        look = f' class="{css}"' if css else ""
        self._words.append(f"<text {where}{look}>{escape(str(words))}</text>")

    def key(self, words, css, kind="line"):
        """An entry of the key above the plot: "line", "dot", "box" or "dash"."""
        self._key.append((str(words), css, kind))

    def svg(self, title, description="", css=""):
        """The drawing; `title` and `description` are what a screen reader says."""
        parts = [
            f'<svg class="fig {css}" viewBox="0 0 {number(self.width)} {number(self.height)}" role="img" '
            f'aria-label="{escape(title + (". " + description if description else ""))}">',
            self._axes(),
            self._clipped(),
            *self._words,
            self._draw_key(),
            "</svg>",
        ]
        return "".join(parts)

    def _clipped(self):
        x, y = number(self.left - 6), number(self.top - 6)
        width, height = number(self.right - self.left + 12), number(self.bottom - self.top + 12)
        frame = f'x="{x}" y="{y}" width="{width}" height="{height}" viewBox="{x} {y} {width} {height}"'
        return f'<svg class="clip" {frame}>{"".join(self.body)}</svg>' if self.body else ""

    def _path(self, path, css, extra="", title=None):
        if path:
            inner = f">{_title(title)}</path>" if title else "/>"
            self.body.append(f'<path class="{css}" d="{path}"{extra}{inner}')

    def _axes(self):
        x_label, y_label = self._labels
        parts = []
        if "y" in self._grid and not isinstance(self.y, Bands):
            parts += [f"M{number(self.left)} {number(float(self.y(t)))}H{number(self.right)}" for t in self.y.ticks]
        if "x" in self._grid and not isinstance(self.x, Bands):
            parts += [f"M{number(float(self.x(t)))} {number(self.top)}V{number(self.bottom)}" for t in self.x.ticks]
        out = [f'<path class="grid" d="{"".join(parts)}"/>'] if parts else []
        for tick, words in zip(self.y.ticks, self.y.labels):
            place = number(float(self.y(tick)) + 3.6)
            room = next((k for k in range(len(words), 1, -1) if text_width(shorten(words, k)) <= self.left - 8), 2)
            out.append(f'<text x="{number(self.left - 6)}" y="{place}" text-anchor="end">{_fit(words, room)}</text>')
        if isinstance(self.x, Bands):
            room = max(int(self.x.step_between_labels / GLYPH), 2)
        else:
            room = 99
        for tick, words in zip(self.x.ticks, self.x.labels):
            half = text_width(shorten(words, room)) / 2
            place = number(min(max(float(self.x(tick)), half), self.width - half))
            out.append(
                f'<text x="{place}" y="{number(self.bottom + 15)}" text-anchor="middle">{_fit(words, room)}</text>'
            )
        out.append(f'<path class="axis" d="M{number(self.left)} {number(self.bottom)}H{number(self.right)}"/>')
        if x_label:
            room = int((self.right - self.left) / GLYPH)
            where = f'x="{number(self.right)}" y="{number(self.height - 4)}"'
            out.append(f'<text {where} text-anchor="end" class="name">{_fit(x_label, room)}</text>')
        if y_label:
            out.append(f'<text x="2" y="12" class="name">{_fit(y_label, int(self.width / GLYPH))}</text>')
        return "".join(out)

    def _draw_key(self):
        if not self._key:
            return ""
        rows = key_rows([words for words, _, _ in self._key], self.right - 2.0)
        out, first = [], 0
        for line, count in enumerate(rows):
            out.append(
                self._draw_key_row(self._key[first : first + count], self.top - 10 - KEY_ROW * (len(rows) - 1 - line))
            )
            first += count
        return "".join(out)

    def _draw_key_row(self, entries, y):
        total = sum(_key_width(words) for words, _, _ in entries) - 10
        x, out = max(self.right - total, 2.0), []
        for words, css, kind in entries:
            if kind == "dot":
                out.append(f'<circle class="dot {css}" cx="{number(x + 9)}" cy="{number(y)}" r="3"/>')
            elif kind == "box":
                out.append(f'<path class="band {css}" d="M{number(x + 2)} {number(y - 4)}h14v8h-14z"/>')
            else:
                dash = ' stroke-dasharray="4 3"' if kind == "dash" else ""
                out.append(f'<path class="line {css}" d="M{number(x + 1)} {number(y)}h15"{dash}/>')
            out.append(f'<text x="{number(x + 20)}" y="{number(y + 3.6)}">{escape(words)}</text>')
            x += _key_width(words)
        return "".join(out)


def _fit(words, room):
    short = shorten(words, room)
    return escape(short) if short == str(words) else f"{escape(short)}{_title(words)}"


def _title(words):
    return f"<title>{escape(str(words))}</title>" if words else ""


def sparkbars(heights, *, width=120.0, height=26.0, css="s1", label="", gap=0.6):
    """A histogram the size of a word."""
    heights = np.asarray(heights, dtype=float)
    top = heights.max(initial=0.0) or 1.0
    step = width / max(len(heights), 1)
    path = "".join(
        f"M{number(k * step + gap / 2)} {number(height)}v{number(-max(h / top * (height - 1), 0.7))}"
        f"h{number(step - gap)}V{number(height)}z"
        for k, h in enumerate(heights)
        if h > 0
    )
    frame = f'viewBox="0 0 {number(width)} {number(height)}" preserveAspectRatio="none"'
    return (
        f'<svg class="spark" {frame} role="img" aria-label="{escape(label)}">'
        f'<path class="bar {css}" d="{path}"/><path class="axis" d="M0 {number(height)}h{number(width)}"/></svg>'
    )
