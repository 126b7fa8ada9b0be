//! Go: names, receivers, inheritance and types across files.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_packages_receivers_and_embedding() {
    check(
        "//- go.mod
        module example.com/app
        //- store/store.go
        package store

        type Base struct{}

        func (b *Base) Ping() {}

        type Store struct {
        \tBase
        \tlog Logger
        }

        type Logger struct{}

        func (l Logger) Emit(text string) {}

        func New() *Store { return &Store{} }

        func (s *Store) Save(key string) {
        \ts.log.Emit(key)
        \ts.Ping()
        \thelper()
        }
        //- store/helper.go
        package store

        func helper() { len(\"x\") }
        //- main.go
        package main

        import (
        \t\"fmt\"
        \tst \"example.com/app/store\"
        )

        func main() {
        \ts := st.New()
        \ts.Save(\"a\")
        \tst.New().Save(\"b\")
        \tfmt.Println(s)
        \tmissing()
        }",
        &[Calls, Extends],
        expect![[r#"
            calls main.go::main -> external::fmt.Println
            calls main.go::main -> store/store.go::New
            calls main.go::main -> store/store.go::Store.Save
            calls store/store.go::New -> store/store.go::Store
            calls store/store.go::Store.Save -> store/helper.go::helper
            calls store/store.go::Store.Save -> store/store.go::Base.Ping
            calls store/store.go::Store.Save -> store/store.go::Logger.Emit
            extends store/store.go::Store -> store/store.go::Base
            resolved 8 ambiguous 0 external 1 unresolved 1
        "#]],
    );
}

#[test]
fn a_method_of_several_types_with_an_unknown_receiver_is_ambiguous() {
    check(
        "//- a.go
        package a

        type A struct{}
        func (A) Handle(x int) {}
        type B struct{}
        func (B) Handle(x int) {}
        type C struct{}
        func (C) Handle(x, y int) {}
        func (C) Alone() {}
        func (C) Close() {}

        func use() {
        \tmissing().Handle(1)
        \tmissing().Alone()
        \tmissing().Close()
        }",
        &[Calls],
        expect![[r#"
            calls a.go::use -> a.go::A.Handle (ast_inferred 0.42)
            calls a.go::use -> a.go::B.Handle (ast_inferred 0.42)
            calls a.go::use -> a.go::C.Alone (ast_inferred 0.70)
            resolved 1 ambiguous 1 external 0 unresolved 4
        "#]],
    );
}

#[test]
fn a_package_is_found_by_its_declared_name() {
    check(
        "//- go.mod
        module example.com/app
        //- opts/o.go
        package options

        type Config struct{}

        func (c *Config) Get() {}
        func New() *Config { return nil }
        //- opts/gen.go
        package main

        func main() {}
        //- m/m.go
        package m

        import \"example.com/app/opts\"

        type Holder struct{ config *options.Config }

        func use(c options.Config, h Holder) {
        \toptions.New().Get()
        \tc.Get()
        \th.config.Get()
        \tmissing.New()
        }
        //- other/o.go
        package other

        func use() { options.New() }",
        &[Calls, TypeHintOf],
        expect![[r#"
            calls m/m.go::use -> opts/o.go::Config.Get
            calls m/m.go::use -> opts/o.go::New
            type_hint_of m/m.go::use -> m/m.go::Holder
            type_hint_of m/m.go::use -> opts/o.go::Config
            type_hint_of opts/o.go::Config.Get -> opts/o.go::Config
            type_hint_of opts/o.go::New -> opts/o.go::Config
            resolved 4 ambiguous 0 external 0 unresolved 2
        "#]],
    );
}

#[test]
fn a_defined_type_has_the_fields_but_not_the_methods_of_its_base() {
    check(
        "//- go.mod
        module m
        //- a.go
        package a

        type Base struct{}

        func (Base) Ping() {}

        type Server struct {
        \tBase
        \tcfg Config
        }

        func (s *Server) Serve() {}

        type Config struct{}

        func (Config) Load() {}

        type Handler interface{ Handle() }

        type Sub Server
        type SubSub Sub
        type Same = Server
        type Own Handler
        type Server2 interface{ Serve() }

        func (s *Sub) Extra() {}

        func use(sub *Sub, deep SubSub, same Same, own Own) {
        \tsub.cfg.Load()
        \tsub.Ping()
        \tsub.Extra()
        \tsub.Serve()
        \tdeep.cfg.Load()
        \tdeep.Ping()
        \tdeep.Extra()
        \tsame.Serve()
        \town.Handle()
        }",
        &[Calls, Inherits, Implements],
        expect![[r#"
            calls a.go::use -> a.go::Base.Ping
            calls a.go::use -> a.go::Config.Load
            calls a.go::use -> a.go::Handler.Handle
            calls a.go::use -> a.go::Server.Serve
            calls a.go::use -> a.go::Sub.Extra
            implements a.go::Server -> a.go::Server2
            inherits a.go::Own -> a.go::Handler.Handle
            inherits a.go::Same -> a.go::Base.Ping
            inherits a.go::Same -> a.go::Server.Serve
            inherits a.go::Server -> a.go::Base.Ping
            inherits a.go::Sub -> a.go::Base.Ping
            inherits a.go::SubSub -> a.go::Base.Ping
            resolved 7 ambiguous 0 external 0 unresolved 2
        "#]],
    );
}

#[test]
fn a_panic_throws_its_argument() {
    check(
        "//- go.mod
        module m
        //- errs/e.go
        package errs

        type Gone struct{ Name string }
        //- a.go
        package a

        import \"m/errs\"

        type Broken struct{}

        func one() { panic(&Broken{}) }
        func two() { panic(errs.Gone{Name: \"x\"}) }
        func three(err error) { panic(err) }
        func four() { panic(\"no &T{}\") }",
        &[Throws],
        expect![[r#"
            throws a.go::four -> external::panic
            throws a.go::one -> a.go::Broken
            throws a.go::three -> external::panic
            throws a.go::two -> errs/e.go::Gone
        "#]],
    );
}

#[test]
fn types_with_all_methods_of_an_interface_implement_it() {
    check(
        "//- go.mod
        module m
        //- api/api.go
        package api

        type Handler interface {
        \tServe(w *Writer, name string) error
        \tClose()
        }
        type Writer struct{}
        //- impl/impl.go
        package impl

        import \"m/api\"

        type Full struct{}
        func (f *Full) Serve(w *api.Writer, name string) error { return nil }
        func (f *Full) Close() {}

        type Half struct{}
        func (h *Half) Close() {}

        type Other struct{}
        func (o *Other) Serve(w int, name string) error { return nil }
        func (o *Other) Close() {}",
        &[Implements, Overrides, TypeHintOf],
        expect![[r#"
            implements impl/impl.go::Full -> api/api.go::Handler
            overrides impl/impl.go::Full.Close -> api/api.go::Handler.Close
            overrides impl/impl.go::Full.Serve -> api/api.go::Handler.Serve
            type_hint_of api/api.go::Handler.Serve -> api/api.go::Writer
            type_hint_of impl/impl.go::Full.Close -> impl/impl.go::Full
            type_hint_of impl/impl.go::Full.Serve -> api/api.go::Writer
            type_hint_of impl/impl.go::Full.Serve -> impl/impl.go::Full
            type_hint_of impl/impl.go::Half.Close -> impl/impl.go::Half
            type_hint_of impl/impl.go::Other.Close -> impl/impl.go::Other
            type_hint_of impl/impl.go::Other.Serve -> impl/impl.go::Other
        "#]],
    );
}

#[test]
fn elements_of_defined_slices_have_the_element_type() {
    check(
        "//- a.go
        package a

        type Route struct{}
        func (r Route) Match() {}
        func (r Route) Provision() {}
        type Other struct{}
        func (o Other) Provision() {}
        type Routes []Route

        func all(routes Routes, more []Route) {
        \tfor _, r := range routes {
        \t\tr.Provision()
        \t}
        \tfor _, r := range more {
        \t\tr.Match()
        \t}
        }",
        &[Calls],
        expect![[r#"
            calls a.go::all -> a.go::Route.Match
            calls a.go::all -> a.go::Route.Provision
            resolved 2 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn tests_environment_reads_and_imports_have_edges() {
    check(
        "//- go.mod
        module m
        //- lib.go
        package m

        import \"os\"

        func Lib() { os.Getenv(\"HOME\") }
        //- lib_test.go
        package m

        import \"testing\"

        func TestLib(t *testing.T) { Lib(); helper() }
        func helper() { Lib() }
        //- cmd/x.go
        package main

        import \"m\"

        func run() { m.Lib() }",
        &[Tests, TestedBy, ReadsEnv, Imports],
        expect![[r#"
            imports cmd/x.go -> lib.go
            imports lib.go -> external::os
            imports lib_test.go -> external::testing
            reads_env lib.go::Lib -> env::HOME
            tested_by lib.go::Lib -> lib_test.go::TestLib
            tested_by lib.go::Lib -> lib_test.go::helper
            tests lib_test.go::TestLib -> lib.go::Lib
            tests lib_test.go::helper -> lib.go::Lib
        "#]],
    );
}

#[test]
fn types_are_followed_through_collections_tuples_and_closures() {
    check(
        "//- a.go
        package a

        type Route struct{ next *Route; handlers map[string][]Handler }
        func (r *Route) Match() bool { return true }
        type Handler func(r *Route) (*Reply, error)
        type Reply struct{}
        func (r Reply) Send() {}
        type Other struct{}
        func (o Other) Match() {}
        func (o Other) Send() {}

        func find(key string) (found *Route, rest []*Route, err error) { return nil, nil, nil }
        func pair() (Other, *Reply) { return Other{}, nil }

        var table = map[string]*Route{}
        var first, second = pair()

        func all(ch <-chan *Route, more ...*Route) {
        \troute, rest, err := find(\"a\")
        \troute.Match()
        \trest[0].next.Match()
        \t_ = err
        \tfor _, handlers := range route.handlers {
        \t\tfor _, handler := range handlers {
        \t\t\treply, _ := handler(route)
        \t\t\treply.Send()
        \t\t}
        \t}
        \tfor got := range ch {
        \t\tgot.Match()
        \t}
        \t(<-ch).Match()
        \tmore[1].Match()
        \ttable[\"x\"].Match()
        \tsecond.Send()
        \tmade := make(map[string][]Other)
        \tmade[\"x\"][0].Send()
        \ttests := []struct {
        \t\tname  string
        \t\troute *Route
        \t}{}
        \tfor _, tc := range tests {
        \t\ttc.route.Match()
        \t}
        \tclosure := func() (*Route, error) { return nil, nil }
        \tr, _ := closure()
        \tr.next.next.Match()
        }",
        &[Calls],
        expect![[r#"
            calls a.go::all -> a.go::Other.Send
            calls a.go::all -> a.go::Reply.Send
            calls a.go::all -> a.go::Route.Match
            calls a.go::all -> a.go::find
            calls a.go::pair -> a.go::Other
            calls a.go::second -> a.go::pair
            resolved 14 ambiguous 0 external 1 unresolved 1
        "#]],
    );
}

#[test]
fn a_name_refers_to_the_binding_of_its_block() {
    check(
        "//- go.mod
        module m
        //- url/url.go
        package url
        func Parse() {}
        //- a.go
        package a

        import \"m/url\"

        type A struct{}
        func (a A) Run() {}
        type B struct{}
        func (b B) Run() {}
        type Runner interface{ Run() }

        func use(x A, any Runner) {
        \tif x := (B{}); true {
        \t\tx.Run()
        \t}
        \tx.Run()
        }

        func closures(x A) {
        \tdo(func(x B) { x.Run() })
        \tx.Run()
        }

        func switches(v any) {
        \tswitch v := v.(type) {
        \tcase A:
        \t\tv.Run()
        \tcase *B:
        \t\tv.Run()
        \t}
        \tif b, ok := v.(B); ok {
        \t\tb.Run()
        \t}
        }

        func hidden(url string) { url.Parse() }
        func seen() { url.Parse() }
        func do(f any) {}",
        &[Calls],
        expect![[r#"
            calls a.go::closures -> a.go::A.Run
            calls a.go::closures -> a.go::B.Run
            calls a.go::closures -> a.go::do
            calls a.go::seen -> url/url.go::Parse
            calls a.go::switches -> a.go::A.Run
            calls a.go::switches -> a.go::B.Run
            calls a.go::use -> a.go::A.Run
            calls a.go::use -> a.go::B
            calls a.go::use -> a.go::B.Run
            resolved 10 ambiguous 0 external 1 unresolved 0
        "#]],
    );
}

#[test]
fn embedded_types_and_interfaces_contribute_their_methods() {
    check(
        "//- go.mod
        module m
        //- api/api.go
        package api

        import \"io\"

        type Opener interface{ Open(name string) (ok bool, err error) }
        //- api/more.go
        package api

        import \"io\"

        type Store interface {
        \tOpener
        \tio.Closer
        \tSave()
        }
        //- impl/impl.go
        package impl

        type Base struct{}
        func (b *Base) Close() error { return nil }

        type Full struct{ *Base }
        func (f Full) Open(name string) (bool, error) { return true, nil }
        func (f Full) Save() { f.Base.Close(); f.Close() }

        type Half struct{}
        func (h Half) Open(name string) (bool, error) { return true, nil }
        func (h Half) Save() {}",
        &[Implements, Overrides, Calls],
        expect![[r#"
            calls impl/impl.go::Full.Save -> impl/impl.go::Base.Close
            implements impl/impl.go::Full -> api/api.go::Opener
            implements impl/impl.go::Full -> api/more.go::Store
            implements impl/impl.go::Half -> api/api.go::Opener
            overrides impl/impl.go::Full.Open -> api/api.go::Opener.Open
            overrides impl/impl.go::Full.Save -> api/more.go::Store.Save
            overrides impl/impl.go::Half.Open -> api/api.go::Opener.Open
            resolved 2 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn functions_constants_and_variables_used_as_values_are_references() {
    check(
        "//- a.go
        package a

        const limit, other = 1, 2
        const (
        \tone = iota
        \ttwo
        )
        var handlers = []func(){run, stop}
        var byName = map[string]func(){\"run\": run}

        func run()  {}
        func stop() {}
        func give() func() { return run }
        func use(ch chan func()) {
        \tx := stop
        \tch <- run
        \tif limit > two { x() }
        }",
        &[References],
        expect![[r#"
            references a.go::byName -> a.go::run
            references a.go::give -> a.go::run
            references a.go::handlers -> a.go::run
            references a.go::handlers -> a.go::stop
            references a.go::use -> a.go::limit
            references a.go::use -> a.go::run
            references a.go::use -> a.go::stop
            references a.go::use -> a.go::two
        "#]],
    );
}

#[test]
fn a_reference_to_a_variable_targets_the_variable_not_its_value() {
    check(
        "//- go.mod
        module example.com/app
        //- a.go
        package app

        import \"errors\"

        var ErrGone = errors.New(\"gone\")
        var table = map[string]int{}
        var built = New()

        type Thing struct{}

        func New() *Thing { return &Thing{} }

        func same(table2 map[string]int) error {
            table[\"a\"] = len(table)
            built = nil
            return ErrGone
        }

        func shadowed(built *Thing) *Thing { return built }
        //- b.go
        package app

        func other() error { return ErrGone }",
        &[References, Throws],
        expect![[r#"
            references a.go::same -> a.go::ErrGone
            references a.go::same -> a.go::built
            references a.go::same -> a.go::table
            references b.go::other -> a.go::ErrGone
            throws a.go::same -> a.go::ErrGone
            throws b.go::other -> a.go::ErrGone
        "#]],
    );
}
