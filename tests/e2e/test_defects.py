#!/usr/bin/python3
"""test_defects.py TTPROF SOURCE_ROOT - docs/reference-defects.md: every row names tests that there are, and no defect is left out."""
import re

import tap

MARK = "**[ref defect"
LAST = "## Where the reference gives up"  # what follows has no mark in the specification


def table_rows(text):
    """The rows of all tables, without their heads: lists of cells."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if not set("".join(row)) <= set("-") and row[-1] != "Test"]


def problems(text, tests):
    """What is wrong with the page, as lines."""
    found = []
    for row in table_rows(text):
        names = re.findall(r"`(\w+)`", row[-1])
        if len(row) != 3 or not all(row):
            found.append(f"not three cells: {' | '.join(row)}")
        if not names or re.sub(r"`\w+`|[, ]", "", row[-1]):
            found.append(f"no list of tests: {row[-1]}")
        found += [f"there is no test {name}" for name in names if name not in tests]
    return found


def known_tests(root):
    sources = [*root.glob("tests/unit/*.c"), *root.glob("tests/oracle/*.c")]
    return {name for p in sources for name in re.findall(r"^TEST\((\w+)\)", p.read_text(encoding="utf-8"), re.M)}


MADE_UP = [
    ("| a | b | `good` |", []),
    ("| a | b | `good`, `good` |", []),
    ("| a | b | `bad` |", ["there is no test bad"]),
    ("| a | b | good |", ["no list of tests: good"]),
    ("| a | | `good` |", ["not three cells: a |  | `good`"]),
    ("| a | b | |", ["not three cells: a | b | ", "no list of tests: "]),
]


def test(t):
    text = (t.root / "docs" / "reference-defects.md").read_text(encoding="utf-8")
    tests = known_tests(t.root)
    t.ok(len(tests) > 500, "the tests are there", len(tests))
    t.equal(problems(text, tests), [], f"all {len(table_rows(text))} rows name tests that there are")
    for row, want in MADE_UP:
        t.equal(problems(row, {"good"}), want, f"a page with {row}")
    sentence = "every defect that is marked has its row"
    specification = t.shared("spec", "device-profiler.md")
    if not specification:
        t.skip(sentence, "the specification is not beside the project (../shared)")
        return
    # The first mark is the one that says what it means.
    marks = specification.read_text(encoding="utf-8").count(MARK) - 1
    t.equal(len(table_rows(text.split(LAST)[0])), marks, sentence)


tap.main(test)
