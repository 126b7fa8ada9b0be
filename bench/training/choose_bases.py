#!/usr/bin/env python3
"""Chooses the base commit, the newest commit and the split of each training repository.

  choose_bases.py MIRRORS LIST.tsv > repositories.tsv
  choose_bases.py MIRRORS LIST.tsv --split second-tier > second-tier.tsv

LIST.tsv has a line for each repository: `owner/name`, language and license. MIRRORS holds bare
clones as `<owner>+<name>/repo`. The base is the newest commit on the main line that at least WINDOW
other commits follow, not counting merges, or the middle of a shorter history. For each language,
the hashes of the names split the repositories: the first go to the test part, the next to
validation, the others to training. With --split, all repositories belong to that one part.
"""

import argparse
import hashlib
import pathlib
import subprocess

# Number of commits after the base. The tasks come from these commits.
WINDOW = 700
# Number of repositories of each language in the test part and in validation.
TEST_REPOSITORIES, VALIDATION_REPOSITORIES = 3, 3


def run_git(repository, *arguments):
    command = ["git", "--git-dir", repository, *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def find_repository(mirrors, name):
    """Returns the git directory of a repository in the mirrors."""
    folder = mirrors / name.replace("/", "+") / "repo"
    return folder / ".git" if (folder / ".git").exists() else folder


def choose_base(repository, tip):
    """Returns the base commit for the newest commit `tip`."""
    main_line = run_git(repository, "rev-list", "--first-parent", tip).split()
    low, high = 0, len(main_line) - 1
    count = lambda at: int(run_git(repository, "rev-list", "--count", "--no-merges", f"{main_line[at]}..{tip}"))
    window = min(WINDOW, count(high) // 2)
    while low < high:
        middle = (low + high) // 2
        if count(middle) >= window:
            high = middle
        else:
            low = middle + 1
    return main_line[low]


def split_rows(rows):
    """Returns the split of each repository, by its name."""
    by_hash = lambda row: hashlib.sha256(row[0].lower().encode()).hexdigest()
    split = {}
    for language in sorted({row[1] for row in rows}):
        for rank, row in enumerate(sorted((row for row in rows if row[1] == language), key=by_hash)):
            held_out = "test" if rank < TEST_REPOSITORIES else "validation"
            split[row[0]] = held_out if rank < TEST_REPOSITORIES + VALIDATION_REPOSITORIES else "train"
    return split


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", type=pathlib.Path)
    parser.add_argument("list", type=pathlib.Path)
    parser.add_argument("--split", help="the part that all repositories belong to")
    arguments, rows = parser.parse_args(), []
    for line in arguments.list.read_text(encoding="utf-8").splitlines():
        name, language, license_name = line.split("\t")[:3]
        repository = find_repository(arguments.mirrors, name)
        tip = run_git(repository, "rev-parse", "HEAD").strip()
        rows.append([name, language, license_name, choose_base(repository, tip), tip])
    print("repository\tlanguage\tlicense\tbase\ttip\tsplit")
    split = {row[0]: arguments.split for row in rows} if arguments.split else split_rows(rows)
    for row in sorted(rows):
        print("\t".join([*row, split[row[0]]]))


if __name__ == "__main__":
    main()
