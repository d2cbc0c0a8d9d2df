"""The process that does the work of one job: the command line, with its output and its end in files."""

import json
import os
import sys
import time
from pathlib import Path


def main(folder):
    """Run the command of a job, and note how it ended."""
    from statlearn.app.compare.progress import JOURNAL

    folder = Path(folder)
    words = json.loads((folder / "job.json").read_text(encoding="utf-8"))["words"]
    os.environ[JOURNAL] = str(folder / "journal.jsonl")
    os.environ["COLUMNS"] = "160"
    sys.argv = ["statlearn", *words]
    code = 1
    try:
        from statlearn.app.cli import main as run

        run(words)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        code = 130
    finally:
        sys.stdout.flush()
        text = json.dumps({"code": code, "time": time.time()})
        (folder / "end.part").write_text(text, encoding="utf-8")
        os.replace(folder / "end.part", folder / "end.json")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
