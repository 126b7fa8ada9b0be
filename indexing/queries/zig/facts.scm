; Symbols
(variable_declaration . (identifier) @name (struct_declaration) @body .) @symbol.struct
(variable_declaration . (identifier) @name (enum_declaration) @body .) @symbol.enum
(variable_declaration . (identifier) @name (union_declaration) @body .) @symbol.union
(variable_declaration . (identifier) @name (opaque_declaration) @body .) @symbol.struct
(variable_declaration . (identifier) @name (error_set_declaration) @body .) @symbol.enum
(error_set_declaration (identifier) @name @symbol.enum_member)
(enum_declaration (container_field name: (identifier) @name) @symbol.enum_member)
(enum_declaration (container_field . type: (identifier) @name) @symbol.enum_member)
(container_field name: (identifier) @name type: (_) @type) @symbol.field
(container_field name: (identifier) @name) @symbol.field
(function_declaration name: (identifier) @name (parameters) @params type: (error_union_type ok: (_) @type)) @symbol.function
(function_declaration name: (identifier) @name (parameters) @params type: (nullable_type (_) @type)) @symbol.function
(function_declaration name: (identifier) @name (parameters) @params) @symbol.function
; The result of a function that returns a type.
(function_declaration name: (identifier) @container.name body: (block (expression_statement (return_expression (struct_declaration) @container.scope))))
((variable_declaration "const" . (identifier) @name type: (_) @type) @symbol.constant)
((variable_declaration "const" . (identifier) @name (_) @value .) @symbol.constant)
(variable_declaration "var" . (identifier) @name type: (_) @type) @symbol.variable
(variable_declaration "var" . (identifier) @name (_) @value .) @symbol.variable
((test_declaration (string) @name (block) @body) @symbol.function (#set! test))
((test_declaration (identifier) @name (block) @body) @symbol.function (#set! test))

; References
(call_expression function: [(identifier) (call_expression)] @call)
(call_expression function: (field_expression object: (_)) @call)
(struct_initializer . [(identifier) (field_expression)] @construct)
(parameter type: (_) @type.expr)
(function_declaration type: (_) @type.expr)
(container_field type: (_) @type.expr)
(variable_declaration type: (_) @type.expr)
(field_expression object: (_)) @field
(call_expression function: (_) (identifier) @value.ref)

; Imports
((variable_declaration . (identifier) @import.alias (builtin_function (builtin_identifier) @_import (arguments (string (string_content) @import.path))) .) @import
  (#eq? @_import "@import"))
((variable_declaration . (identifier) @import.alias (field_expression object: (builtin_function (builtin_identifier) @_import (arguments (string (string_content) @import.path))) member: (identifier) @import.name) .) @import
  (#eq? @_import "@import"))
; The file itself is a type.
((source_file (variable_declaration . (identifier) @import.alias (builtin_function (builtin_identifier) @import.path) .) @import)
  (#eq? @import.path "@This"))
((using_namespace_declaration (builtin_function (builtin_identifier) @_import (arguments (string (string_content) @import.path)))) @import.reexport
  (#eq? @_import "@import"))

; Bindings
(parameter name: (identifier) @binding.name type: (_) @binding.type)
(variable_declaration . (identifier) @binding.name type: (_) @binding.type)
(variable_declaration . (identifier) @binding.name (_) @binding.value .)
(for_statement . (_) @binding.element . (payload . (identifier) @binding.name))
(if_statement condition: (_) @binding.value (payload . (identifier) @binding.name))
(while_statement condition: (_) @binding.value (payload . (identifier) @binding.name))
(payload (identifier) @binding.name)
