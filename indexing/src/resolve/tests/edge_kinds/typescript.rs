//! All kinds of edges in TypeScript.

use super::check;
use expect_test::expect;

const WORKSPACE: &str = r##"
        //- src/errors.ts
        export class Broken extends Error {}
        //- src/base.ts
        export interface Named { name: string; greet(): void }
        export abstract class Base {
          start() {}
          stop() {}
        }
        //- src/app.ts
        import { exec } from 'child_process';
        import { Base, Named } from './base';
        import { Broken } from './errors';

        export const LIMIT = 10;
        export enum Mode { On, Off }

        function Injectable() { return (c: unknown) => c; }

        /** Runs; {@link Base.start} begins. */
        @Injectable()
        export class App extends Base implements Named {
          name = 'app';
          private size = 0;

          greet() {}
          stop() {}

          run(error: Broken, flags: unifiedFlags): Base {
            this.start();
            if (this.size > LIMIT) throw new Broken();
            if (process.env.APP_HOME) exec('git status');
            if (flags.boolVariation('new-run', false)) throw error;
            each(helper);
            return new App();
          }
        }

        function each(f: () => void) {}
        function helper() {}
        //- src/app.test.ts
        import { App } from './app';

        it('runs', () => {
          new App().run();
        });
        //- src/web.ts
        import express from 'express';
        const app = express();
        app.get('/items/:id', item);
        function item() {}
        export async function load(id: string) {
          await fetch(`/items/${id}`);
        }
"##;

#[test]
fn every_kind_of_edge_is_found() {
    check(
        WORKSPACE,
        &[],
        expect![[r#"
            accesses_field src/app.ts::App.run -> src/app.ts::App.size
            calls src/app.test.ts::runs -> src/app.ts::App
            calls src/app.test.ts::runs -> src/app.ts::App.run
            calls src/app.ts::App.run -> external::child_process.exec
            calls src/app.ts::App.run -> src/app.ts::App
            calls src/app.ts::App.run -> src/app.ts::each
            calls src/app.ts::App.run -> src/base.ts::Base.start
            calls src/app.ts::App.run -> src/errors.ts::Broken
            calls src/web.ts::app -> external::express.default
            co_tested_with src/app.ts::App -> src/app.ts::App.run (ast_inferred 0.60)
            consumes_endpoint src/web.ts::load -> route::ANY /items/{} (ast_inferred 0.42)
            consumes_endpoint src/web.ts::load -> route::GET /items/{}
            decorates src/app.ts::Injectable -> src/app.ts::App
            documents src/app.ts::App -> src/base.ts::Base.start
            executes_process src/app.ts::App.run -> process::git
            extends src/app.ts::App -> src/base.ts::Base
            gated_by_flag src/app.ts::App.run -> flag::new-run
            handles_route route::GET /items/{} -> src/web.ts::item
            implements src/app.ts::App -> src/base.ts::Named
            imports src/app.test.ts -> src/app.ts::App
            imports src/app.ts -> external::child_process.exec
            imports src/app.ts -> src/base.ts::Base
            imports src/app.ts -> src/base.ts::Named
            imports src/app.ts -> src/errors.ts::Broken
            imports src/web.ts -> external::express.default
            inherits src/app.ts::App -> src/base.ts::Base.start
            member_of src/app.ts::App.greet -> src/app.ts::App
            member_of src/app.ts::App.name -> src/app.ts::App
            member_of src/app.ts::App.run -> src/app.ts::App
            member_of src/app.ts::App.size -> src/app.ts::App
            member_of src/app.ts::App.stop -> src/app.ts::App
            member_of src/app.ts::Mode.Off -> src/app.ts::Mode
            member_of src/app.ts::Mode.On -> src/app.ts::Mode
            member_of src/base.ts::Base.start -> src/base.ts::Base
            member_of src/base.ts::Base.stop -> src/base.ts::Base
            member_of src/base.ts::Named.greet -> src/base.ts::Named
            member_of src/base.ts::Named.name -> src/base.ts::Named
            overrides src/app.ts::App.greet -> src/base.ts::Named.greet
            overrides src/app.ts::App.stop -> src/base.ts::Base.stop
            reads_env src/app.ts::App.run -> env::APP_HOME
            references src/app.ts::App.run -> src/app.ts::LIMIT
            references src/app.ts::App.run -> src/app.ts::helper
            references src/web.ts -> src/web.ts::app
            references src/web.ts -> src/web.ts::item
            tests src/app.test.ts::runs -> src/app.ts::App
            tests src/app.test.ts::runs -> src/app.ts::App.run
            throws src/app.ts::App.run -> src/errors.ts::Broken
            type_hint_of src/app.ts::App.run -> src/base.ts::Base
            type_hint_of src/app.ts::App.run -> src/errors.ts::Broken
        "#]],
    );
}
