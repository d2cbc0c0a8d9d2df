"""Results for people (a plain table) and for programs (JSON)."""

import json
import os
import platform
import tempfile
from math import log
from pathlib import Path

from benchmarks.case import library_of


def number(value, digits=3):
    if value is None:
        return "-"
    return f"{value:,.0f}" if 1000 <= value < 1e6 and value == int(value) else f"{value:.{digits}g}"


def columns(header, rows):
    """Align: the first column to the left, numbers to the right."""
    widths = [max(len(str(r[i])) for r in [header, *rows]) for i in range(len(header))]
    lines = [[str(v).rjust(w) for v, w in zip(r, widths)] for r in [header, *rows]]
    return "\n".join("  " + "  ".join([line[0].strip().ljust(widths[0]), *line[1:]]).rstrip() for line in lines)


def table(result):
    """One case: fastest first, a star where the quality asked for was not reached.

    Beside the best time stand the least processor time (all threads; steadier on a busy machine) and the
    spread, slowest over fastest run: where it is large, the machine had other work, repeat the measurement.
    """
    rows = sorted(result["rows"], key=lambda r: r["seconds"])
    measures = list(dict.fromkeys(k for r in rows for k in r["quality"]))
    titles = ["excess" if m == "objective" else m for m in measures]
    size = ", ".join(f"{k}={v:,}" if isinstance(v, int) else f"{k}={v}" for k, v in result["size"].items())
    out = [f"{result['case']}: {result['title'].splitlines()[0] if result['title'] else ''} [{size}]"]
    if rows:
        body = []
        for r in rows:
            name = r["name"] + ("" if r["solved"] else " *")
            quality = [number(r["quality"].get(m)) for m in measures]
            spread = number(max(r["times"]) / r["seconds"], 3)
            times = [number(r["seconds"]), number(r["cpu"]), spread, number(r["ratio"])]
            body.append([name, r["version"], *times, *quality])
        header = ["implementation", "version", "seconds", "cpu s", "spread", "ratio", *titles]
        out.append(columns(header, body))
    if any(not r["solved"] for r in rows):
        wanted = [f"{k} {v:g}" for k, v in result["accept"].items()] + [f"the same {k}" for k in result["same"]]
        out.append(f"  * does not reach {', '.join(wanted).replace('objective', 'excess')}")
    for r in rows:
        out += [f"  {r['name']}: {line}" for line in r.get("shown", "").splitlines()]
    out += [f"  {name}: {reason[:200]}" for name, reason in result["failures"].items()]
    return "\n".join(out + goals(result))


def goals(result):
    times = {r["name"]: r["seconds"] for r in result["rows"]}
    if "statlearn" not in times:
        return []
    lines = []
    for peer, wanted in result["goal"].items():
        if peer in times:
            got = times[peer] / times["statlearn"]
            lines.append(f"  goal {wanted:g}x {peer}: {got:.3g}x, {'met' if got >= wanted else 'NOT met'}")
    return lines


def growth(results, argument):
    """Seconds of each implementation over the sizes of one argument; the exponent between the last two."""
    sizes = [r["size"][argument] for r in results]
    names = list(dict.fromkeys(row["name"] for r in results for row in r["rows"]))
    body = []
    for name in names:
        times = [next((x["seconds"] for x in r["rows"] if x["name"] == name), None) for r in results]
        both = len(times) > 1 and times[-1] and times[-2]
        slope = log(times[-1] / times[-2]) / log(sizes[-1] / sizes[-2]) if both else None
        body.append([name, *map(number, times), number(slope, 2)])
    header = ["seconds", *(f"{argument}={s:,}" for s in sizes), "exponent"]
    fixed = ", ".join(f"{k}={v}" for k, v in results[0]["size"].items() if k != argument)
    return f"{results[0]['case']} over {argument} [{fixed}]\n" + columns(header, body)


def machine(threads):
    """Facts that explain a time and identify nobody."""
    model = ""
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((x.partition(":")[2].strip() for x in lines if x.startswith("model name")), "")
    return {
        "cpu": model or platform.machine(),
        "cpus": os.cpu_count(),
        "threads": threads,
        "system": platform.system(),
        "python": platform.python_version(),
    }


def write_json(path, results, threads):
    """Whole or not at all: written beside the target, then renamed over it."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    libraries = {library_of(row["name"]): row["version"] for r in results for row in r["rows"]}
    text = json.dumps({"machine": machine(threads), "libraries": libraries, "cases": results}, indent=1)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".tmp", delete=False) as f:
        f.write(text + "\n")
    os.replace(f.name, path)
