"""Finds dead links: in the Markdown of the repository, in the summary, and in the built site."""

import html.parser
import pathlib
import posixpath
import urllib.parse

from docs_site import markdown, pages


def check_documents():
    """Yields a finding for each relative link of a document whose file or heading does not
    exist."""
    anchors = {}
    for document in pages.list_documents():
        text = pages.read_file(document)
        for line, target in markdown.find_links(text):
            problem = find_problem(document, urllib.parse.unquote(target), anchors)
            if problem:
                yield f"{document}:{line}: {target}: {problem}"


def find_problem(document, target, anchors):
    """Returns the problem with a link, or None. `anchors` caches the anchors of documents."""
    own = f"{pages.REPOSITORY}/blob/main/"
    if target.startswith(own):
        document, target = "README.md", target.removeprefix(own)
    if pages.is_external(target):
        return None
    file, _, anchor = target.partition("#")
    path = pages.resolve(document, target) if file else document
    if path.startswith("..") or not exists_with_case(path):
        return f"there is no file {path}"
    if anchor and path.endswith(".md"):
        if path not in anchors:
            anchors[path] = markdown.heading_anchors(pages.read_file(path))
        if anchor not in anchors[path]:
            return f"{path} has no heading with the anchor #{anchor}"
    return None


def exists_with_case(path):
    """Whether a file or folder has exactly this path, even if the file system ignores case."""
    folder = pages.ROOT
    for part in pathlib.PurePosixPath(path).parts:
        if not folder.is_dir() or part not in {entry.name for entry in folder.iterdir()}:
            return False
        folder /= part
    return True


def check_summary():
    """Yields a finding for each page of the book that is missing, listed twice or not listed."""
    listed = pages.list_chapters()
    for chapter in sorted(set(listed)):
        if not (pages.ROOT / chapter).is_file():
            yield f"{pages.SUMMARY}: {chapter} does not exist"
        if listed.count(chapter) > 1:
            yield f"{pages.SUMMARY}: {chapter} is listed twice"
    for document in pages.list_documents():
        if document.startswith(f"{pages.BOOK}/") and document != pages.SUMMARY and document not in listed:
            yield f"{document}: add it to {pages.SUMMARY}, or the site leaves it out"


class PageLinks(html.parser.HTMLParser):
    """Collects the ids and the links of an HTML page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.targets = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.ids.add(value)
            elif name in ("href", "src") and value and tag != "base":
                self.targets.add(value)


def check_site(folder):
    """Yields a finding for each link of the built site that leads to no file or to no id."""
    folder = pathlib.Path(folder)
    parsed = {path.relative_to(folder).as_posix(): PageLinks(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    for page, links in parsed.items():
        if page == "404.html":
            continue
        for target in sorted(links.targets):
            if pages.is_external(target) or target.startswith("//"):
                continue
            file, _, anchor = urllib.parse.unquote(target).partition("#")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), file)) if file else page
            if not (folder / path).is_file():
                yield f"{page}: {target} leads to no page of the site"
            elif anchor and path in parsed and anchor not in parsed[path].ids:
                yield f"{page}: {target} leads to no heading"
