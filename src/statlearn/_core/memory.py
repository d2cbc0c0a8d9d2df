"""Memory checks before large allocations, which raise an error that states the size."""

import os


def available_memory():
    """Bytes still available to the process: free memory within a container's limit; None if unknown."""
    known = [size for size in (_free(), _left_in_container()) if size is not None]
    return min(known) if known else None


def _free():
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    try:  # elsewhere: all that the machine has
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _left_in_container():
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as limit:
            limit_bytes = int(limit.read())  # "max" where there is none
        with open("/sys/fs/cgroup/memory.current", encoding="ascii") as current:
            used = int(current.read())
        with open("/sys/fs/cgroup/memory.stat", encoding="ascii") as lines:
            cached = dict(line.split() for line in lines)
    except (OSError, ValueError):
        return None
    return max(0, limit_bytes - used + int(cached.get("inactive_file", 0)))  # the file cache can be freed


def size_words(n_bytes):
    """Human-readable size, such as '3.2 GB'."""
    for unit in ("bytes", "KB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.0f} {unit}" if unit == "bytes" else f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"


def require_memory(n_bytes, what, remedy):
    """Raise MemoryError, with the size and a remedy, if `n_bytes` exceeds the available memory.

    Parameters
    ----------
    n_bytes : int
    what : str
        What is allocated, such as "the 50,000 x 50,000 affinity matrix".
    remedy : str
        A sentence such as "Use affinity='nearest_neighbors'."
    """
    left = available_memory()
    if left is not None and n_bytes > left:
        raise MemoryError(
            f"{what} would take {size_words(n_bytes)}, but only {size_words(left)} are available. {remedy}"
        )
