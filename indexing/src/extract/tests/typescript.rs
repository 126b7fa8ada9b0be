//! Facts of typescript.

use super::check;
use expect_test::expect;

const SOURCE: &str = r#"
import React, { useState as us, type FC } from "react";
import * as path from 'path';
import "./side";
import fs = require("fs");
export { a, b as c } from "./ab";
export * from "./all";
export * as ns from "./ns";
const { join, sep: s2 } = require("path");
const cp = require("child_process");

/** Options doc. */
export interface Options<T> extends Base<T>, ns.Other {
  /** name doc */
  name: string;
  run(x: number): Promise<void>;
  run(x: string): Promise<void>;
}
export type Handler = (req: Request) => Response | undefined;
export enum Color { Red, Green = "g" }
export const enum E2 { X }
declare module "foo" { function bar(a: string): void; }
namespace NS.Inner { export function f() {} export const v = 1; }

/**
 * Adds.
 * @param a first
 */
export const add = async (a: number, b?: string, ...rest: Foo[]): Promise<number> => {
  const local = new Map<string, Foo>();
  let z: ns.Thing = make(a);
  for (const r of rest) { r.go(local, helper); }
  function nested(q: Foo) { return q!.x?.y(); }
  return process.env.HOME ? nested(z) : process.env["PATH_X"];
};
export const config = { retries: 3, handler: () => 1, load() { return cp.execSync("git x"); } };
let counter = 0, other: Foo | null = null;
@Injectable({ a: 1 })
export class Service<T> extends Parent<T> implements Options<T>, IFoo {
  private readonly repo: Repo;
  static #count = 0;
  onClick = (e: Event) => { this.repo.find(e); };
  constructor(private db: Db, name: string) { super(); this.extra = new Extra(); }
  get size(): number { return 1; }
  @Get("/x") async list(@Query() q: string): Promise<Item[]> { throw new HttpError("x"); }
  over(a: string): void;
  over(a: number): void;
  over(a: any) {}
}
abstract class A2 { abstract foo(): void; }
export default function main() { return add(1); }
export function over(a: string): void;
export function over(a: any) {}
describe("x", () => { it("does it", async () => { expect(add(1)).toBe(config.retries); }); });
function generic<K extends Foo>(k: K): K { return k }
"#;

