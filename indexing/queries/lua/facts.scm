; Symbols
(function_declaration name: (identifier) @name) @symbol.function
(function_declaration name: (dot_index_expression table: (_) @container field: (identifier) @name)) @symbol.method
(function_declaration name: (method_index_expression table: (_) @container method: (identifier) @name)) @symbol.method
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name))) @symbol.variable)

; References
(function_call name: (_) @call arguments: (_) @args)
(arguments (identifier) @value.ref)
(dot_index_expression) @field

; Imports
((variable_declaration (assignment_statement
  (variable_list . name: (identifier) @import.alias)
  (expression_list . value: (function_call name: (identifier) @_require arguments: (arguments . (string) @import.path))))) @import
  (#eq? @_require "require"))

; Bindings
(parameters name: (identifier) @binding.name)
(variable_declaration (assignment_statement (variable_list name: (identifier) @binding.name)))
