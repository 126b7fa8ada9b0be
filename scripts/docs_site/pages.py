"""The files of the site: the chapters of SUMMARY.md, the documents that chapters include, and the
place of each file of the repository on the site."""

import os
import pathlib
import posixpath
import re

from docs_site import markdown

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOOK = "docs"
SUMMARY = "docs/SUMMARY.md"
REPOSITORY = "https://github.com/kenning-lsp/kenning"
# The mark of a page that includes another file. GitHub shows the link after the mark; the site
# shows the file's text.
INCLUDE = re.compile(r"^<!-- site: include (\S+) -->$", re.MULTILINE)
SKIPPED_FOLDERS = {".git", "templates", "target", "node_modules", "corpus", "dist", "out", "fixtures"}
IMAGES = (".svg", ".png", ".gif", ".jpg")


def read_file(path):
    """Reads a file of the repository."""
    return (ROOT / path).read_text(encoding="utf-8")


def list_documents():
    """Returns the paths of all Markdown files of the checkout, without built and installed
    files."""
    paths = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        paths += ((pathlib.Path(folder) / name).relative_to(ROOT).as_posix() for name in sorted(files) if name.endswith(".md"))
    return paths


def list_chapters():
    """Returns the paths of the chapters, in the order of the summary."""
    return [posixpath.join(BOOK, target) for _, target in markdown.find_links(read_file(SUMMARY))]


def included_file(chapter):
    """Returns the file whose text a chapter shows on the site, or None."""
    match = INCLUDE.search(read_file(chapter))
    return match and resolve(chapter, match[1])


def resolve(document, target):
    """Returns the path in the repository of a relative link's file."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(document), target.split("#")[0]))


def is_external(target):
    """Whether a link leaves the repository."""
    return re.match(r"[a-z][a-z0-9+.-]*:", target) is not None


def included_chapters():
    """Maps each included file to its chapter."""
    return {file: chapter for chapter in list_chapters() if (ROOT / chapter).is_file() and (file := included_file(chapter))}


def page_text(chapter):
    """Returns the text of a chapter for the site, and the images outside the book that it shows.

    Included text replaces the rest of the page. Links are relative to the chapter: to other
    chapters, to files of the book, to copies of images, or to the repository for everything that is
    not on the site.
    """
    images = set()
    text, included = read_file(chapter), included_file(chapter)
    if included:
        head = text[: INCLUDE.search(text).start()]
        body = read_file(included)
        if head.strip():
            body = re.sub(r"\A# .*\n+", "", body)
        text = link_to_site(head, chapter, chapter, images) + link_to_site(body, included, chapter, images)
    else:
        text = link_to_site(text, chapter, chapter, images)
    return text, images


def link_to_site(text, origin, chapter, images):
    """Rewrites the links of a text of the file `origin` for the page `chapter`, and collects the
    images to copy."""
    on_site = included_chapters() | {name: name for name in list_chapters()}

    def rewrite(target):
        if is_external(target) or target.startswith("#") or not target:
            return target
        path, anchor = resolve(origin, target), target.partition("#")[1:]
        if path in on_site:
            place = on_site[path]
        elif path.startswith(f"{BOOK}/") and not path.endswith(".md"):
            place = path
        elif path.endswith(IMAGES):
            images.add(path)
            place = f"{BOOK}/repository/{path}"
        else:
            kind = "tree" if (ROOT / path).is_dir() else "blob"
            return f"{REPOSITORY}/{kind}/main/{path}" + "".join(anchor)
        return posixpath.relpath(place, posixpath.dirname(chapter)) + "".join(anchor)

    return markdown.replace_links(text, rewrite)
