//! Tests that extraction finds the declarations and uses in JavaScript.

use super::check;
use expect_test::expect;

const SOURCE: &str = r"
'use strict';
const React = require('react');
function App({ title }, x = 1) { return <Main title={title} onClick={handle}><b.C/></Main>; }
exports.create = function (opts) { return new App(opts); };
module.exports.later = () => 1;
App.prototype.render = function render() { this.state = {}; return this.state; };
app.handle = function handle(req) {};
class B extends React.Component { static x = 1; go = () => {}; render() {} constructor() { super(); this.y = new Foo(); } }
module.exports = { App, b: B };
export default { name: 'x', data() { return {}; } };
var a = 1, b = function () {};
";

#[test]
fn declarations_and_uses_of_javascript_are_found() {
    check(
        "javascript",
        SOURCE,
        expect![[r#"
            javascript package="" lines=12
            function App 4-4 `function App({ title }, x = 1)` (title,x)/2 internal
            function create 5-5 `exports.create = function (opts)` (opts)/1 : =App() public
            function later 6-6 `module.exports.later = ()` ()/0 : number public
            method App.render 7-7 `App.prototype.render = function render()` ()/0 : =this.state public
            method app.handle 8-8 `app.handle = function handle(req)` (req)/1 public
            class B 9-9 `class B extends React.Component` Extends(React.Component) internal
              field B.x 9-9 `static x = 1` : number public
              method B.go 9-9 `go = ()` ()/0 public
              method B.render 9-9 `render()` ()/0 public
              constructor B.constructor 9-9 `constructor()` ()/0 public
              field B.y 9-9 `this.y = new Foo()` : Foo public
            constant default 11-11 `export default { name: 'x', data() { return {}; } }` public
              field default.name 11-11 `name: 'x'` public
              method default.data 11-11 `data()` ()/0 public
            variable a 12-12 `var a = 1` : number internal
            function b 12-12 `var b = function ()` ()/0 internal
            ref Call Main in App 4:42
            ref Value handle in App 4:70
            ref Name b in App 4:79
            ref Call b.C in App 4:81
            ref Construct App/1 in create 5:47
            ref Field module.exports in later 6:8
            ref Name App in App.render 7:1
            ref Field App.prototype in App.render 7:5
            ref Field this.state in App.render 7:49
            ref Field this.state in App.render 7:73
            ref Base React.Component in B 9:23
            ref Call super/0 in B.constructor 9:92
            ref Construct Foo/0 in B.constructor 9:114
            ref Field module.exports in file 10:8
            ref Value App in file 10:20
            ref Value B in file 10:28
            import "react" "" as "React" in file
            import "" "App" as "App" reexport in file
            import "" "B" as "b" reexport in file
            bind title = Value  in App
            bind x = Type number in App
            bind opts = Value  in create
            bind req = Value  in app.handle
            bind a = Type number in file
        "#]],
    );
}

#[test]
fn members_assigned_to_a_class_or_function_are_static() {
    check(
        "javascript",
        "class Foo {
  static { const kept = make(); function helper() {} }
}
Foo.run = function () {};
Foo.limits = { top: make() };
Foo.prototype.walk = function () {};
Object.assign(Foo, { last() {} });
Object.assign(Foo.prototype, { last() {} });
function Old() {}
Old.make = () => new Old();
const api = {};
api.run = function () {};
Other.run = function () {};
",
        expect![[r#"
            javascript package="" lines=13
            class Foo 1-3 `class Foo` internal
              function Foo.helper 2-2 `function helper()` ()/0 public
            method Foo.run 4-4 `static Foo.run = function ()` ()/0 public
            field Foo.limits 5-5 `static Foo.limits = { top: make() }` : {top:=make();} public
              field Foo.limits.top 5-5 `top: make()` public
            method Foo.walk 6-6 `Foo.prototype.walk = function ()` ()/0 public
            method Foo.last 7-7 `static last()` ()/0 public
            method Foo.last 8-8 `last()` ()/0 public
            function Old 9-9 `function Old()` ()/0 internal
            method Old.make 10-10 `static Old.make = ()` ()/0 : =Old() public
            constant api 11-11 `const api = {}` internal
            method api.run 12-12 `api.run = function ()` ()/0 public
            method Other.run 13-13 `Other.run = function ()` ()/0 public
            ref Call make/0 in Foo 2:25
            ref Call make/0 in Foo.limits.top 5:21
            ref Field Foo.prototype in Foo.walk 6:5
            ref Call Object.assign/2 in file 7:8
            ref Value Foo in file 7:15
            ref Call Object.assign/2 in file 8:8
            ref Value Foo.prototype in file 8:19
            ref Name Old in Old.make 10:1
            ref Construct Old/0 in Old.make 10:22
            ref Name api in api.run 12:1
            bind kept = Value make() in Foo
            bind helper = Value  in Foo
        "#]],
    );
}
