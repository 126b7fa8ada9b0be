//! All kinds of edges in Go.

use super::check;
use expect_test::expect;

const WORKSPACE: &str = r##"
        //- go.mod
        module example.com/app
        //- errs/errs.go
        package errs

        import "errors"

        var ErrGone = errors.New("gone")

        type NotFoundError struct{ Name string }

        func (e *NotFoundError) Error() string { return e.Name }
        //- store/store.go
        package store

        import (
        	"os"
        	"os/exec"

        	"example.com/app/errs"
        )

        const Limit = 10

        var defaults = map[string]int{}

        type Base struct{ Name string }

        func (b *Base) Ping() {}

        // Store keeps things; see [Base.Ping] and [errs.ErrGone].
        type Store struct {
        	Base
        	limit int
        }

        type Pinger interface{ Ping() }

        func (s *Store) Save(flags Client, key string) error {
        	s.Ping()
        	if s.limit > Limit {
        		return errs.ErrGone
        	}
        	if defaults[key] == 0 {
        		return &errs.NotFoundError{Name: key}
        	}
        	if os.Getenv("STORE_HOME") == "" {
        		panic("no home")
        	}
        	if flags.BoolVariation("new-store", nil, false) {
        		exec.Command("git", "status").Run()
        	}
        	retry(helper)
        	return nil
        }

        type Client interface{ BoolVariation(key string, user any, other bool) bool }

        func retry(f func()) { f() }
        func helper()        {}
        //- store/store_test.go
        package store

        import "testing"

        func TestSave(t *testing.T) {
        	s := &Store{}
        	t.Run("saves", func(t *testing.T) { save(s) })
        }

        func save(s *Store) { s.Save(nil, "a") }
        //- web/web.go
        package web

        import (
        	"net/http"

        	"example.com/app/store"
        )

        func list(w http.ResponseWriter, r *http.Request) {}

        func Routes(mux *http.ServeMux) { mux.HandleFunc("GET /items/{id}", list) }

        func Fetch() { http.Get("http://x.org/items/7?full=1"); _ = store.Limit }
"##;

#[test]
fn every_kind_of_edge_is_found() {
    check(
        WORKSPACE,
        &[],
        expect![[r#"
            accesses_field errs/errs.go::NotFoundError.Error -> errs/errs.go::NotFoundError.Name
            accesses_field store/store.go::Store.Save -> store/store.go::Store.limit
            calls errs/errs.go::ErrGone -> external::errors.New
            calls store/store.go::Store.Save -> errs/errs.go::NotFoundError
            calls store/store.go::Store.Save -> external::os.Getenv
            calls store/store.go::Store.Save -> external::os/exec.Command
            calls store/store.go::Store.Save -> external::os/exec.Command.Run
            calls store/store.go::Store.Save -> store/store.go::Base.Ping
            calls store/store.go::Store.Save -> store/store.go::Client.BoolVariation
            calls store/store.go::Store.Save -> store/store.go::retry
            calls store/store_test.go::TestSave -> external::testing.T.Run
            calls store/store_test.go::TestSave -> store/store.go::Store
            calls store/store_test.go::TestSave -> store/store_test.go::save
            calls store/store_test.go::save -> store/store.go::Store.Save
            calls web/web.go::Fetch -> external::net/http.Get
            calls web/web.go::Routes -> external::net/http.ServeMux.HandleFunc
            co_tested_with store/store.go::Store -> store/store.go::Store.Save (ast_inferred 0.60)
            consumes_endpoint web/web.go::Fetch -> route::ANY /items/{} (ast_inferred 0.42)
            consumes_endpoint web/web.go::Fetch -> route::GET /items/{}
            documents store/store.go::Store -> errs/errs.go::ErrGone
            documents store/store.go::Store -> store/store.go::Base.Ping
            executes_process store/store.go::Store.Save -> process::git
            extends store/store.go::Store -> store/store.go::Base
            gated_by_flag store/store.go::Store.Save -> flag::new-store
            handles_route route::GET /items/{} -> web/web.go::list
            implements store/store.go::Base -> store/store.go::Pinger
            imports errs/errs.go -> external::errors
            imports store/store.go -> errs/errs.go
            imports store/store.go -> external::os
            imports store/store.go -> external::os/exec
            imports store/store_test.go -> external::testing
            imports web/web.go -> external::net/http
            imports web/web.go -> store/store.go
            inherits store/store.go::Store -> store/store.go::Base.Ping
            member_of errs/errs.go::NotFoundError.Error -> errs/errs.go::NotFoundError
            member_of errs/errs.go::NotFoundError.Name -> errs/errs.go::NotFoundError
            member_of store/store.go::Base.Name -> store/store.go::Base
            member_of store/store.go::Base.Ping -> store/store.go::Base
            member_of store/store.go::Client.BoolVariation -> store/store.go::Client
            member_of store/store.go::Pinger.Ping -> store/store.go::Pinger
            member_of store/store.go::Store.Save -> store/store.go::Store
            member_of store/store.go::Store.limit -> store/store.go::Store
            overrides store/store.go::Base.Ping -> store/store.go::Pinger.Ping
            reads_env store/store.go::Store.Save -> env::STORE_HOME
            references store/store.go::Store.Save -> errs/errs.go::ErrGone
            references store/store.go::Store.Save -> store/store.go::Limit
            references store/store.go::Store.Save -> store/store.go::defaults
            references store/store.go::Store.Save -> store/store.go::helper
            references web/web.go::Fetch -> store/store.go::Limit
            references web/web.go::Routes -> web/web.go::list
            tests store/store_test.go::TestSave -> store/store.go::Store
            tests store/store_test.go::TestSave -> store/store.go::Store.Save
            tests store/store_test.go::save -> store/store.go::Store.Save
            throws store/store.go::Store.Save -> errs/errs.go::ErrGone
            throws store/store.go::Store.Save -> errs/errs.go::NotFoundError
            throws store/store.go::Store.Save -> external::panic
            type_hint_of errs/errs.go::NotFoundError.Error -> errs/errs.go::NotFoundError
            type_hint_of store/store.go::Base.Ping -> store/store.go::Base
            type_hint_of store/store.go::Store.Save -> store/store.go::Client
            type_hint_of store/store.go::Store.Save -> store/store.go::Store
            type_hint_of store/store_test.go::TestSave -> external::testing.T
            type_hint_of store/store_test.go::save -> store/store.go::Store
            type_hint_of web/web.go::Routes -> external::net/http.ServeMux
            type_hint_of web/web.go::list -> external::net/http.Request
            type_hint_of web/web.go::list -> external::net/http.ResponseWriter
        "#]],
    );
}
