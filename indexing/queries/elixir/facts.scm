; Symbols
; Everything is a call: `defmodule A do`, `def f(x) do`, and `@doc "..."`.
((call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body) @symbol.module (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body) @symbol.interface (#eq? @_def "defprotocol"))
((call target: (identifier) @_def (arguments . (alias) @container (keywords . (pair value: (alias) @name))) (do_block) @body) @symbol.class (#eq? @_def "defimpl"))
((call target: (identifier) @_test (arguments . (string) @name) (do_block) @body) @symbol.function (#any-of? @_test "test" "property") (#set! test))
((call target: (identifier) @_def (arguments . (call target: (identifier) @name (arguments) @params)) (do_block) @body) @symbol.function
  (#any-of? @_def "def" "defp" "defn" "defnp"))
((call target: (identifier) @_def (arguments . (binary_operator left: (call target: (identifier) @name (arguments) @params) operator: "when")) (do_block) @body) @symbol.function
  (#any-of? @_def "def" "defp" "defn" "defnp"))
((call target: (identifier) @_def (arguments . (call target: (identifier) @name (arguments) @params))) @symbol.function
  (#any-of? @_def "def" "defp" "defdelegate"))
((call target: (identifier) @_def (arguments . (binary_operator left: (call target: (identifier) @name (arguments) @params) operator: "when"))) @symbol.function
  (#any-of? @_def "def" "defp"))
((call target: (identifier) @_def (arguments . (identifier) @name) (do_block) @body) @symbol.function (#any-of? @_def "def" "defp"))
((call target: (identifier) @_def (arguments . (identifier) @name)) @symbol.function (#any-of? @_def "def" "defp" "defdelegate"))
((call target: (identifier) @_def (arguments . (call target: (identifier) @name (arguments) @params)) (do_block) @body) @symbol.macro
  (#any-of? @_def "defmacro" "defmacrop"))
((call target: (identifier) @_def (arguments . (binary_operator left: (call target: (identifier) @name (arguments) @params) operator: "when"))) @symbol.macro
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp"))
((call target: (identifier) @_def (arguments . (call target: (identifier) @name (arguments) @params))) @symbol.macro
  (#any-of? @_def "defmacro" "defmacrop"))
((call target: (identifier) @_def (arguments . (identifier) @name)) @symbol.macro (#any-of? @_def "defmacro" "defmacrop"))
((call target: (identifier) @_def (arguments . (list (atom) @name @symbol.field))) (#any-of? @_def "defstruct" "defexception"))
((call target: (identifier) @_def (arguments . (list (keywords (pair key: (keyword) @name) @symbol.field)))) (#any-of? @_def "defstruct" "defexception"))
((call target: (identifier) @_def (arguments . (keywords (pair key: (keyword) @name) @symbol.field))) (#any-of? @_def "defstruct" "defexception"))
((call target: (identifier) @_def (arguments . (atom) @name)) @symbol.macro (#any-of? @_def "defrecord" "defrecordp"))
((call target: (dot right: (identifier) @_def) (arguments . (atom) @name)) @symbol.macro (#any-of? @_def "defrecord" "defrecordp"))
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute (arguments . (binary_operator left: (call target: (identifier) @name (arguments) @params))))) @symbol.function
  (#any-of? @_attribute "callback" "macrocallback"))
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute (arguments . (binary_operator left: [(identifier) @name (call target: (identifier) @name)])))) @symbol.type
  (#any-of? @_attribute "type" "typep" "opaque"))
((unary_operator operator: "@" operand: (call target: (identifier) @name (arguments))) @symbol.constant
  (#not-any-of? @name "doc" "moduledoc" "typedoc" "spec" "type" "typep" "opaque" "callback" "macrocallback" "behaviour" "impl" "dialyzer" "derive" "enforce_keys" "optional_callbacks" "tag" "moduletag" "describetag" "deprecated" "external_resource" "before_compile" "after_compile" "compile" "on_load" "on_definition"))

; Bases
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute (arguments . (alias) @base.implements))) (#eq? @_attribute "behaviour"))
((call target: (identifier) @_def (arguments . (alias) @base.implements (keywords)) (do_block)) (#eq? @_def "defimpl"))

; References
(call target: (identifier) @call (arguments) @args)
(call target: (dot right: (identifier)) @call (arguments) @args)
(call target: (dot left: (alias) right: (identifier)) @call .)
(call target: (identifier) @call . (do_block))
((binary_operator operator: "|>" right: (call target: [(identifier) (dot)] @call (arguments) @args)) (#set! piped))
((binary_operator operator: "|>" right: (call target: (dot) @call .)) (#set! piped))
((binary_operator operator: "|>" right: (identifier) @call) (#set! piped))
(unary_operator operator: "&" operand: (binary_operator left: [(identifier) (call)] @value.ref operator: "/"))
(map (struct (alias) @construct))
(alias) @type.ref
((call target: (identifier) @_raise (arguments . (alias) @throw)) (#any-of? @_raise "raise" "reraise"))
(unary_operator operator: "@" operand: (identifier) @value.ref)

; Imports
((call target: (identifier) @_import (arguments . (_))) @import.tree (#any-of? @_import "alias" "import" "use" "require"))

; Module attributes: documentation, and specifications, whose calls are types
(unary_operator operator: "@" operand: (call target: (identifier) (arguments))) @hook
