//! Python.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_imports_receivers_and_inheritance() {
    check(
        "//- pyproject.toml
        //- src/pkg/__init__.py
        from .app import App as App
        from . import helpers
        //- src/pkg/base.py
        class Base:
            def start(self):
                self.setup()

            def setup(self): ...
        //- src/pkg/app.py
        from .base import Base
        from .helpers import make as build
        import click

        class App(Base):
            def __init__(self, name):
                self.part = Part()

            def setup(self):
                super().setup()
                self.part.turn()

            def run(self) -> \"App\":
                self.start()
                build()
                click.echo(len(self.name))
                return self

        class Part:
            def turn(self): ...
        //- src/pkg/helpers.py
        def make(): ...
        //- tests/test_app.py
        import pkg
        from pkg import App, helpers

        def test_run():
            app = App(\"x\")
            app.run().start()
            pkg.helpers.make()
            helpers.make()",
        &[Calls, Extends, Overrides, Tests],
        expect![],
    );
}

#[test]
fn unknown_receivers_are_ambiguous_or_inferred() {
    check(
        "//- a.py
        class A:
            def render(self): ...
            def only_here(self): ...
            def get(self): ...
        class B:
            def render(self): ...
            def get(self): ...

        def use(x):
            x.render()
            x.only_here()
            x.get()
            x.nowhere()",
        &[Calls],
        expect![],
    );
}

#[test]
fn decorators_throws_hints_and_fields_have_edges() {
    check(
        "//- errors.py
        class Broken(Exception): ...
        //- a.py
        from errors import Broken
        import os
        import functools

        def setup(f):
            return f

        class A:
            limit: int = 1

            @setup
            def run(self, error: Broken) -> None:
                if self.limit:
                    raise Broken()
                raise ValueError()

            @functools.cache
            def slow(self):
                os.environ[\"TOKEN\"]
                map(setup, [])",
        &[Decorates, Throws, TypeHintOf, AccessesField, References, ReadsEnv, Imports, Extends],
        expect![],
    );
}

#[test]
fn re_exports_are_followed_in_circles_without_end() {
    check(
        "//- a/__init__.py
        from b import *
        //- b/__init__.py
        from a import *
        from .inner import deep
        //- b/inner.py
        def deep(): ...
        //- main.py
        from a import deep, gone
        deep()
        gone()",
        &[Calls],
        expect![],
    );
}

#[test]
fn bases_of_the_same_file_give_their_methods() {
    check(
        "//- a.py
        class A:
            def one(self): ...
            def two(self): ...
        class B(A):
            def two(self): ...
        class C(B): ...",
        &[Inherits, Overrides],
        expect![],
    );
}
