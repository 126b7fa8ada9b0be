; Symbols
; Methods whose last expression creates an object return its type.
((method name: (_) @name body: (body_statement (call receiver: [(constant) (scope_resolution)] @type method: (identifier) @_new) .)) @symbol.method
  (#eq? @_new "new"))
((method name: (_) @name body: (body_statement (operator_assignment right: (call receiver: [(constant) (scope_resolution)] @type method: (identifier) @_new)) .)) @symbol.method
  (#eq? @_new "new"))
((method name: (_) @name body: (body_statement (assignment right: (call receiver: [(constant) (scope_resolution)] @type method: (identifier) @_new)) .)) @symbol.method
  (#eq? @_new "new"))
(method name: (_) @name body: (body_statement (self) @type .)) @symbol.method
((singleton_method name: (_) @name body: (body_statement (call receiver: [(constant) (scope_resolution)] @type method: (identifier) @_new) .)) @symbol.method
  (#eq? @_new "new"))
((singleton_method name: (_) @name body: (body_statement (operator_assignment right: (call receiver: [(constant) (scope_resolution)] @type method: (identifier) @_new)) .)) @symbol.method
  (#eq? @_new "new"))
(method name: (_) @name) @symbol.method
(singleton_method name: (_) @name) @symbol.method
(class name: (constant) @name) @symbol.class
(class name: (scope_resolution scope: (_) @container name: (constant) @name)) @symbol.class
(module name: (constant) @name) @symbol.module
(module name: (scope_resolution scope: (_) @container name: (constant) @name)) @symbol.module
(singleton_class) @container.scope
((assignment left: (constant) @name right: (call receiver: (constant) @_struct method: (identifier) @_new)) @symbol.struct
  (#any-of? @_struct "Struct" "Data") (#any-of? @_new "new" "define"))
((assignment left: (constant) @name right: (call receiver: (constant) @_class method: (identifier) @_new)) @symbol.class
  (#eq? @_class "Class") (#eq? @_new "new"))
(assignment left: (constant) @name) @symbol.constant
((call receiver: (constant) @_struct method: (identifier) @_new arguments: (argument_list (simple_symbol) @name @symbol.property))
  (#any-of? @_struct "Struct" "Data") (#any-of? @_new "new" "define"))
((call method: (identifier) @_attr arguments: (argument_list (simple_symbol) @name @symbol.property))
  (#any-of? @_attr "attr_accessor" "attr_reader" "attr_writer" "cattr_accessor" "mattr_accessor" "class_attribute" "thread_mattr_accessor"))
((call method: (identifier) @_define arguments: (argument_list . [(simple_symbol) (string)] @name)) @symbol.method
  (#any-of? @_define "define_method" "define_singleton_method" "alias_method"))
(alias name: (_) @name) @symbol.method
((call method: (identifier) @_it arguments: (argument_list . (string) @name) block: (_) @value) @symbol.function
  (#any-of? @_it "it" "test" "should" "specify" "scenario" "example") (#set! test))

; Bases
(class superclass: (superclass (_) @base.extends))
((assignment left: (constant) right: (call receiver: (constant) @_class method: (identifier) @_new arguments: (argument_list . [(constant) (scope_resolution)] @base.extends)))
  (#eq? @_class "Class") (#eq? @_new "new"))
((call !receiver method: (identifier) @_include arguments: (argument_list [(constant) (scope_resolution)] @base.embeds))
  (#any-of? @_include "include" "extend" "prepend"))

; References
((call method: (_) @_method arguments: (_) @args) @call (#not-eq? @_method "new"))
((call method: (_) @_method !arguments) @call (#not-eq? @_method "new"))
((call receiver: [(constant) (scope_resolution)] @construct method: (identifier) @_new arguments: (_) @args) (#eq? @_new "new"))
((call receiver: [(constant) (scope_resolution)] @construct method: (identifier) @_new !arguments) (#eq? @_new "new"))
(identifier) @call.bare
(super) @call
(constant) @value.ref
(scope_resolution) @value.ref
((call !receiver arguments: (argument_list (simple_symbol) @value.ref)))
((call !receiver arguments: (argument_list (pair key: (hash_key_symbol) @_key value: (simple_symbol) @value.ref))) (#any-of? @_key "if" "unless" "with"))
((call method: (identifier) @_method arguments: (argument_list . (simple_symbol) @value.ref)) (#any-of? @_method "method" "send" "public_send"))
((call method: (identifier) @_raise arguments: (argument_list . [(constant) (scope_resolution)] @throw)) (#any-of? @_raise "raise" "fail"))
((call method: (identifier) @_raise arguments: (argument_list . (call receiver: [(constant) (scope_resolution)] @throw))) (#any-of? @_raise "raise" "fail"))
(element_reference object: (constant) @env.object . (string) @env.key)
(subshell . (string_content) @process.name)

; Imports
((call !receiver method: (identifier) @_require arguments: (argument_list . (string) @import.path)) @import
  (#any-of? @_require "require" "require_relative" "load"))
((call method: (identifier) @_autoload arguments: (argument_list . (simple_symbol) @import.name . (string) @import.path)) @import
  (#eq? @_autoload "autoload"))

; Bindings
(assignment left: (identifier) @binding.name right: (_) @binding.value)
(assignment left: [(instance_variable) (class_variable)] @binding.member right: (_) @binding.value)
(operator_assignment left: (identifier) @binding.name right: (_) @binding.value)
(operator_assignment left: [(instance_variable) (class_variable)] @binding.member right: (_) @binding.value)
(left_assignment_list (identifier) @binding.name)
(method_parameters (identifier) @binding.name)
(block_parameters (identifier) @binding.name)
(lambda_parameters (identifier) @binding.name)
(destructured_parameter (identifier) @binding.name)
(optional_parameter name: (identifier) @binding.name)
(keyword_parameter name: (identifier) @binding.name)
(splat_parameter name: (identifier) @binding.name)
(hash_splat_parameter name: (identifier) @binding.name)
(block_parameter name: (identifier) @binding.name)
(for pattern: (identifier) @binding.name value: (in (_) @binding.element))
(exception_variable (identifier) @binding.name)
(rescue exceptions: (exceptions . [(constant) (scope_resolution)] @binding.type) variable: (exception_variable (identifier) @binding.name))

; Visibility
((identifier) @hook (#any-of? @hook "private" "protected" "public"))
(singleton_class) @hook
((call !receiver method: (identifier) @hook block: (_)) (#eq? @hook "class_methods"))
