//! TypeScript and JavaScript: names, receivers and inheritance across files.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_imports_receivers_and_inheritance() {
    check(
        "//- src/base.ts
        export class Base {
          start(): void {}
        }
        //- src/util.ts
        export function make(): Part { return new Part(); }
        export class Part { turn(): void {} }
        export default function main() {}
        //- src/index.ts
        export * from './util';
        export { Base as Root } from './base';
        //- src/app.ts
        import run, { make as build } from './util.js';
        import * as all from '.';
        import { Root } from './index';
        import React from 'react';

        export class App extends Root {
          private part: all.Part;
          constructor(name: string) {
            super();
            this.part = build();
          }
          go() {
            this.start();
            this.part.turn();
            build().turn();
            all.make();
            run();
            React.createElement('a');
            parseInt('1');
            const again = new App('x');
            again.go();
          }
        }",
        &[Calls, Extends, Imports],
        expect![[r#"
            calls src/app.ts::App.constructor -> src/base.ts::Base
            calls src/app.ts::App.constructor -> src/util.ts::make
            calls src/app.ts::App.go -> external::react.default.createElement
            calls src/app.ts::App.go -> src/app.ts::App.constructor
            calls src/app.ts::App.go -> src/base.ts::Base.start
            calls src/app.ts::App.go -> src/util.ts::Part.turn
            calls src/app.ts::App.go -> src/util.ts::main
            calls src/app.ts::App.go -> src/util.ts::make
            calls src/util.ts::make -> src/util.ts::Part
            extends src/app.ts::App -> src/base.ts::Base
            imports src/app.ts -> external::react.default
            imports src/app.ts -> src/base.ts::Base
            imports src/app.ts -> src/index.ts
            imports src/app.ts -> src/util.ts::main
            imports src/app.ts -> src/util.ts::make
            imports src/index.ts -> src/base.ts::Base
            imports src/index.ts -> src/util.ts
            resolved 11 ambiguous 0 external 2 unresolved 0
        "#]],
    );
}

#[test]
fn tsconfig_paths_and_workspace_packages_lead_to_sources() {
    check(
        "//- tsconfig.json
        { \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@/*\": [\"src/*\"] } } }
        //- src/lib/log.ts
        export const log = (text: string) => {};
        //- packages/core/package.json
        { \"name\": \"@x/core\", \"main\": \"dist/index.js\" }
        //- packages/core/src/index.ts
        export function core() {}
        //- packages/core/src/extra.ts
        export function extra() {}
        //- src/main.tsx
        import { log } from '@/lib/log';
        import { core } from '@x/core';
        import { extra } from '@x/core/extra';
        export function Main() {
          log('x'); core(); extra();
        }",
        &[Calls],
        expect![[r#"
            calls src/main.tsx::Main -> packages/core/src/extra.ts::extra
            calls src/main.tsx::Main -> packages/core/src/index.ts::core
            calls src/main.tsx::Main -> src/lib/log.ts::log
            resolved 3 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn unknown_receivers_are_ambiguous_or_inferred() {
    check(
        "//- a.js
        export class A { paint() {} alone() {} }
        export class B { paint() {} get() {} }
        export function use(x) {
          x.paint();
          x.alone();
          x.get();
          x.y.nowhere();
        }",
        &[Calls],
        expect![[r#"
            calls a.js::use -> a.js::A.alone (ast_inferred 0.70)
            calls a.js::use -> a.js::A.paint (ast_inferred 0.42)
            calls a.js::use -> a.js::B.paint (ast_inferred 0.42)
            resolved 1 ambiguous 1 external 2 unresolved 0
        "#]],
    );
}

#[test]
fn default_imports_find_the_symbol_with_their_name_or_the_file() {
    check(
        "//- src/Button.jsx
        class Button { press() {} }
        export default Button;
        //- src/tools.js
        export function a() {}
        //- src/main.js
        import Button from './Button';
        import Knob from './Button.jsx';
        import tools from './tools';
        new Button().press();
        new Knob();
        tools.a();",
        &[Calls],
        expect![[r#"
            calls src/main.js -> src/Button.jsx::Button
            calls src/main.js -> src/Button.jsx::Button.press
            calls src/main.js -> src/tools.js::a
            resolved 4 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn interfaces_are_implemented_and_overridden() {
    check(
        "//- a.ts
        export interface Shape { area(): number }
        export class Square implements Shape {
          area(): number { return 1 }
        }
        export function total(shapes: Shape[]) {
          for (const shape of shapes) shape.area();
        }",
        &[Calls, Implements, Overrides, TypeHintOf],
        expect![[r#"
            calls a.ts::total -> a.ts::Shape.area
            implements a.ts::Square -> a.ts::Shape
            overrides a.ts::Square.area -> a.ts::Shape.area
            type_hint_of a.ts::total -> a.ts::Shape
            resolved 1 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}
