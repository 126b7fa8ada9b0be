//! TypeScript and JavaScript: receivers with written and inferred types.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn callback_parameters_have_the_types_that_the_function_declares() {
    check(
        "//- types.ts
        import { Context } from './context';
        export type Next = () => Promise<void>;
        export type Handler<E = any> = (c: Context<E>, next: Next) => Response;
        export type H = Handler | { handle: Handler };
        export interface Get {
          (handler: H): App
          (path: string, ...handlers: [H, H]): App
          <T>(path: T, handler: H): App
        }
        export class App {
          get!: Get;
          use(options: { onError(error: Context): void; setup?: (app: App) => void }): this { return this; }
        }
        //- context.ts
        export class Context<E = any> {
          get req(): Request2 { return new Request2(); }
          text: Handler = (x: string) => {};
          json = () => {};
        }
        class Request2 { param() {} }
        //- main.ts
        import { App, type Handler } from './types';
        const app = new App<{ a: string }>();
        app.get('/', (c) => c.text('x')).get((c) => c.json());
        app.get('/', async (c) => { c.req.param(); }, ({ req, json }) => { req.param(); json(); });
        app.use({ onError(error) { error.json(); }, setup: (inner) => inner.get(x) }).use({});
        const typed: Handler = (c) => { c.json(); };
        function make(): Handler { return (c) => c.json(); }
        const list = { run: (c) => c.json() } satisfies { run: Handler };",
        &[Calls],
        expect![[r#"
            calls context.ts::Context.req -> context.ts::Request2
            calls main.ts -> context.ts::Context.json
            calls main.ts -> context.ts::Context.text
            calls main.ts -> context.ts::Request2.param
            calls main.ts -> types.ts::App.get
            calls main.ts -> types.ts::App.use
            calls main.ts::app -> types.ts::App
            calls main.ts::list.run -> context.ts::Context.json
            calls main.ts::make -> context.ts::Context.json
            calls main.ts::onError -> context.ts::Context.json
            calls main.ts::setup -> types.ts::App.get
            calls main.ts::typed -> context.ts::Context.json
            resolved 17 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn written_types_lead_to_members() {
    check(
        "//- a.ts
        export class Foo { go() {} bar: Bar; list: Bar[]; table: Map<string, Bar>; self(): this { return this; } }
        export class Bar { hit() {} }
        type Alias = Foo | undefined;
        type Both = Foo & { extra: Bar };
        type Fn = (x: string) => Promise<Bar>;
        type Pair = [Foo, Bar];
        interface Shape { make(): Foo; nested: { deep: Bar } }
        function load(): Promise<Foo[]> {}
        function pick<T extends Foo>(t: T) {}
        const single = new Foo();
        export async function use(a: Alias, b: Both, f: Fn, p: Pair, s: Shape, i: Foo['bar'], t: typeof single,
          r: ReturnType<typeof load>, u: unknown, { bar, list: [first] }: Foo, ...rest: Foo[]) {
          a?.go(); a!.go(); b.go(); b.extra.hit(); (await f('')).hit(); p[0].go(); p[1].hit();
          s.make().go(); s.nested.deep.hit(); i.hit(); t.go(); (u as Foo).go(); bar.hit(); first.hit();
          for (const foo of await load()) foo.go();
          (await load()).map((x) => x.go());
          load().then((all) => all.forEach((x) => x.self().go()));
          a.list.filter(Boolean).find((x) => x.hit()).hit();
          a.table.get('x').hit();
          rest[0].go();
          const chosen = a ?? new Foo();
          chosen.go();
          const [one, two] = p;
          one.go(); two.hit();
          const maybe = u ? new Foo() : null;
          maybe.go();
          const made = [new Bar()];
          made.forEach((x) => x.hit());
          'text'.go(); [].go();
        }",
        &[Calls],
        expect![[r#"
            calls a.ts::single -> a.ts::Foo
            calls a.ts::use -> a.ts::Bar
            calls a.ts::use -> a.ts::Bar.hit
            calls a.ts::use -> a.ts::Foo
            calls a.ts::use -> a.ts::Foo.go
            calls a.ts::use -> a.ts::Foo.self
            calls a.ts::use -> a.ts::Shape.make
            calls a.ts::use -> a.ts::load
            resolved 35 ambiguous 0 external 10 unresolved 0
        "#]],
    );
}

#[test]
fn untyped_functions_have_the_type_of_their_return_values() {
    check(
        "//- factory.ts
        export class Store { read() {} }
        function store() { return new Store(); }
        export function make(seed: Store) {
          const inner = store();
          function run() {}
          return { run, inner, seed, nested: { deep: () => {} }, stop() {}, ...base() };
        }
        function base() { return { own() {} }; }
        export const create = () => store();
        export class Builder {
          name(x) { return this; }
          build() { return create(); }
        }
        export const api = { get() {}, child: make(null) };
        export function curried() { return function second() { return new Store(); }; }
        //- main.ts
        import { make, create, Builder, api, curried } from './factory';
        const made = make();
        export function main() {
          made.run(); made.inner.read(); made.seed.read(); made.nested.deep(); made.stop(); made.own();
          create().read();
          new Builder().name('a').name('b').build().read();
          api.get(); api.child.run();
          curried()().read();
          const { run, inner: other } = made;
          run(); other.read();
        }",
        &[Calls],
        expect![[r#"
            calls factory.ts::Builder.build -> factory.ts::create
            calls factory.ts::api.child -> factory.ts::make
            calls factory.ts::create -> factory.ts::store
            calls factory.ts::curried.second -> factory.ts::Store
            calls factory.ts::make -> factory.ts::base
            calls factory.ts::make -> factory.ts::store
            calls factory.ts::store -> factory.ts::Store
            calls main.ts::made -> factory.ts::make
            calls main.ts::main -> factory.ts::Builder
            calls main.ts::main -> factory.ts::Builder.build
            calls main.ts::main -> factory.ts::Builder.name
            calls main.ts::main -> factory.ts::Store.read
            calls main.ts::main -> factory.ts::api.get
            calls main.ts::main -> factory.ts::base.own
            calls main.ts::main -> factory.ts::create
            calls main.ts::main -> factory.ts::curried
            calls main.ts::main -> factory.ts::make.deep
            calls main.ts::main -> factory.ts::make.run
            calls main.ts::main -> factory.ts::make.stop
            resolved 27 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn constructor_functions_are_classes() {
    check(
        "//- base.js
        exports = module.exports = Base;
        function Base(options) { this.store = new Store(); this.run(); }
        Base.prototype.run = function () { this.store.read(); this.stop(); };
        Base.prototype.stop = function () {};
        Base.create = function () { return new Base(); };
        Base.alias = helper;
        function helper() {}
        class Store { read() {} }
        //- child.js
        const Base = require('./base');
        const { inherits } = require('util');
        function Child() { Base.call(this); }
        inherits(Child, Base);
        Child.prototype = { own() { this.run(); } };
        Object.assign(Child.prototype, { mixed() { this.own(); } });
        const app = exports.app = {};
        app.handle = function () { this.listen(); };
        app.listen = () => {};
        function main() {
          const child = new Child();
          child.run(); child.own(); child.mixed();
          Base.create().stop();
          Base.alias();
          app.handle();
        }",
        &[Calls, Extends],
        expect![[r#"
            calls base.js::Base -> base.js::Base.run
            calls base.js::Base -> base.js::Store
            calls base.js::Base.create -> base.js::Base
            calls base.js::Base.run -> base.js::Base.stop
            calls base.js::Base.run -> base.js::Store.read
            calls child.js -> external::util.inherits
            calls child.js::Child.mixed -> child.js::Child.own
            calls child.js::Child.own -> base.js::Base.run
            calls child.js::app.handle -> child.js::app.listen
            calls child.js::main -> base.js::Base.alias
            calls child.js::main -> base.js::Base.create
            calls child.js::main -> base.js::Base.run
            calls child.js::main -> base.js::Base.stop
            calls child.js::main -> child.js::Child
            calls child.js::main -> child.js::Child.mixed
            calls child.js::main -> child.js::Child.own
            calls child.js::main -> child.js::app.handle
            resolved 16 ambiguous 0 external 2 unresolved 1
        "#]],
    );
}

#[test]
fn documentation_comments_declare_types_in_javascript() {
    check(
        "//- a.js
        class Foo { go() {} }
        /**
         * @param {Foo} foo the foo
         * @param {Object<string, Foo>} [table]
         * @param {Foo[]} list
         * @returns {Promise<Foo>}
         */
        function load(foo, table, list) {
          foo.go();
          list[0].go();
        }
        /** @type {Foo} */
        const one = decode();
        class Holder {
          /** @type {Foo} */
          field = null;
          /** @param {Foo} x */
          take(x) { x.go(); this.field.go(); }
        }
        async function main() {
          (await load()).go();
          one.go();
        }",
        &[Calls],
        expect![[r#"
            calls a.js::Holder.take -> a.js::Foo.go
            calls a.js::load -> a.js::Foo.go
            calls a.js::main -> a.js::Foo.go
            calls a.js::main -> a.js::load
            resolved 7 ambiguous 0 external 1 unresolved 0
        "#]],
    );
}

#[test]
fn names_are_visible_only_in_their_blocks() {
    check(
        "//- a.ts
        class A { go() {} }
        class B { go() {} }
        function next() {}
        describe('one', () => {
          const x = new A();
          const helper = () => {};
          it('runs', () => { x.go(); helper(); });
        });
        describe('two', () => {
          let x;
          const helper = () => {};
          beforeEach(() => { x = new B(); });
          it('runs too', () => { x.go(); helper(); });
          test.each([1])('each', () => { x.go(); });
        });
        function shadowed(next, x: A) {
          next();
          { const x = new B(); x.go(); }
          x.go();
        }
        it('sees neither', (x) => { x.go(); helper(); });",
        &[Calls],
        expect![[r#"
            calls a.ts -> a.ts::B
            calls a.ts::each -> a.ts::B.go
            calls a.ts::runs -> a.ts::A.go
            calls a.ts::runs -> a.ts::helper
            calls a.ts::runs too -> a.ts::B.go
            calls a.ts::runs too -> a.ts::helper
            calls a.ts::shadowed -> a.ts::A.go
            calls a.ts::shadowed -> a.ts::B
            calls a.ts::shadowed -> a.ts::B.go
            calls a.ts::x -> a.ts::A
            resolved 10 ambiguous 0 external 8 unresolved 2
        "#]],
    );
}

#[test]
fn overloads_count_as_one_target() {
    check(
        "//- a.ts
        export function on(event: 'a'): void;
        export function on(event: 'b', more: number): void;
        export function on(...args: unknown[]) {}
        interface Listener { add(a: string): this; add(a: string, b: number): this }
        function use(l: Listener) {
          on('a'); on('b', 1);
          l.add('x').add('y', 1);
        }",
        &[Calls],
        expect![[r#"
            calls a.ts::use -> a.ts::Listener.add
            calls a.ts::use -> a.ts::on
            resolved 4 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn type_guards_narrow_and_type_parameters_have_their_bounds() {
    check(
        "//- db.ts
        export class Db { query() {} }
        export class Other { query() {} }
        //- a.ts
        import { Db, Other } from './db';
        import * as all from './db';
        function inside(x: unknown) { if (x instanceof Db) { x.query(); } }
        function one(x) { if (x instanceof all.Db) x.query(); }
        function both(x, y) { if (x instanceof Db && y) { x.query(); } else { x.query(); } }
        function after(x) {
          if (!(x instanceof Db)) return;
          x.query();
        }
        function thrown(x) {
          if (!(x instanceof Db)) { throw new Error('no'); }
          x.query();
        }
        function caught() { try { go(); } catch (e) { if (e instanceof Db) e.query(); } }
        function bound<T extends Db>(t: T) { t.query(); }
        class Repo<T extends Db> {
          item: T;
          go() { this.item.query(); }
        }
        function free<K extends keyof Db>(k: K) { k.query(); }",
        &[Calls],
        expect![[r#"
            calls a.ts::Repo.go -> db.ts::Db.query
            calls a.ts::after -> db.ts::Db.query
            calls a.ts::both -> db.ts::Db.query
            calls a.ts::both -> db.ts::Other.query (ast_inferred 0.42)
            calls a.ts::bound -> db.ts::Db.query
            calls a.ts::caught -> db.ts::Db.query
            calls a.ts::inside -> db.ts::Db.query
            calls a.ts::one -> db.ts::Db.query
            calls a.ts::thrown -> db.ts::Db.query
            resolved 8 ambiguous 1 external 2 unresolved 1
        "#]],
    );
}
