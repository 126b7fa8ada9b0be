#!/usr/bin/env python3
"""Prints the old and the new headlines of symbols whose blast radius was wrong in commit 902af1a.

  headlines.py TREES --kenning PROGRAM [--only flask,caddy,kafka]

TREES holds the tuning repositories by name. The true numbers of users come from the text of the
repository, those of tests from coverage of flask. Each tree is indexed once, without language
servers.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

# Repository, symbol, headline of commit 902af1a (callers, dependents, tests), and the true number.
ROWS = [
    ("flask", "SecureCookieSessionInterface.save_session", "0 · 0 · 0", "156 tests"),
    ("flask", "SecureCookieSessionInterface.open_session", "0 · 0 · 0", "209 tests"),
    ("flask", "SessionInterface.get_cookie_samesite", "1 · 1 · 0", "156 tests"),
    ("flask", "Flask.wsgi_app", "1 · 1 · 0", "192 tests"),
    ("flask", "Flask.full_dispatch_request", "3 · 4 · 2", "193 tests"),
    ("flask", "Flask.make_response", "2 · 13 · 7", "193 tests"),
    ("flask", "url_for", "28 tests", "29 tests"),
    ("flask", "Config.from_prefixed_env", "3 tests", "3 tests"),
    ("flask", "flask.globals.request", "0 · 0 · 0", "84 users"),
    ("flask", "flask.globals.current_app", "0 · 0 · 0", "47 users"),
    ("flask", "flask.globals.g", "0 · 0 · 0", "41 users"),
    ("flask", "flask.globals.session", "0 · 0 · 0", "51 users"),
    ("flask", "Flask.default_config", "0 · 0 · 0", "1 user"),
    ("flask", "ResponseReturnValue", "0 · 0 · 0", "3 users"),
    ("flask", "ConfigAttribute", "0 · 0 · 0", "3 users"),
    ("flask", "SessionMixin", "0 · 2 · 0", "2 subclasses"),
    ("caddy", "caddy.Module", "0 · 0 · 0", "853 users with gopls"),
    ("caddy", "MatchPath.Match", "0 · 0 · 0", "4 users"),
    ("caddy", "FileServer.Hide", "0 · 0 · 0", "4 users"),
    ("kafka", "org.apache.kafka.common.protocol.Errors", "0 · 0 · 0", "2,858 users"),
    ("kafka", "org.apache.kafka.common.protocol.ApiKeys", "0 · 0 · 0", "846 users"),
    ("kafka", "org.apache.kafka.clients.admin.Admin", "0 · 8 · 0", "463 users"),
    ("kafka", "Errors.NOT_COORDINATOR", "0 · 0 · 0", "96 users"),
    ("kafka", "ProducerConfig.LINGER_MS_CONFIG", "0 · 0 · 0", "14 users"),
    ("kafka", "KafkaAdminClient.createTopics", "0 · 0 · 0", "28 callers through Admin"),
    ("kafka", "org.apache.kafka.clients.consumer.ConsumerInterceptor", "0 · 3 · 0", "10 users"),
]


def read_title(program, tree, database, symbol):
    """Returns the headline of a symbol, or the first line of the error."""
    command = [program, "blast", "--root", tree, "--db", database, "--refresh", "never", "--format", "json", symbol]
    answer = subprocess.run(command, capture_output=True, text=True)
    if answer.returncode != 0:
        return answer.stderr.strip().splitlines()[0]
    return json.loads(answer.stdout)["title"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", type=pathlib.Path)
    parser.add_argument("--kenning", required=True)
    parser.add_argument("--only", default="flask,caddy,kafka", help="separated by commas")
    arguments = parser.parse_args()
    print("| repository | symbol | before | now | true |\n|---|---|---|---|---|")
    for repository in arguments.only.split(","):
        tree = arguments.trees / repository
        with tempfile.TemporaryDirectory() as folder:
            database = pathlib.Path(folder) / "graph.db"
            subprocess.run(
                [arguments.kenning, "index", "--root", tree, "--db", database], check=True, capture_output=True
            )
            for _, symbol, before, truth in (row for row in ROWS if row[0] == repository):
                title = read_title(arguments.kenning, tree, database, symbol)
                print(f"| {repository} | `{symbol}` | {before} | {title} | {truth} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
