//! TypeScript and JavaScript.

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
        expect![],
    );
}

#[test]
fn paths_and_workspace_packages_lead_to_sources() {
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
        expect![],
    );
}

#[test]
fn unknown_receivers_are_ambiguous_or_inferred() {
    check(
        "//- a.js
        export class A { render() {} alone() {} }
        export class B { render() {} get() {} }
        export function use(x) {
          x.render();
          x.alone();
          x.get();
          x.y.nowhere();
        }",
        &[Calls],
        expect![],
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
        expect![],
    );
}
