#!/bin/sh
# Checks the README and the book: links lead to files and headings that exist, SUMMARY.md lists every page, and a block
# of code below `<!-- file: PATH -->` equals that file. If mdbook is installed, it builds the book without a warning.
#
#   tests/book.sh [--write]
#
# --write copies the named files into their blocks first. A block of one line `{{#include PATH}}` becomes such a copy.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 - "${1:-}" *.md */README.md crates/*/README.md docs/src/*.md docs/src/*/*.md docs/src/*/*/*.md <<'PROGRAM'
import os
import pathlib
import re
import sys

# A block that shows a file: its path from the repository's root, the fence with the language, and the text.
SHOWN = re.compile(r"^<!-- file: (\S+) -->\n(```[^\n]*\n)(.*?)^```$", re.M | re.S)
INCLUDED = re.compile(r"^(```.*\n)\{\{#include (\S+)\}\}\n```$", re.M)


def copied(page, text):
    """The page with each shown file's text in its block."""

    def named(block):
        path = os.path.relpath((page.parent / block[2]).resolve())
        return f"<!-- file: {path} -->\n{block[1]}```"

    def filled(block):
        file = pathlib.Path(block[1])
        if not file.is_file():
            sys.exit(f"{page}: not there: {file}")
        return f"<!-- file: {file} -->\n{block[2]}{file.read_text(encoding='utf-8').rstrip()}\n```"

    return SHOWN.sub(filled, INCLUDED.sub(named, text))


def prose(page):
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def anchor(heading):
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


write = sys.argv[1] == "--write"
pages = [pathlib.Path(name) for name in sys.argv[2:]]
headings = {page.resolve(): {anchor(line) for line in re.findall(r"^#+ (.*)$", prose(page), re.M)} for page in pages}
links, shown, broken = 0, 0, []
for page in pages:
    text = page.read_text(encoding="utf-8")
    if write and copied(page, text) != text:
        page.write_text(copied(page, text), encoding="utf-8")
        print(f"wrote {page}")
        text = page.read_text(encoding="utf-8")
    if "{{#include" in text:
        broken.append(f"{page}: an include, which GitHub does not show (tests/book.sh --write copies the file)")
    elif copied(page, text) != text:
        broken.append(f"{page}: a block differs from the file that it shows (tests/book.sh --write copies it)")
    shown += len(SHOWN.findall(text))
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if "://" in link:
            continue
        links += 1
        path, _, heading = link.partition("#")
        file = (page.parent / path).resolve() if path else page.resolve()
        if not file.exists() or (heading and heading not in headings.get(file, ())):
            broken.append(f"{page}: {link} leads nowhere")

summary = pathlib.Path("docs/src/SUMMARY.md")
listed = set(re.findall(r"\]\(([^)]+)\)", summary.read_text(encoding="utf-8")))
for page in summary.parent.rglob("*.md"):
    name = str(page.relative_to(summary.parent))
    if page != summary and name not in listed:
        broken.append(f"{summary}: not there: {name}")
print(f"{links} links, {shown} blocks that show files")
sys.exit("\n".join(broken) or (0 if links > 100 and shown > 15 else "too few to be all"))
PROGRAM

if ! command -v mdbook >/dev/null; then
  echo "note: the book was not built, as there is no mdbook"
  exit 0
fi
mdbook build docs --dest-dir "$work/book" >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
if grep -E 'WARN|ERROR' "$work/said"; then
  exit 1
fi
for page in docs/src/*.md docs/src/*/*.md docs/src/*/*/*.md; do
  name=${page#docs/src/}
  name=${name%.md}.html
  [ "$name" = SUMMARY.html ] || [ -s "$work/book/$name" ] || { echo "not in the book: $name"; exit 1; }
done
