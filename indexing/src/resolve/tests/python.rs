//! Python: names, receivers, inheritance and types across files.

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
        expect![[r#"
            calls src/pkg/app.py::App.__init__ -> src/pkg/app.py::Part
            calls src/pkg/app.py::App.run -> external::click.echo
            calls src/pkg/app.py::App.run -> src/pkg/base.py::Base.start
            calls src/pkg/app.py::App.run -> src/pkg/helpers.py::make
            calls src/pkg/app.py::App.setup -> src/pkg/app.py::Part.turn
            calls src/pkg/app.py::App.setup -> src/pkg/base.py::Base.setup
            calls src/pkg/base.py::Base.start -> src/pkg/base.py::Base.setup
            calls tests/test_app.py::test_run -> src/pkg/app.py::App.__init__
            calls tests/test_app.py::test_run -> src/pkg/app.py::App.run
            calls tests/test_app.py::test_run -> src/pkg/base.py::Base.start
            calls tests/test_app.py::test_run -> src/pkg/helpers.py::make
            extends src/pkg/app.py::App -> src/pkg/base.py::Base
            overrides src/pkg/app.py::App.setup -> src/pkg/base.py::Base.setup
            tests tests/test_app.py::test_run -> src/pkg/app.py::App.__init__
            tests tests/test_app.py::test_run -> src/pkg/app.py::App.run
            tests tests/test_app.py::test_run -> src/pkg/base.py::Base.start
            tests tests/test_app.py::test_run -> src/pkg/helpers.py::make
            resolved 11 ambiguous 0 external 3 unresolved 0
        "#]],
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
        expect![[r#"
            calls a.py::use -> a.py::A.only_here (ast_inferred 0.70)
            calls a.py::use -> a.py::A.render (ast_inferred 0.42)
            calls a.py::use -> a.py::B.render (ast_inferred 0.42)
            resolved 1 ambiguous 1 external 1 unresolved 1
        "#]],
    );
}

#[test]
fn decorators_throws_type_hints_and_fields_have_edges() {
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
        expect![[r#"
            accesses_field a.py::A.run -> a.py::A.limit
            decorates a.py::setup -> a.py::A.run
            imports a.py -> errors.py::Broken
            imports a.py -> external::functools
            imports a.py -> external::os
            reads_env a.py::A.slow -> env::TOKEN
            references a.py::A.slow -> a.py::setup
            references a.py::A.slow -> external::functools.cache
            throws a.py::A.run -> errors.py::Broken
            throws a.py::A.run -> external::ValueError
            type_hint_of a.py::A.run -> errors.py::Broken
        "#]],
    );
}

#[test]
fn cyclic_reexports_terminate() {
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
        expect![[r#"
            calls main.py -> b/inner.py::deep
            resolved 1 ambiguous 0 external 0 unresolved 1
        "#]],
    );
}

#[test]
fn methods_are_inherited_from_bases_in_any_file() {
    check(
        "//- a.py
        class A:
            def one(self): ...
            def two(self): ...
        class B(A):
            def two(self): ...
        class C(B): ...
        //- b.py
        from a import C
        class D(C):
            def one(self): ...
        class E(D): ...",
        &[Inherits, Overrides],
        expect![[r#"
            inherits a.py::B -> a.py::A.one
            inherits a.py::C -> a.py::A.one
            inherits a.py::C -> a.py::B.two
            inherits b.py::D -> a.py::B.two
            inherits b.py::E -> a.py::B.two
            inherits b.py::E -> b.py::D.one
            overrides a.py::B.two -> a.py::A.two
            overrides b.py::D.one -> a.py::A.one
        "#]],
    );
}

#[test]
fn tests_call_the_fixtures_that_their_parameters_name() {
    check(
        "//- tests/conftest.py
        import pytest
        @pytest.fixture
        def app(): ...
        @pytest.fixture
        def client(app): ...
        @pytest.fixture
        def database(): ...
        //- tests/shared.py
        import pytest
        @pytest.fixture()
        def shared(client): ...
        //- tests/unit/conftest.py
        import pytest
        @pytest.fixture
        def app(app): ...
        //- tests/unit/test_a.py
        import pytest
        from tests.shared import shared

        @pytest.fixture
        def own(app): ...

        def test_one(own, client, shared, tmp_path): ...

        @pytest.mark.usefixtures(\"database\")
        class TestAll:
            @pytest.fixture
            def own(self): ...

            def test_two(self, own): ...
            def test_three(self, own, app): ...
            def helper(self, own): ...
        //- src/tool.py
        def test_client(app): ...",
        &[Calls, Tests],
        expect![[r#"
            calls tests/conftest.py::client -> tests/conftest.py::app
            calls tests/shared.py::shared -> tests/conftest.py::client
            calls tests/unit/conftest.py::app -> tests/conftest.py::app
            calls tests/unit/test_a.py::TestAll.test_three -> tests/conftest.py::database
            calls tests/unit/test_a.py::TestAll.test_three -> tests/unit/conftest.py::app
            calls tests/unit/test_a.py::TestAll.test_three -> tests/unit/test_a.py::TestAll.own
            calls tests/unit/test_a.py::TestAll.test_two -> tests/conftest.py::database
            calls tests/unit/test_a.py::TestAll.test_two -> tests/unit/test_a.py::TestAll.own
            calls tests/unit/test_a.py::own -> tests/unit/conftest.py::app
            calls tests/unit/test_a.py::test_one -> tests/conftest.py::client
            calls tests/unit/test_a.py::test_one -> tests/shared.py::shared
            calls tests/unit/test_a.py::test_one -> tests/unit/test_a.py::own
            resolved 0 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn types_are_followed_through_annotations_collections_and_returns() {
    check(
        "//- m.py
        from __future__ import annotations
        import typing as t

        class A:
            def __enter__(self): return self
            def __exit__(self, *args): ...
            def run(self): ...
            def part(self) -> B: ...
        class B:
            items: list[A]
            by_name: dict[str, list[A]]
            def run(self): ...
            def __iter__(self) -> t.Iterator[A]: ...
            def __getitem__(self, key) -> A: ...
            def __call__(self) -> A: ...

        def make():
            made = A()
            return made
        def pair() -> tuple[A, B]: ...
        def maybe(kind: type[A] | None) -> t.Optional[\"A\"]: ...
        app = make()

        def use(b: B, xs: t.Sequence[A], call: t.Callable[[int], B], *args: A, **kwargs: B):
            make().part().run()
            for x in xs: x.run()
            for i, (name, found) in enumerate(b.by_name.items()): found[0].run()
            for name in b.by_name: name.run()
            first, second = pair()
            second.run()
            [y.run() for y in b.items if y.part()]
            with A() as entered: entered.run()
            (lambda q: q)(1)
            if (w := maybe(A)): w.run()
            call(1).run()
            for e in b: e.run()
            b[\"x\"].run()
            b().run()
            args[0].run()
            kwargs[\"k\"].run()
            next(iter(xs)).run()
            t.cast(\"B\", x).run()
            sorted(xs)[0].run()
            (b or A()).run()

        //- n.py
        from m import app, make
        app.run()
        make().part().run()",
        &[Calls],
        expect![[r#"
            calls m.py::app -> m.py::make
            calls m.py::make -> m.py::A
            calls m.py::use -> external::typing.cast
            calls m.py::use -> m.py::A
            calls m.py::use -> m.py::A.part
            calls m.py::use -> m.py::A.run
            calls m.py::use -> m.py::B.__call__
            calls m.py::use -> m.py::B.run
            calls m.py::use -> m.py::make
            calls m.py::use -> m.py::maybe
            calls m.py::use -> m.py::pair
            calls n.py -> m.py::A.part
            calls n.py -> m.py::A.run
            calls n.py -> m.py::B.run
            calls n.py -> m.py::make
            resolved 30 ambiguous 0 external 8 unresolved 1
        "#]],
    );
}

#[test]
fn a_local_binding_hides_an_outer_name() {
    check(
        "//- other.py
        def request(): ...
        def cls(): ...
        class Tool:
            def go(self): ...
        //- a.py
        from other import request, cls, Tool

        class A:
            def go(self): ...
            @classmethod
            def make(cls): return cls().go()
            def local(self):
                cls = Tool
                cls()
                self.go()

        def hides(request, tool=Tool()):
            request()
            tool.go()
            [request() for request in []]
        def seen():
            request()
            helper = lambda request: request()

        def narrowed(x, y, z):
            x.nothing()
            if isinstance(x, Tool):
                x.go()
            if not isinstance(y, (A, Tool)):
                return
            y.go()
            assert isinstance(z, A)
            z.go()",
        &[Calls],
        expect![[r#"
            calls a.py::A.local -> a.py::A.go
            calls a.py::A.local -> other.py::Tool
            calls a.py::A.make -> a.py::A
            calls a.py::A.make -> a.py::A.go
            calls a.py::hides -> other.py::Tool
            calls a.py::hides -> other.py::Tool.go
            calls a.py::narrowed -> a.py::A.go
            calls a.py::narrowed -> other.py::Tool.go
            calls a.py::seen -> other.py::request
            resolved 9 ambiguous 1 external 5 unresolved 2
        "#]],
    );
}

#[test]
fn bases_are_searched_in_order() {
    check(
        "//- a.py
        class Base:
            def run(self): ...
            def stop(self): ...
        class Left(Base):
            def run(self): ...
        class Right(Base):
            def run(self): ...
            def stop(self): ...
        class Both(Left, Right):
            @property
            def twin(self): return Both()
            def go(self):
                self.run()
                super().run()
                self.twin.run()
                Both.run(self)

        def use(b: Both):
            b.twin.twin.run()",
        &[Calls, Overrides],
        expect![[r#"
            calls a.py::Both.go -> a.py::Left.run
            calls a.py::Both.twin -> a.py::Both
            calls a.py::use -> a.py::Left.run
            overrides a.py::Left.run -> a.py::Base.run
            overrides a.py::Right.run -> a.py::Base.run
            overrides a.py::Right.stop -> a.py::Base.stop
            resolved 6 ambiguous 0 external 1 unresolved 0
        "#]],
    );
}

#[test]
fn a_later_declaration_wins_and_a_fallback_replaces_a_missing_package() {
    check(
        "//- pkg/sub/deep.py
        def deep(): ...
        //- a.py
        import typing as t
        try:
            from fast import loads, Thing
        except ImportError:
            def loads(text): ...
            class Thing:
                def go(self): ...
        if t.TYPE_CHECKING:
            from pkg.sub.deep import deep
        from pkg.sub import deep as module

        @t.overload
        def read(x: int) -> int: ...
        @t.overload
        def read(x: str) -> str: ...
        def read(x): ...

        def use():
            loads('')
            Thing().go()
            read(1)
            deep()
            module.deep()",
        &[Calls],
        expect![[r#"
            calls a.py::use -> a.py::Thing
            calls a.py::use -> a.py::Thing.go
            calls a.py::use -> a.py::loads
            calls a.py::use -> a.py::read
            calls a.py::use -> pkg/sub/deep.py::deep
            resolved 6 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn test_cases_are_recognized_by_their_base_and_call_setup_methods() {
    check(
        "//- lib.py
        def work(): ...
        def test_helper():
            work()
        //- tests/test_lib.py
        import unittest
        from lib import work

        class Works(unittest.TestCase):
            def setUp(self): ...

            def test_work(self):
                work()

            def other(self): ...",
        &[Calls, Tests],
        expect![[r#"
            calls lib.py::test_helper -> lib.py::work
            calls tests/test_lib.py::Works.test_work -> lib.py::work
            calls tests/test_lib.py::Works.test_work -> tests/test_lib.py::Works.setUp
            tests tests/test_lib.py::Works.test_work -> lib.py::work
            resolved 2 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn an_external_module_imported_by_its_dotted_name_is_a_package() {
    check(
        "//- app.py
        import os.path
        import xml.etree.ElementTree
        import json

        def run():
            os.path.join(\"a\", \"b\")
            os.getcwd()
            xml.etree.ElementTree.parse(\"x\")
            json.decoder.scan()",
        &[Calls, Imports],
        expect![[r#"
            calls app.py::run -> external::json.decoder.scan
            calls app.py::run -> external::os.getcwd
            calls app.py::run -> external::os.path.join
            calls app.py::run -> external::xml.etree.ElementTree.parse
            imports app.py -> external::json
            imports app.py -> external::os.path
            imports app.py -> external::xml.etree.ElementTree
            resolved 0 ambiguous 0 external 4 unresolved 0
        "#]],
    );
}

#[test]
fn a_use_of_a_variable_targets_the_variable_not_its_value() {
    check(
        "//- app.py
        import re
        PAT = re.compile(\"x\")
        TABLE = {}
        GONE = ValueError(\"gone\")

        class Thing: ...
        THING = Thing()

        def run(x, TABLE2=TABLE):
            TABLE[\"a\"] = len(TABLE)
            check(PAT)
            return THING

        def shadowed(PAT):
            return PAT

        def stop():
            raise GONE
        //- other.py
        from app import PAT
        import app

        def run():
            use(PAT)
            return app.TABLE",
        &[References, Throws],
        expect![[r#"
            references app.py::run -> app.py::PAT
            references app.py::run -> app.py::TABLE
            references app.py::run -> app.py::THING
            references other.py::run -> app.py::PAT
            references other.py::run -> app.py::TABLE
        "#]],
    );
}

#[test]
fn names_in_a_list_of_exports_are_references() {
    check(
        "//- shop/__init__.py
        from .timing import timed
        __all__ = ['Order', 'timed', 'nowhere']
        __all__ += ('late',)
        class Order: pass
        def late(): pass
        //- shop/timing.py
        def timed(): pass",
        &[References],
        expect![[r#"
            references shop/__init__.py -> shop/__init__.py::__all__
            references shop/__init__.py -> shop/__init__.py::late
            references shop/__init__.py::__all__ -> shop/__init__.py::Order
            references shop/__init__.py::__all__ -> shop/timing.py::timed
        "#]],
    );
}

#[test]
fn several_forms_of_export_lists_are_recognized() {
    check(
        "//- pk/__init__.py
        from . import named
        from .more import *
        __all__ = ['tim', 'named'] + more.__all__ + (['one'] + ['two'])
        __all__ += ['three'] + more.__all__
        __all__.extend(['four'])
        __all__.extend(('five', 'filter'))
        __all__.append('six')
        __all__.remove('seven')
        if True:
            __all__ = [*__all__, 'eight', f'{one}']
        def one(): pass
        def two(): pass
        def three(): pass
        def four(): pass
        def five(): pass
        def six(): pass
        def seven(): pass
        def eight(): pass
        //- pk/tim.py
        X = 1
        //- pk/named.py
        X = 1
        //- pk/filter/__init__.py
        X = 1
        //- pk/more.py
        __all__ = ['late', 'tim']
        def late(): pass
        //- b.py
        def g(): pass
        def f():
            __all__ = ['g']
            __all__.append('g')
        class C:
            __all__ = ['g']",
        &[References],
        expect![[r#"
            references pk/__init__.py -> pk/__init__.py::__all__ (ast_inferred 0.42)
            references pk/__init__.py -> pk/__init__.py::five
            references pk/__init__.py -> pk/__init__.py::four
            references pk/__init__.py -> pk/__init__.py::six
            references pk/__init__.py -> pk/__init__.py::three
            references pk/__init__.py -> pk/filter/__init__.py
            references pk/__init__.py::__all__ -> pk/__init__.py::__all__ (ast_inferred 0.42)
            references pk/__init__.py::__all__ -> pk/__init__.py::eight
            references pk/__init__.py::__all__ -> pk/__init__.py::one
            references pk/__init__.py::__all__ -> pk/__init__.py::two
            references pk/__init__.py::__all__ -> pk/named.py
            references pk/__init__.py::__all__ -> pk/tim.py
            references pk/more.py::__all__ -> pk/more.py::late
        "#]],
    );
}
