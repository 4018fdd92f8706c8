"""pythons.py - Python programs recorded by `python3 -m tracy`, and what was recorded of them."""
import collections
import csv
import io
import sys

import tap


class Recorded:
    """How a program ended, and the zones of its run: by (process, thread), and one by one."""

    def __init__(self, t, folder, done, root):
        self.t, self.folder, self.done, self.root = t, folder, done, folder / root

    def table(self, *options):
        shown = tap.run([self.t.ttprof, "zones", self.root, "--csv", "-", *options], self.folder)
        return list(csv.DictReader(io.StringIO(shown.stdout.decode())))

    def counts(self, file=None):
        """Zone -> how often, of one source file or of all."""
        counts = collections.Counter()
        for row in self.table():
            if file is None or row["File"].rsplit("/", 1)[-1] == file:
                counts[row["Zone"]] += int(row["Count"])
        return counts

    def threads(self):
        """(pid, thread) -> Counter of zones; a thread as 'tid name' or 'fiber name'."""
        found = collections.defaultdict(collections.Counter)
        for row in self.table("--by", "thread"):
            found[int(row["Process"].split()[0]), row["Thread"]][row["Zone"]] += int(row["Count"])
        return found

    def strict(self):
        """Nothing was lost, no zone is open, no end without a start."""
        return tap.run([self.t.ttprof, "zones", self.root, "--strict"], self.folder)

    def messages(self):
        return tap.run([self.t.ttprof, "zones", self.root, "-m"], self.folder).stdout.decode()

    def said(self):
        """What the run says about Python."""
        lines = self.done.stderr.decode(errors="replace").splitlines()
        return [line.split("Python", 1)[1].lstrip(": ") for line in lines if line.startswith("ttprof: run: ") and "Python" in line]


def environment(t, **more):
    """The package and the libraries of this build."""
    path = f"{t.root / 'python'}" + (f":{more.pop('PYTHONPATH')}" if "PYTHONPATH" in more else "")
    return {"PYTHONPATH": path, "TTPROF_LIBRARY": str(t.ttprof.parent), "PYTHONDONTWRITEBYTECODE": "1", **more}


def tracy(t, folder, *words, **env):
    return tap.run([sys.executable, "-m", "tracy", *words], folder, **environment(t, **env))


def record(t, text, *options, words=(), name="script.py", folder=None, **env):
    """Records a script, given as a text; its folder may hold other files."""
    folder = folder or t.folder("python")
    (folder / name).write_text(text)
    return Recorded(t, folder, tracy(t, folder, "--no-device", "-o", "out", *options, name, *words, **env), "out")
