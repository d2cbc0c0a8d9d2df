"""What things are called in print, and how numbers are written for people."""

import datetime
import math
import re

HUGE = 1e7  # from here on numbers are written with a power of ten
MANY_DIGITS = 1e9  # and whole ones from here on
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

_METRICS = {
    "rmse": "RMSE",
    "mse": "MSE",
    "mae": "MAE",
    "r2": "R²",
    "mape": "MAPE",
    "auc": "ROC AUC",
    "roc_auc": "ROC AUC",
    "roc_auc_ovr": "ROC AUC, one-vs-rest",
    "average_precision": "average precision",
    "log_loss": "log loss",
    "brier": "Brier score",
    "brier_score": "Brier score",
    "f1": "F1",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "root_mean_squared_error": "RMSE",
    "mean_squared_error": "MSE",
    "mean_absolute_error": "MAE",
}


_CONSONANT = ("ROC",)  # said as a word


def metric_label(name):
    """A metric as people write it."""
    bare = name.removeprefix("neg_")
    return _METRICS.get(bare, bare.replace("_", " "))


def reason(column, change):
    """A column and how far it moves a prediction: "age +2.3"."""
    return f"{column} {'+' if change > 0 else ''}{plain(change, 2)}"


def mean_and_error(mean, error):
    """Two strings: the error with two significant digits, the mean with as many decimals."""
    if mean is None or not math.isfinite(mean):
        return "–", ""
    if error is None or not math.isfinite(error) or error <= 1e-9 * abs(mean):  # rounding is no spread
        return plain(mean), ""
    decimals = max(0, 1 - math.floor(math.log10(error)))
    if decimals > 8 or max(abs(mean), error) >= HUGE:
        return plain(mean, 3), plain(error, 2)
    if max(abs(mean), error) >= 9999.5:  # both or none: "23,402 ± 1,410"
        return tuple(f"{value:,.{decimals}f}".replace("-", "−") for value in (mean, error))
    return grouped(round(mean, decimals) + 0.0, f".{decimals}f"), grouped(error, f".{decimals}f")  # no "−0.00"


def plus_minus(mean, error):
    """A mean with its standard error: "49,887 ± 310"; the mean alone if the error is unknown."""
    mean, error = mean_and_error(mean, error)
    return f"{mean} ± {error}" if error else mean


def with_article(label):
    """The label of a metric behind "a" or "an", as it is pronounced: "an RMSE", "an F1", "a log loss"."""
    return f"{'an' if label[0] in 'aeiouFMR' and not label.startswith(_CONSONANT) else 'a'} {label}"


def decimals_for(errors):
    """Decimals that show the typical one of these errors with two significant digits; None where there is none."""
    known = sorted(e for e in errors if e is not None and math.isfinite(e) and e > 0)
    if not known:
        return None
    return min(max(0, 1 - math.floor(math.log10(known[len(known) // 2]))), 8)


def enough_decimals(decimals, error):
    """The common decimals of a column, or more where they would make this error zero."""
    own = decimals_for([error])
    return own if decimals is not None and own is not None and round(error, decimals) == 0 else decimals


def fixed(value, decimals):
    """A number of a column with common decimals, or as `plain` writes it if there are none or they make it zero."""
    if value is None or not math.isfinite(value):
        return "–"
    if decimals is None or abs(value) >= HUGE or (value != 0 and round(value, decimals) == 0):
        return plain(value, 4 if decimals is None or abs(value) >= HUGE else 2)
    return grouped(value, f".{decimals}f")


def fixed_pair(mean, error, decimals):
    """A mean and its error of such a column, both grouped or none: "23,402" and "1,410"."""
    both = mean is not None and error is not None and math.isfinite(mean) and math.isfinite(error)
    if not both or decimals is None or not 9999.5 <= max(abs(mean), abs(error)) < HUGE:
        return fixed(mean, decimals), fixed(error, decimals)
    return tuple(f"{value:,.{decimals}f}".replace("-", "−") for value in (mean, error))


def moment(value):
    """A date or time, or microseconds since 1970, as people write it; midnight is left out."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if not isinstance(value, (datetime.date, datetime.datetime)):
        value = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=round(float(value)))
    if not isinstance(value, datetime.datetime) or value.time() == datetime.time():
        return value.strftime("%Y-%m-%d")
    return value.strftime("%Y-%m-%d %H:%M" if value.second == 0 else "%Y-%m-%d %H:%M:%S")


def moments(statistics):
    """How the dates of a column are written: without the time if both ends are days."""
    whole = all(len(moment(statistics[key])) == 10 for key in ("min", "max") if key in statistics)
    return lambda value: moment(value)[: 10 if whole else None]


def grouped(value, form):
    """The number in that format, with commas between thousands from 10,000 on: years have none."""
    text = f"{value:{form}}" if abs(value) < 9999.5 else f"{value:,{form}}"
    return text.replace("-", "−")


def plain(value, digits=4):
    """A number with `digits` significant digits, grouped, without an exponent if that is readable."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    value = float(value)
    if not math.isfinite(value):
        return "–"
    if value == int(value) and abs(value) < MANY_DIGITS:
        return grouped(int(value), "d")
    exponent = math.floor(math.log10(abs(value)))
    if -4 <= exponent < 7:
        return grouped(value, f".{max(digits - 1 - exponent, 0)}f")
    mantissa, _, power = f"{value:.{min(digits, 3) - 1}e}".partition("e")
    return f"{mantissa}×10{str(int(power)).translate(SUPERSCRIPT)}".replace("-", "−")


def bare(value, digits=4):
    """A number of a table as `plain` writes it, without zeros at its end: 8.2, not 8.200."""
    text = plain(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text and "×" not in text else text


def p_value(p):
    """A p-value with two digits, and a bound where it is tiny."""
    if p is None or not math.isfinite(p):
        return "–"
    if p < 0.0001:
        return "< 0.0001"
    return f"{p:.2f}" if p >= 0.0995 else f"{p:.2g}"


def duration(seconds):
    """Seconds as people say them."""
    if seconds is None or not math.isfinite(seconds):
        return "–"
    if seconds < 1:
        return f"{1000 * seconds:.2g} ms" if seconds < 0.0995 else f"{1000 * seconds:.0f} ms"
    if seconds < 100:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def size(n_bytes):
    """Bytes as people say them."""
    if not n_bytes:
        return "–"
    for unit in ("B", "kB", "MB"):
        if n_bytes < 1000:
            return f"{n_bytes:.0f} {unit}" if unit == "B" or n_bytes >= 10 else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.1f} GB"


def setting(value):
    """A parameter's value, short."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(setting(v) for v in value[:12]) + (", …" if len(value) > 12 else "")
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    text = str(value.item() if hasattr(value, "item") and getattr(value, "size", 1) == 1 else value)
    return text if len(text) <= 200 else text[:199] + "…"


def with_column_names(text, columns):
    """The text with x0, x1, ... replaced by names of columns, also inside of terms: s(x3), x0², x1 × x2."""
    names = {f"x{j}": str(name) for j, name in enumerate(columns)}
    return re.sub(r"\bx\d+(?![0-9A-Za-z_])", lambda found: names.get(found[0], found[0]), text)
