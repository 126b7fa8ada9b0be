; The patterns of interfaces (../ocaml_interface) apply too.

; Symbols
(compilation_unit (value_definition (let_binding pattern: (value_name) @name (parameter)) @symbol.function))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)]) @symbol.function))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @symbol.variable))
(compilation_unit (value_definition (let_binding pattern: (tuple_pattern (value_name) @name @symbol.variable))))
(structure (value_definition (let_binding pattern: (value_name) @name (parameter)) @symbol.function))
(structure (value_definition (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)]) @symbol.function))
(structure (value_definition (let_binding pattern: (value_name) @name) @symbol.variable))
((value_definition (attribute_id) (let_binding pattern: (string) @name)) @symbol.function (#set! test))
(module_binding . (module_name) @name body: (structure) @body) @symbol.module
(module_binding . (module_name) @name body: (module_application)) @symbol.module
(method_definition (method_name) @name) @symbol.method
(instance_variable_definition (instance_variable_name) @name) @symbol.field

; Bases
(module_binding module_type: (module_type_constraint module_type: (module_type_path) @base.implements))
(module_binding module_type: (module_type_path) @base.implements)

; References
(application_expression function: (value_path) @call)
(application_expression function: (constructor_path) @construct)
(infix_expression operator: (rel_operator) @_op right: (value_path) @call (#any-of? @_op "|>"))
(infix_expression left: (value_path) @call operator: (concat_operator) @_op (#eq? @_op "@@"))
(method_invocation (method_name) @call)
(value_path) @value.ref
(constructor_path) @value.ref
((application_expression function: (value_path) @_raise argument: (parenthesized_expression expression: (application_expression function: (constructor_path) @throw)))
  (#any-of? @_raise "raise" "raise_notrace"))
((application_expression function: (value_path) @_raise argument: (constructor_path) @throw) (#any-of? @_raise "raise" "raise_notrace"))

; Imports
(local_open_expression . (module_path) @import.path) @import

; Bindings
(value_pattern) @binding.name
(let_expression (value_definition (let_binding pattern: (value_name) @binding.name)))
