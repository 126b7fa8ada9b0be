//! Tests that extraction finds the declarations and uses in Python.

use super::check;
use expect_test::expect;

const SOURCE: &str = r#"
"""Module doc words."""
from __future__ import annotations
import os, os.path as osp
import a.b.c
from .app import Flask as F, Blueprint
from ..x import *
from . import y

MAX = 10
app = Flask(__name__)
x, y2 = 1, 2
T: "t.Optional[Foo]" = None

if MAX:
    def f(a): return 1
else:
    def f(a, b): return 2

# comment before
@app.route("/x", methods=["GET"])
def index(req: Request, n: int = 3, *args, **kw) -> Optional[Response]:
    """Index doc.

    More text.
    """
    z = Foo(); z.run(req.args, cb, key=cb2)
    with open("f") as fh: fh.read()
    for u in req.users: u.go()
    def inner(q): return q
    return inner(os.environ["HOME"])

class Base(Model, abc.ABC, Generic[T], metaclass=Meta):
    """Base doc."""
    field: int = 3
    other = Thing()
    def __init__(self, app: "App"):
        self.app = app
        self.db: Db = Db()
        self.app = None
    @property
    def name(self): return self.app.name
    class Inner:
        def name(self): raise ValueError("x")
    async def run(self, *, timeout): await self.app.run(); subprocess.run(["git", "x"])

class TestX(unittest.TestCase):
    def test_it(self): Base(1).name
"#;

#[test]
fn declarations_and_uses_of_python_are_found() {
    check(
        "python",
        SOURCE,
        expect![[r#"
            python package="" lines=48
            constant MAX 10-10 `MAX = 10` public
            variable app 11-11 `app = Flask(__name__)` : =Flask() public
            variable x 12-12 `x, y2 = 1, 2` public
            variable y2 12-12 `x, y2 = 1, 2` public
            variable T 13-13 `T: "t.Optional[Foo]" = None` : "t.Optional[Foo]" public
            function f 16-16 `def f(a)` (a)/1 : ~ public
            function f 18-18 `def f(a, b)` (a,b)/2 public
            function index 21-31 `def index(req: Request, n: int = 3, *args, **kw) -> Optional[Response]` (req,n,args,kw)/4 : Optional[Response] public doc="Index doc.\n\nMore text."
              function index.inner 30-30 `def inner(q)` (q)/1 public
            class Base 33-45 `class Base(Model, abc.ABC, Generic[T], metaclass=Meta)` Extends(Model) Extends(abc.ABC) Extends(Generic) public doc="Base doc."
              field Base.field 35-35 `field: int = 3` : int public
              field Base.other 36-36 `other = Thing()` : =Thing() public
              constructor Base.__init__ 37-40 `def __init__(self, app: "App")` (app)/1 public
              field Base.app 38-38 `self.app = app` : ={"App"} public
              field Base.db 39-39 `self.db: Db = Db()` : Db public
              property Base.name 41-42 `def name(self)` : =self.app.name public
              class Base.Inner 43-44 `class Inner` public
                method Base.Inner.name 44-44 `def name(self)` ()/0 public
              method Base.run 45-45 `async def run(self, *, timeout)` (timeout)/1 public
            class TestX 47-48 `class TestX(unittest.TestCase)` Extends(unittest.TestCase) public
              method TestX.test_it 48-48 `def test_it(self)` ()/0 public test
            ref Call Flask/1 in app 11:7
            ref Value __name__ in app 11:13
            ref Type t.Optional in T 13:7
            ref Type Foo in T 13:16
            ref Value MAX in file 15:4
            ref Name app in index 21:2
            ref Decorator app.route in index 21:6
            ref Type Request in index 22:16
            ref Type Optional in index 22:53
            ref Type Response in index 22:62
            ref Call Foo/0 in index 27:9
            ref Call z.run/3 in index 27:18
            ref Field req.args in index 27:26
            ref Value cb in index 27:32
            ref Value cb2 in index 27:40
            ref Call open/1 in index 28:10
            ref Call fh.read/0 in index 28:30
            ref Field req.users in index 29:18
            ref Call u.go/0 in index 29:27
            ref Call inner/1 in index 31:12
            ref Field os.environ in index 31:21
            ref Env HOME in index 31:29
            ref Base Model in Base 33:12
            ref Base abc.ABC in Base 33:23
            ref Base Generic in Base 33:28
            ref Value T in Base 33:36
            ref Value Meta in Base 33:50
            ref Call Thing/0 in Base.other 36:13
            ref Type App in Base.__init__ 37:30
            ref Type Db in Base.__init__ 39:18
            ref Call Db/0 in Base.__init__ 39:23
            ref Field self.app in Base.__init__ 40:14
            ref Decorator property in Base.name 41:6
            ref Field self.app in Base.name 42:33
            ref Field self.app.name in Base.name 42:37
            ref Call ValueError/1 in Base.Inner.name 44:31
            ref Throw ValueError in Base.Inner.name 44:31
            ref Field self.app in Base.run 45:49
            ref Call self.app.run/0 in Base.run 45:53
            ref Call subprocess.run/1 in Base.run 45:71
            ref Process git in Base.run 45:75
            ref Base unittest.TestCase in TestX 47:22
            ref Call Base/1 in TestX.test_it 48:24
            ref Field Base().name in TestX.test_it 48:32
            import "os" "" as "os" in file
            import "os.path" "" as "osp" in file
            import "a.b.c" "" as "a" in file
            import ".app" "Flask" as "F" in file
            import ".app" "Blueprint" as "Blueprint" in file
            import "..x" "*" as "" in file
            import "." "y" as "y" in file
            serves GET /x by "" in index if "app" is of "flask flask_restful quart sanic"
            serves GET /x by "" in index if "app" is of "fastapi litestar"
            bind app = Value Flask() in file
            bind T = Type "t.Optional[Foo]" in file
            bind a = Value  in f
            bind a = Value  in f
            bind b = Value  in f
            bind req = Type Request in index
            bind n = Type int in index
            bind args = Type tuple in index
            bind kw = Type dict in index
            bind z = Value Foo() in index
            bind fh = Value open()#enter in index
            bind u = Value req.users#each in index
            bind q = Value  in index.inner
            bind field = Type int in Base
            bind other = Value Thing() in Base
            bind app = Type "App" in Base.__init__
            bind app = Value app in Base
            bind db = Type Db in Base
            bind timeout = Value  in Base.run
        "#]],
    );
}
