//! Tests that extraction finds the declarations and uses in Go.

use super::check;
use expect_test::expect;

const SOURCE: &str = r#"
// Copyright 2020 someone

// Package web does things.
package web

import (
	"fmt"
	"net/http"
	yaml "gopkg.in/yaml.v3"
	_ "embed"
	"github.com/x/go-redis/v9"
)

// MaxSize is the limit.
const MaxSize = 10

const (
	// A is first.
	A, B = 1, 2
	C    = "x"
)

var ErrX = fmt.Errorf("x")

// Server serves.
type Server struct {
	*http.Server
	Base
	// Name of it.
	Name, Other string `json:"n"`
	cache map[string]*Item[int]
}

type Handler interface {
	fmt.Stringer
	// ServeHTTP does.
	ServeHTTP(w http.ResponseWriter, r *http.Request) error
}

type ID int
type (
	// Alias doc
	Alias = Server
	F func(a int) error
)

// Run starts the server.
func (s *Server) Run(addr string, opts ...Option) (err error) {
	// inner comment
	l, err := net.Listen("tcp", os.Getenv("ADDR"))
	h := &Handler2{Fn: s.handle, x: 1}
	s.mux.Handle("/x", http.HandlerFunc(s.handle))
	for _, it := range s.items { it.Do(helper, l) }
	go func() { s.cache.Get().Put(addr) }()
	exec.Command("git", "status")
	return h.Do(len(addr))
}
func (o *Other[T]) Run(x T) {}
func Map[K comparable, V any](m map[K]V) []V { return nil }
func TestRun(t *testing.T) { s := New(); s.Run("x") }
"#;

#[test]
fn declarations_and_uses_of_go_are_found() {
    check(
        "go",
        SOURCE,
        expect![[r#"
            go package="web" lines=61
            constant MaxSize 16-16 `const MaxSize = 10` public doc="MaxSize is the limit."
            constant A 20-20 `const A, B = 1, 2` public doc="A is first."
            constant B 20-20 `const A, B = 1, 2` public doc="A is first."
            constant C 21-21 `const C = "x"` public
            variable ErrX 24-24 `var ErrX = fmt.Errorf("x")` : =fmt.Errorf() public
            struct Server 27-33 `type Server struct` Embeds(http.Server) Embeds(Base) public doc="Server serves."
              field Server.Name 31-31 `Name, Other string `json:"n"`` : string public doc="Name of it."
              field Server.Other 31-31 `Name, Other string `json:"n"`` : string public doc="Name of it."
              field Server.cache 32-32 `cache map[string]*Item[int]` : map[string]*Item[int] internal
            interface Handler 35-39 `type Handler interface` Embeds(fmt.Stringer) public
              method Handler.ServeHTTP 38-38 `ServeHTTP(w http.ResponseWriter, r *http.Request) error` (http.ResponseWriter,*http.Request)/2 : error public doc="ServeHTTP does."
            type ID 41-41 `type ID int` : ~int public
            type Alias 44-44 `type Alias = Server` : Server public doc="Alias doc"
            type F 45-45 `type F func(a int) error` : ~func(a int) error public
            method Server.Run 49-58 `func (s *Server) Run(addr string, opts ...Option) (err error)` (string,...Option)/2 : (err error) public doc="Run starts the server."
            method Other.Run 59-59 `func (o *Other[T]) Run(x T)` (T)/1 public
            function Map 60-60 `func Map[K comparable, V any](m map[K]V) []V` (map[K]V)/1 : []V public
            function TestRun 61-61 `func TestRun(t *testing.T)` (*testing.T)/1 public test
            ref Call fmt.Errorf/1 in ErrX 24:16
            ref Base http.Server in Server 28:8
            ref Base Base in Server 29:2
            ref Type Item in Server.cache 32:20
            ref Base fmt.Stringer in Handler 36:6
            ref Type http.ResponseWriter in Handler.ServeHTTP 38:19
            ref Type http.Request in Handler.ServeHTTP 38:43
            ref Type Server in Alias 44:10
            ref Type Server in Server.Run 49:10
            ref Type Option in Server.Run 49:43
            ref Call net.Listen/2 in Server.Run 51:16
            ref Call os.Getenv/1 in Server.Run 51:33
            ref Env ADDR in Server.Run 51:40
            ref Construct Handler2 in Server.Run 52:8
            ref Value Fn in Server.Run 52:17
            ref Field s.handle in Server.Run 52:23
            ref Value x in Server.Run 52:31
            ref Field s.mux in Server.Run 53:4
            ref Call s.mux.Handle/2 in Server.Run 53:8
            ref Call http.HandlerFunc/1 in Server.Run 53:26
            ref Field s.handle in Server.Run 53:40
            ref Field s.items in Server.Run 54:23
            ref Call it.Do/2 in Server.Run 54:34
            ref Value helper in Server.Run 54:37
            ref Field s.cache in Server.Run 55:16
            ref Call s.cache.Get/0 in Server.Run 55:22
            ref Call s.cache.Get().Put/1 in Server.Run 55:28
            ref Call exec.Command/2 in Server.Run 56:7
            ref Process git in Server.Run 56:15
            ref Call h.Do/1 in Server.Run 57:11
            ref Type Other in Other.Run 59:10
            ref Type testing.T in TestRun 61:25
            ref Call New/0 in TestRun 61:35
            ref Call s.Run/1 in TestRun 61:44
            import "fmt" "" as "fmt" in file
            import "net/http" "" as "http" in file
            import "gopkg.in/yaml.v3" "" as "yaml" in file
            import "embed" "" as "" in file
            import "github.com/x/go-redis/v9" "" as "redis" in file
            serves ANY /x by "s.handle" in Server.Run
            bind ErrX = Value fmt.Errorf() in file
            bind w = Type http.ResponseWriter in Handler.ServeHTTP
            bind r = Type *http.Request in Handler.ServeHTTP
            bind a = Type int in F
            bind s = Type *Server in Server.Run
            bind addr = Type string in Server.Run
            bind opts = Type []Option in Server.Run
            bind err = Type error in Server.Run
            bind l = Value net.Listen()#0 in Server.Run
            bind err = Value net.Listen()#1 in Server.Run
            bind h = Type Handler2 in Server.Run
            bind it = Value s.items#each in Server.Run
            bind o = Type *Other[T] in Other.Run
            bind x = Type T in Other.Run
            bind m = Type map[K]V in Map
            bind t = Type *testing.T in TestRun
            bind s = Value New() in TestRun
        "#]],
    );
}
