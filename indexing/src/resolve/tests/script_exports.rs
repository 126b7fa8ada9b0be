//! TypeScript and JavaScript: exports and re-exports of modules, in both module systems.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::{AccessesField, Calls, Imports, References};

#[test]
fn default_exports_are_found_under_any_name() {
    check(
        "//- src/fn.ts
        export default function main() {}
        //- src/class.ts
        export default class Main { run() {} }
        //- src/named.ts
        function inner() {}
        export { inner as default, inner as other };
        //- src/later.ts
        const value = () => {};
        export default value;
        //- src/anonymous.ts
        export default () => {};
        //- src/equals.ts
        class Whole { go() {} }
        export = Whole;
        //- src/barrel.ts
        export { default as fromBarrel } from './fn';
        export * from './named';
        export * as all from './class';
        //- src/use.ts
        import one from './fn';
        import Two from './class';
        import three, { other } from './named';
        import four from './later';
        import five from './anonymous';
        import Six = require('./equals');
        import { fromBarrel, other as again, all } from './barrel';
        import type { Main } from './barrel';
        export function use() {
          one(); new Two().run(); three(); other(); four(); five(); new Six().go();
          fromBarrel(); again(); new all.default();
        }
        export async function later() {
          const { other } = await import('./named');
          other();
          (await import('./class')).default;
        }",
        &[Calls],
        expect![[r#"
            calls src/use.ts::later -> src/named.ts::inner
            calls src/use.ts::use -> src/anonymous.ts::default
            calls src/use.ts::use -> src/class.ts::Main
            calls src/use.ts::use -> src/class.ts::Main.run
            calls src/use.ts::use -> src/equals.ts::Whole
            calls src/use.ts::use -> src/equals.ts::Whole.go
            calls src/use.ts::use -> src/fn.ts::main
            calls src/use.ts::use -> src/later.ts::value
            calls src/use.ts::use -> src/named.ts::inner
            resolved 13 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn reexports_are_not_bound_in_their_own_file() {
    check(
        "//- a.ts
        export function a() {}
        //- b.ts
        export { a } from './a';
        export function b() { a(); }",
        &[Calls],
        expect![[r#"
            resolved 0 ambiguous 0 external 0 unresolved 1
        "#]],
    );
}

#[test]
fn a_commonjs_module_is_the_value_it_assigns_to_its_exports() {
    check(
        "//- lib/whole.js
        module.exports = createApp;
        function createApp() { return new App(); }
        function App() {}
        App.prototype.listen = function () {};
        exports.extra = function () {};
        //- lib/table.js
        const helper = require('./helper');
        function one() {}
        module.exports = { one, two: helper, three() {}, four: function () {} };
        //- lib/helper.js
        module.exports = function () {};
        //- lib/class.js
        module.exports = class { run() {} };
        //- lib/single.js
        exports.first = () => {};
        exports.second = first;
        function first() {}
        exports.third = require('./helper');
        //- lib/index.js
        module.exports = require('./whole');
        //- main.js
        const app = require('./lib')();
        const { one, two, three: renamed } = require('./lib/table');
        const table = require('./lib/table');
        const Class = require('./lib/class');
        const single = require('./lib/single');
        function main() {
          app.listen();
          one(); two(); renamed(); table.four();
          new Class().run();
          single.first(); single.second(); single.third();
          require('./lib/whole').extra();
          const late = require('./lib/single').first;
          late();
        }",
        &[Calls],
        expect![[r#"
            calls lib/whole.js::createApp -> lib/whole.js::App
            calls main.js::main -> lib/class.js::exports
            calls main.js::main -> lib/class.js::exports.run
            calls main.js::main -> lib/helper.js::exports
            calls main.js::main -> lib/single.js::first
            calls main.js::main -> lib/table.js::four
            calls main.js::main -> lib/table.js::one
            calls main.js::main -> lib/table.js::three
            calls main.js::main -> lib/whole.js::App.listen
            calls main.js::main -> lib/whole.js::extra
            resolved 13 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn a_package_can_define_aliases_for_its_files() {
    check(
        "//- pkg/package.json
        { \"name\": \"pkg\", \"imports\": { \"#log\": \"./src/log.js\" }, \"types\": \"main.d.ts\", \"main\": \"main.js\" }
        //- pkg/src/log.ts
        export function log() {}
        //- pkg/main.js
        module.exports = function make() {};
        //- pkg/main.d.ts
        declare function make(): Made;
        interface Made { go(): void }
        export = make;
        //- pkg/src/a.ts
        import { log } from '#log';
        log();
        //- use/b.js
        const make = require('pkg');
        make().go();",
        &[Calls],
        expect![[r#"
            calls pkg/src/a.ts -> pkg/src/log.ts::log
            calls use/b.js -> pkg/main.d.ts::Made.go
            calls use/b.js -> pkg/main.d.ts::make
            resolved 3 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn members_of_constant_objects_can_be_called_and_referenced() {
    check(
        "//- errors.js
        const createError = require('@fastify/error')
        const codes = { FIRST: createError('A'), 'SECOND': createError('B'), limit: 3, run () {} }
        module.exports = codes
        //- other.js
        window.settings = { start: make() }
        exports.table = { stop: make() }
        function use () { start(); table.stop() }
        //- state.ts
        export const State = Object.freeze({ open: 'open', shut: 'shut' });
        export const keys = { all: ['x'] } as const;
        export default { retries: 3 };
        //- use.js
        const { FIRST } = require('./errors')
        const errors = require('./errors')
        function first () { throw new FIRST() }
        function second () { throw new errors.SECOND(errors.limit) }
        //- use.ts
        import settings, { State, keys } from './state';
        export function read() { return [State.open, keys.all, settings.retries]; }",
        &[Calls, AccessesField],
        expect![[r#"
            accesses_field use.js::second -> errors.js::codes.limit
            accesses_field use.ts::read -> state.ts::State.open
            accesses_field use.ts::read -> state.ts::default.retries
            accesses_field use.ts::read -> state.ts::keys.all
            calls errors.js::codes.FIRST -> external::@fastify/error
            calls errors.js::codes.SECOND -> external::@fastify/error
            calls other.js::use -> other.js::table.stop
            calls use.js::first -> errors.js::codes.FIRST
            calls use.js::second -> errors.js::codes.SECOND
            resolved 3 ambiguous 0 external 4 unresolved 2
        "#]],
    );
}

#[test]
fn export_keys_are_visible_only_to_importers() {
    check(
        "//- a.js
        module.exports = { start: make('a'), env: { run() { start(); } } };
        function use() { start(); env(); module.exports.start(); exports.start(); }
        //- e.js
        const conf = load();
        function run() {}
        module.exports = { run: wrap(run), conf: wrap(conf) };
        function g1() { return conf.x; }
        function g4() { take(run); }
        //- class.js
        module.exports = class { kept = make(); };
        //- user.js
        const { run, conf } = require('./e');
        const e = require('./e');
        const { kept } = require('./class');
        function f1() { return e.conf.x; }
        function f2() { run(); }
        function f3() { require('./a').env.run(); }",
        &[Calls, AccessesField, Imports, References],
        expect![[r#"
            accesses_field user.js::f1 -> e.js::exports.conf
            accesses_field user.js::f3 -> a.js::exports.env
            calls a.js::use -> a.js::exports.start
            calls user.js::f2 -> e.js::exports.run
            calls user.js::f3 -> a.js::exports.env.run
            imports user.js -> class.js::exports.kept
            imports user.js -> e.js
            imports user.js -> e.js::exports.conf
            imports user.js -> e.js::exports.run
            references e.js::exports.conf -> e.js::conf
            references e.js::exports.run -> e.js::run
            references e.js::g1 -> e.js::conf
            references e.js::g4 -> e.js::run
            resolved 4 ambiguous 0 external 3 unresolved 6
        "#]],
    );
}

#[test]
fn members_of_objects_without_a_variable_are_not_names() {
    check(
        "//- a.js
        class Foo {}
        Foo.Bar.baz = { deep: make(1) };
        React.Component.defaultProps = { label: 'x' };
        exports.a.b = { far: make(2) };
        module.exports.a.b = { off: make(3) };
        Foo.limits = { top: make(4) };
        function use() { deep(); label(); far(); off(); top(); Foo.limits.top(); }",
        &[Calls],
        expect![[r#"
            calls a.js::use -> a.js::Foo.limits.top
            resolved 1 ambiguous 0 external 1 unresolved 8
        "#]],
    );
}

#[test]
fn members_of_objects_are_found_through_variables_and_fields() {
    check(
        "//- api.ts
        export const api = { list() { return 1; }, get: async (id: number) => id, obj: function () {}, nested: { list() {}, stop, deep: { far() {} } } };
        function stop() {}
        export const handlers = { go() {}, stop: () => second.go() };
        const second = handlers;
        export function inSame() { second.go(); }
        export default handlers;
        //- use.ts
        import { api } from './api';
        import hs from './api';
        import * as ns from './api';
        const alias = api;
        const x = hs;
        const y = ns.handlers;
        export function byAlias() { alias.list(); alias.get(1); alias.obj(); }
        export function byNested() { alias.nested.list(); alias.nested.deep.far(); alias.nested.stop(); }
        export function byType(deps: typeof api) { deps.list(); deps.get(2); }
        export class Ctl { private api = api; run() { this.api.list(); this.api.get(1); } }
        export class Fixed { static api = { list() {} }; }
        export function byStatic(fixed = Fixed.api) { const kept = Fixed.api; kept.list(); fixed.list(); }
        export function byElement() { [api].forEach(x => x.list()); }
        export function useApi() { return api; }
        export function byHook() { const q = useApi(); q.list(); }
        export function byImport() { x.go(); y.stop(); }",
        &[Calls],
        expect![[r#"
            calls api.ts::handlers.stop -> api.ts::handlers.go
            calls api.ts::inSame -> api.ts::handlers.go
            calls use.ts::Ctl.run -> api.ts::api.get
            calls use.ts::Ctl.run -> api.ts::api.list
            calls use.ts::byAlias -> api.ts::api.get
            calls use.ts::byAlias -> api.ts::api.list
            calls use.ts::byAlias -> api.ts::api.obj
            calls use.ts::byElement -> api.ts::api.list
            calls use.ts::byHook -> api.ts::api.list
            calls use.ts::byHook -> use.ts::useApi
            calls use.ts::byImport -> api.ts::handlers.go
            calls use.ts::byImport -> api.ts::handlers.stop
            calls use.ts::byNested -> api.ts::api.nested.far
            calls use.ts::byNested -> api.ts::api.nested.list
            calls use.ts::byNested -> api.ts::stop
            calls use.ts::byStatic -> use.ts::Fixed.api.list
            calls use.ts::byType -> api.ts::api.get
            calls use.ts::byType -> api.ts::api.list
            resolved 19 ambiguous 0 external 1 unresolved 0
        "#]],
    );
}

#[test]
fn members_of_objects_are_found_through_spreads_and_class_fields() {
    check(
        "//- store.ts
        export const bus = { emit(n: string) {}, on: (n: string) => bus.emit(n) };
        export const defaults = { bus, tick() { return 1; } };
        //- use.tsx
        import { bus, defaults } from './store';
        export function useBus() { return bus; }
        export function Comp() { const b = useBus(); return <button onClick={() => b.emit('x')} />; }
        export const opts = { ...defaults, more() { return 2; } };
        export function spread() { opts.tick(); opts.more(); opts.bus.on('x'); }
        //- plain.js
        const o = { a() { return o.b(); }, b() {} };
        const merged = { ...o, extra() { this.a(); } };
        class Has { constructor(x = o) { this.o = o; this.x = x; } go() { this.o.a(); this.x.b(); } }
        //- base.js
        exports.cursor = { hide: function () {}, show: function () {} };
        //- reporter.js
        const Base = require('./base');
        const cursor = Base.cursor;
        function run() { cursor.hide(); cursor.show(); }
        //- maker.js
        export const list = 1;
        export function make() { return { list() {}, b: () => 1, n: { c() {} } }; }
        export function made() { const kept = make(); kept.list(); kept.b(); kept.n.c(); }
        class W { constructor() { this.cb = { ok() {} }; } run() { this.cb.ok(); list(); } }",
        &[Calls],
        expect![[r#"
            calls maker.js::W.run -> maker.js::list
            calls maker.js::made -> maker.js::make
            calls maker.js::made -> maker.js::make.b
            calls maker.js::made -> maker.js::make.c
            calls maker.js::made -> maker.js::make.list
            calls plain.js::Has.go -> plain.js::o.a
            calls plain.js::Has.go -> plain.js::o.b
            calls plain.js::merged.extra -> plain.js::o.a
            calls plain.js::o.a -> plain.js::o.b
            calls reporter.js::run -> base.js::cursor.hide
            calls reporter.js::run -> base.js::cursor.show
            calls store.ts::bus.on -> store.ts::bus.emit
            calls use.tsx::Comp -> store.ts::bus.emit
            calls use.tsx::Comp -> use.tsx::useBus
            calls use.tsx::spread -> store.ts::bus.on
            calls use.tsx::spread -> store.ts::defaults.tick
            calls use.tsx::spread -> use.tsx::opts.more
            resolved 17 ambiguous 0 external 0 unresolved 1
        "#]],
    );
}
