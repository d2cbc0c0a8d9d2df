"""Look for vector code that GCC 12 gets wrong: masked loads that share a mask which belongs to only one of them.

python tools/masked_loads.py [MODULE.so ...]      by default the compiled core beside the Python sources

A value that is read only where a condition holds, in a loop written out for more lanes than a vector has,

    for (l = 0; l < 8; ++l) sum[l] += x[j + l] > 0 ? y[j + l] : 0;

becomes two masked loads for processors with AVX. With -fno-trapping-math GCC 12 gives the mask of the first to both, so
that the other lanes are wrong. The way out is to read the value before the choice is made. The mistake shows in the
machine code: loads from neighbouring places with the same mask.
"""

import re
import subprocess
import sys
from pathlib import Path

CORE = Path(__file__).parent.parent / "src/statlearn/_core"
LOAD = re.compile(r"vp?maskmov(?:pd|ps|d|q)\s+(-?(?:0x[0-9a-f]+)?)(\([^)]*\)),%[xy]mm(\d+),%[xy]mm\d+")
WRITTEN = re.compile(r"%(\w+)\s*(?:#.*)?$")  # the last operand is the destination
LEAVES = ("ret", "jmp", "call")


def shared_masks(lines):
    """Places of the loads, in a disassembly, that use the mask of a load from a neighbouring place."""
    function, seen, found = "", {}, []
    for line in lines:
        if line.endswith(">:"):
            function, seen = line.partition("<")[2][:-2], {}
            continue
        place, _, instruction = line.partition("\t")
        if not instruction:
            continue
        if load := LOAD.search(instruction):
            offset, address, mask = int(load[1] or "0", 16), load[2], f"ymm{load[3]}"
            others = seen.setdefault((address, mask), set())
            if others - {offset}:
                found.append(f"{function} {place.strip()} {instruction}")
            others.add(offset)
        if written := WRITTEN.search(instruction):
            register = written[1].replace("xmm", "ymm")
            seen = {key: value for key, value in seen.items() if register != key[1] and f"%{register}" not in key[0]}
        if instruction.startswith(LEAVES):
            seen = {}
    return found


def disassembly(path):
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield from (line.rstrip() for line in process.stdout)
    if process.returncode:
        raise SystemExit(f"objdump could not read {path}")


def main():
    paths = sys.argv[1:] or sorted(CORE.glob("_native_*.so"))
    found = [f"{path}: {place}" for path in paths for place in shared_masks(disassembly(path))]
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(found)} masked loads with the mask of another in {len(paths)} modules")
    return bool(found) or not paths


if __name__ == "__main__":
    sys.exit(main())
