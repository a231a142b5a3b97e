#!/bin/sh
# The README's and the book's links lead to files and headings that there are, and the book has every page. Where mdbook
# is installed it builds the book, and may not say anything but that it did.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 - *.md */README.md docs/src/*.md <<'PROGRAM'
import pathlib
import re
import sys


def prose(page):
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def anchor(heading):
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


pages = [pathlib.Path(name) for name in sys.argv[1:]]
headings = {page.resolve(): {anchor(line) for line in re.findall(r"^#+ (.*)$", prose(page), re.M)} for page in pages}
links, broken = 0, []
for page in pages:
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
broken += [f"{summary}: not there: {page.name}" for page in summary.parent.glob("*.md") if page != summary and page.name not in listed]
print(f"{links} links")
sys.exit("\n".join(broken) or (0 if links > 100 else "too few to be all"))
PROGRAM

if ! command -v mdbook >/dev/null; then
  echo "note: the book was not built, as there is no mdbook"
  exit 0
fi
mdbook build docs --dest-dir "$work/book" >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
if grep -E 'WARN|ERROR' "$work/said"; then
  exit 1
fi
for page in docs/src/*.md; do
  name=$(basename "$page" .md).html
  [ "$name" = SUMMARY.html ] || [ -s "$work/book/$name" ] || { echo "not in the book: $name"; exit 1; }
done
