//! Tests that extraction finds the declarations and uses in TypeScript.

use super::check_file;
use expect_test::expect_file;

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
fn declarations_and_uses_of_typescript_are_found() {
    check_file("typescript", SOURCE, &expect_file!["./typescript.facts"]);
}
