//! All kinds of edges in JavaScript.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind;

const WORKSPACE: &str = r##"
        //- src/base.js
        class Base {
          start() {}
          stop() {}
        }
        class Broken extends Error {}
        module.exports = { Base, Broken };
        //- src/app.js
        const { exec } = require('child_process');
        const { Base, Broken } = require('./base');

        const LIMIT = 10;

        /** Runs; {@link Base} is below. */
        class App extends Base {
          size = 0;

          stop() {}

          run(flags) {
            this.start();
            if (this.size > LIMIT) throw new Broken();
            if (process.env.APP_HOME) exec('git status');
            if (flags.boolVariation('new-run', false)) throw new TypeError('no');
            each(helper);
          }
        }

        function each(f) {}
        function helper() {}
        module.exports = { App };
        //- test/app.test.js
        const { App } = require('../src/app');

        it('runs', () => {
          new App().run();
        });
        //- src/web.js
        const express = require('express');
        const app = express();
        app.get('/items/:id', item);
        function item() {}
        async function load(id) {
          await fetch(`/items/${id}`);
        }
"##;

#[test]
fn every_kind_of_edge_is_found() {
    check(
        WORKSPACE,
        &[EdgeKind::Implements],
        expect![[r#"
            accesses_field src/app.js::App.run -> src/app.js::App.size
            calls src/app.js::App.run -> external::child_process.exec
            calls src/app.js::App.run -> src/app.js::each
            calls src/app.js::App.run -> src/base.js::Base.start
            calls src/app.js::App.run -> src/base.js::Broken
            calls src/web.js::app -> external::express
            calls test/app.test.js::runs -> src/app.js::App
            calls test/app.test.js::runs -> src/app.js::App.run
            co_tested_with src/app.js::App -> src/app.js::App.run (ast_inferred 0.60)
            consumes_endpoint src/web.js::load -> route::ANY /items/{} (ast_inferred 0.42)
            consumes_endpoint src/web.js::load -> route::GET /items/{}
            documents src/app.js::App -> src/base.js::Base
            executes_process src/app.js::App.run -> process::git
            extends src/app.js::App -> src/base.js::Base
            gated_by_flag src/app.js::App.run -> flag::new-run
            handles_route route::GET /items/{} -> src/web.js::item
            imports src/app.js -> external::child_process.exec
            imports src/app.js -> src/base.js::Base
            imports src/app.js -> src/base.js::Broken
            imports src/web.js -> external::express
            imports test/app.test.js -> src/app.js::App
            inherits src/app.js::App -> src/base.js::Base.start
            member_of src/app.js::App.run -> src/app.js::App
            member_of src/app.js::App.size -> src/app.js::App
            member_of src/app.js::App.stop -> src/app.js::App
            member_of src/base.js::Base.start -> src/base.js::Base
            member_of src/base.js::Base.stop -> src/base.js::Base
            overrides src/app.js::App.stop -> src/base.js::Base.stop
            reads_env src/app.js::App.run -> env::APP_HOME
            references src/app.js -> src/app.js::App
            references src/app.js::App.run -> src/app.js::LIMIT
            references src/app.js::App.run -> src/app.js::helper
            references src/base.js -> src/base.js::Base
            references src/base.js -> src/base.js::Broken
            references src/web.js -> src/web.js::app
            references src/web.js -> src/web.js::item
            tests test/app.test.js::runs -> src/app.js::App
            tests test/app.test.js::runs -> src/app.js::App.run
            throws src/app.js::App.run -> external::TypeError
            throws src/app.js::App.run -> src/base.js::Broken
        "#]],
    );
}
