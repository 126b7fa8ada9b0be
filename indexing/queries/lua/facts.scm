; Symbols
; A method that returns a table with a metatable returns a value of the table that is the metatable.
((function_declaration name: (method_index_expression table: (_) @container method: (identifier) @name)
  body: (block (return_statement (expression_list . (function_call name: (identifier) @_meta arguments: (arguments (_) . (identifier) @type)))))) @symbol.method
  (#eq? @_meta "setmetatable"))
((function_declaration name: (dot_index_expression table: (_) @container field: (identifier) @name)
  body: (block (return_statement (expression_list . (function_call name: (identifier) @_meta arguments: (arguments (_) . (identifier) @type)))))) @symbol.method
  (#eq? @_meta "setmetatable"))
(function_declaration name: (identifier) @name) @symbol.function
(function_declaration name: (dot_index_expression table: (_) @container field: (identifier) @name)) @symbol.method
(function_declaration name: (method_index_expression table: (_) @container method: (identifier) @name)) @symbol.method
(chunk (assignment_statement (variable_list . name: (dot_index_expression table: (_) @container field: (identifier) @name)) (expression_list . value: (function_definition) @value)) @symbol.method)
(chunk (assignment_statement (variable_list . name: (dot_index_expression table: (identifier) @container field: (identifier) @name))) @symbol.field)
(chunk (assignment_statement (variable_list . name: (identifier) @name) (expression_list . value: (function_definition) @value)) @symbol.function)
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name) (expression_list . value: (function_definition) @value))) @symbol.function)
; A table with functions is a class; the dialect turns the others into variables.
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name) (expression_list . value: (table_constructor)))) @symbol.class)
((chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name) (expression_list . value: (function_call name: (_) @_make)))) @symbol.class)
  (#match? @_make "^(setmetatable|class|.*[.:](extend|subclass|derive))$"))
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name))) @symbol.variable)
(chunk (variable_declaration (variable_list name: (identifier) @name)) @symbol.variable)
(chunk (assignment_statement (variable_list . name: (identifier) @name) (expression_list . value: (table_constructor))) @symbol.class)
(chunk (assignment_statement (variable_list . name: (identifier) @name)) @symbol.variable)
; Functions in the table of a variable or of the returned value.
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @container) (expression_list . value: (table_constructor (field name: (identifier) @name value: (function_definition) @value) @symbol.method)))))
(chunk (return_statement (expression_list . (table_constructor (field name: (identifier) @name value: (function_definition) @value) @symbol.function))))
((function_call name: (identifier) @_it arguments: (arguments . (string) @name . (function_definition) @value)) @symbol.function
  (#any-of? @_it "it" "test" "specify") (#set! test))

; The table that the file returns
(chunk (return_statement (expression_list . (identifier) @package .)))

; Bases
((chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @base.of) (expression_list . value: (function_call name: [(method_index_expression table: (identifier) @base.extends method: (identifier) @_extend) (dot_index_expression table: (identifier) @base.extends field: (identifier) @_extend)])))))
  (#any-of? @_extend "extend" "subclass" "derive" "new"))

; References
(function_call name: (_) @call arguments: (_) @args)
(arguments (identifier) @value.ref)
(arguments (dot_index_expression) @value.ref)
(dot_index_expression) @field
(field name: (identifier) value: (identifier) @value.ref)

; Imports
((variable_declaration (assignment_statement
  (variable_list . name: (identifier) @import.alias)
  (expression_list . value: (function_call name: (identifier) @_require arguments: (arguments . (string) @import.path))))) @import
  (#eq? @_require "require"))
((variable_declaration (assignment_statement
  (variable_list . name: (identifier) @import.alias)
  (expression_list . value: (dot_index_expression table: (function_call name: (identifier) @_require arguments: (arguments . (string) @import.path)) field: (identifier) @import.name)))) @import
  (#eq? @_require "require"))
((variable_declaration (assignment_statement (expression_list . value: (function_call name: (identifier) @_require) @import.tree))) (#eq? @_require "require"))
((dot_index_expression table: (function_call name: (identifier) @_require) @import.tree) (#eq? @_require "require"))
((method_index_expression table: (function_call name: (identifier) @_require) @import.tree) (#eq? @_require "require"))

; Bindings
(parameters name: (identifier) @binding.name)
(variable_declaration (assignment_statement (variable_list . name: (identifier) @binding.name) (expression_list . value: (_) @binding.value)))
(variable_declaration (assignment_statement (variable_list name: (identifier) @binding.name)))
(variable_declaration (variable_list name: (identifier) @binding.name))
(for_generic_clause (variable_list name: (identifier) @binding.name))
(for_numeric_clause name: (identifier) @binding.name)
(block (function_declaration "local" name: (identifier) @binding.name))
