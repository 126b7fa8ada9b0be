//! All kinds of edges in Python.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind;

const WORKSPACE: &str = r##"
        //- errors.py
        class Broken(Exception): ...
        //- base.py
        class Base:
            """A base; :meth:`start` begins, :class:`errors.Broken` ends."""
            def start(self): ...
            def stop(self): ...
        //- app.py
        import os
        import subprocess
        from base import Base
        from errors import Broken

        LIMIT = 10

        def traced(f):
            return f

        class App(Base):
            size: int = 0

            @traced
            def run(self, error: Broken, flags) -> Base:
                self.start()
                if self.size > LIMIT:
                    raise Broken()
                if os.environ["APP_HOME"]:
                    subprocess.run(["git", "status"])
                if flags.get_boolean_value("new-run", False):
                    raise ValueError("no")
                try:
                    each(traced)
                except Broken as caught:
                    raise caught
                return Base()

            def stop(self): ...

        def each(f): ...
        //- tests/conftest.py
        import pytest
        from app import App

        @pytest.fixture
        def app():
            return App()
        //- tests/test_app.py
        from app import each

        def test_run(app):
            prepare()

        def prepare():
            each(None)

        class TestMore:
            def test_each(self):
                each(None)
        //- web.py
        import requests
        from flask import Flask

        app = Flask(__name__)

        @app.get("/items/<int:id>")
        def item(id): ...

        def fetch(id):
            requests.get(f"https://x.org/items/{id}")
"##;

#[test]
fn every_kind_of_edge_is_found() {
    check(
        WORKSPACE,
        &[EdgeKind::Implements],
        expect![[r#"
            accesses_field app.py::App.run -> app.py::App.size
            calls app.py::App.run -> app.py::each
            calls app.py::App.run -> base.py::Base
            calls app.py::App.run -> base.py::Base.start
            calls app.py::App.run -> errors.py::Broken
            calls app.py::App.run -> external::subprocess.run
            calls tests/conftest.py::app -> app.py::App
            calls tests/test_app.py::TestMore.test_each -> app.py::each
            calls tests/test_app.py::prepare -> app.py::each
            calls tests/test_app.py::test_run -> tests/conftest.py::app
            calls tests/test_app.py::test_run -> tests/test_app.py::prepare
            calls web.py::app -> external::flask.Flask
            calls web.py::fetch -> external::requests.get
            consumes_endpoint web.py::fetch -> route::ANY /items/{} (ast_inferred 0.42)
            consumes_endpoint web.py::fetch -> route::GET /items/{}
            decorates app.py::traced -> app.py::App.run
            documents base.py::Base -> base.py::Base.start
            documents base.py::Base -> errors.py::Broken
            executes_process app.py::App.run -> process::git
            extends app.py::App -> base.py::Base
            gated_by_flag app.py::App.run -> flag::new-run
            handles_route route::GET /items/{} -> web.py::item
            imports app.py -> base.py::Base
            imports app.py -> errors.py::Broken
            imports app.py -> external::os
            imports app.py -> external::subprocess
            imports tests/conftest.py -> app.py::App
            imports tests/conftest.py -> external::pytest
            imports tests/test_app.py -> app.py::each
            imports web.py -> external::flask.Flask
            imports web.py -> external::requests
            inherits app.py::App -> base.py::Base.start
            member_of app.py::App.run -> app.py::App
            member_of app.py::App.size -> app.py::App
            member_of app.py::App.stop -> app.py::App
            member_of base.py::Base.start -> base.py::Base
            member_of base.py::Base.stop -> base.py::Base
            member_of tests/test_app.py::TestMore.test_each -> tests/test_app.py::TestMore
            overrides app.py::App.stop -> base.py::Base.stop
            reads_env app.py::App.run -> env::APP_HOME
            references app.py::App.run -> app.py::LIMIT
            references app.py::App.run -> app.py::traced
            references tests/conftest.py::app -> external::pytest.fixture
            references web.py::item -> external::flask.Flask.get
            references web.py::item -> web.py::app
            tests tests/conftest.py::app -> app.py::App
            tests tests/test_app.py::TestMore.test_each -> app.py::each
            tests tests/test_app.py::prepare -> app.py::each
            tests tests/test_app.py::test_run -> app.py::each
            throws app.py::App.run -> errors.py::Broken
            throws app.py::App.run -> external::ValueError
            type_hint_of app.py::App.run -> base.py::Base
            type_hint_of app.py::App.run -> errors.py::Broken
        "#]],
    );
}