#[test]
fn everything_that_typescript_declares_and_uses_is_found() {
    check(
        "typescript",
        SOURCE,
        expect![[r#"
        typescript package="" lines=55
        interface Options 13-18 `export interface Options<T> extends Base<T>, ns.Other` Extends(Base) Extends(ns.Other) public doc="Options doc."
          field Options.name 15-15 `name: string` : string public doc="name doc"
          method Options.run 16-16 `run(x: number): Promise<void>` (number)/1 : Promise<void> public
          method Options.run 17-17 `run(x: string): Promise<void>` (string)/1 : Promise<void> public
        type Handler 19-19 `export type Handler = (req: Request) => Response | undefined` : (req: Request) => Response | undefined public
        enum Color 20-20 `export enum Color` public
          enum_member Color.Red 20-20 `Red` public
          enum_member Color.Green 20-20 `Green = "g"` public
        enum E2 21-21 `export const enum E2` public
          enum_member E2.X 21-21 `X` public
        module foo 22-22 `declare module "foo"` internal
          function foo.bar 22-22 `function bar(a: string): void` (string)/1 : void public
        module NS.Inner 23-23 `namespace NS.Inner` internal
          function NS.Inner.f 23-23 `export function f()` ()/0 public
          constant NS.Inner.v 23-23 `export const v = 1` public
        function add 29-35 `export const add = async (a: number, b?: string, ...rest: Foo[]): Promise<number>` (number,string,...Foo[])/3 : Promise<number> public doc="Adds.\n@param a first"
          function add.nested 33-33 `function nested(q: Foo)` (Foo)/1 public
        constant config 36-36 `export const config = { retries: 3, handler: () => 1, load() { return cp.execSync("git x"); } }` public
          method config.handler 36-36 `handler: ()` ()/0 public
          method config.load 36-36 `load()` ()/0 public
        variable counter 37-37 `let counter = 0` internal
        variable other 37-37 `let other: Foo | null = null` : Foo | null internal
        class Service 38-49 `export class Service<T> extends Parent<T> implements Options<T>, IFoo` Extends(Parent) Implements(Options) Implements(IFoo) public
          field Service.repo 40-40 `private readonly repo: Repo` : Repo private
          field Service.#count 41-41 `static #count = 0` private
          method Service.onClick 42-42 `onClick = (e: Event)` (Event)/1 public
          constructor Service.constructor 43-43 `constructor(private db: Db, name: string)` (Db,string)/2 public
          field Service.db 43-43 `private db: Db` : Db private
          field Service.extra 43-43 `this.extra = new Extra()` : Extra public
          property Service.size 44-44 `get size(): number` : number public
          method Service.list 45-45 `async list(q: string): Promise<Item[]>` (string)/1 : Promise<Item[]> public
          method Service.over 46-46 `over(a: string): void` (string)/1 : void public
          method Service.over 47-47 `over(a: number): void` (number)/1 : void public
          method Service.over 48-48 `over(a: any)` (any)/1 public
        class A2 50-50 `abstract class A2` internal
          method A2.foo 50-50 `abstract foo(): void` ()/0 : void public
        function main 51-51 `export default function main()` ()/0 public
        function over 52-52 `export function over(a: string): void` (string)/1 : void public
        function over 53-53 `export function over(a: any)` (any)/1 public
        function does it 54-54 `it("does it", async ()` ()/0 internal test
        function generic 55-55 `function generic<K extends Foo>(k: K): K` (K)/1 : K internal
        ref Base Base in Options 13:37
        ref Base ns.Other in Options 13:49
        ref Type Promise in Options.run 16:19
        ref Type Promise in Options.run 17:19
        ref Type Request in Handler 19:29
        ref Type Response in Handler 19:41
        ref Type Foo in add 29:59
        ref Type Promise in add 29:67
        ref Construct Map/0 in add 30:21
        ref Type Foo in add 30:33
        ref Type ns.Thing in add 31:13
        ref Call make/1 in add 31:21
        ref Call r.go/2 in add 32:29
        ref Value helper in add 32:39
        ref Type Foo in add.nested 33:22
        ref Field q.x in add.nested 33:39
        ref Call q.x.y/0 in add.nested 33:42
        ref Field process.env in add 34:18
        ref Env HOME in add 34:22
        ref Call nested/1 in add 34:29
        ref Field process.env in add 34:49
        ref Env PATH_X in add 34:53
        ref Call cp.execSync/1 in config.load 36:74
        ref Type Foo in other 37:25
        ref Decorator Injectable in Service 38:2
        ref Base Parent in Service 39:33
        ref Base Options in Service 39:54
        ref Base IFoo in Service 39:66
        ref Type Repo in Service.repo 40:26
        ref Type Event in Service.onClick 42:17
        ref Field this.repo in Service.onClick 42:34
        ref Call this.repo.find/1 in Service.onClick 42:39
        ref Type Db in Service.constructor 43:27
        ref Call super/0 in Service.constructor 43:47
        ref Construct Extra/0 in Service.constructor 43:73
        ref Decorator Get in Service.list 45:4
        ref Decorator Query in Service.list 45:26
        ref Type Promise in Service.list 45:46
        ref Type Item in Service.list 45:54
        ref Construct HttpError/1 in Service.list 45:74
        ref Throw HttpError in Service.list 45:74
        ref Call add/1 in main 51:41
        ref Call describe/2 in file 54:1
        ref Call it/2 in does it 54:23
        ref Call expect/1 in does it 54:51
        ref Call add/1 in does it 54:58
        ref Call expect().toBe/1 in does it 54:66
        ref Value config.retries in does it 54:78
        ref Type Foo in generic 55:28
        import "react" "useState" as "us" in file
        import "react" "FC" as "FC" in file
        import "react" "default" as "React" in file
        import "path" "" as "path" in file
        import "./side" "" as "" in file
        import "fs" "" as "fs" in file
        import "./ab" "a" as "a" reexport in file
        import "./ab" "b" as "c" reexport in file
        import "./all" "*" as "" reexport in file
        import "./ns" "" as "ns" reexport in file
        import "path" "join" as "join" in file
        import "path" "sep" as "s2" in file
        import "child_process" "" as "cp" in file
        bind x = Type number in Options.run
        bind x = Type string in Options.run
        bind req = Type Request in Handler
        bind a = Type string in foo.bar
        bind a = Type number in add
        bind b = Type string in add
        bind local = Type Map in add
        bind z = Type ns.Thing in add
        bind r = Element rest in add
        bind q = Type Foo in add.nested
        bind other = Type Foo in file
        bind e = Type Event in Service.onClick
        bind db = Type Db in Service.constructor
        bind name = Type string in Service.constructor
        bind extra = Type Extra in Service
        bind q = Type string in Service.list
        bind a = Type string in Service.over
        bind a = Type number in Service.over
        bind a = Type any in Service.over
        bind a = Type string in over
        bind a = Type any in over
        bind k = Type K in generic
    "#]],
    );
}
