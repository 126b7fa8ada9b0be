; What JavaScript and TypeScript share.

; Symbols
(function_declaration name: (identifier) @name) @symbol.function
(generator_function_declaration name: (identifier) @name) @symbol.function
(class_declaration name: (_) @name) @symbol.class
(export_statement "default" @name value: [(arrow_function) (function_expression) (generator_function)] @value) @symbol.function
(export_statement "default" @name value: (class) @value) @symbol.class
(export_statement "default" @name value: [(object) (call_expression) (new_expression) (array)] @value) @symbol.constant
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)] @value) @symbol.function
(variable_declarator name: (identifier) @name value: (class) @value) @symbol.class
(lexical_declaration "const" (variable_declarator name: (identifier) @name) @symbol.constant)
(program (lexical_declaration "const" (variable_declarator name: [
  (object_pattern [
    (shorthand_property_identifier_pattern) @name
    (pair_pattern value: (identifier) @name)
    (object_assignment_pattern left: (_) @name)
  ])
  (array_pattern (identifier) @name)
]) @symbol.constant))
(export_statement (lexical_declaration "const" (variable_declarator name: [
  (object_pattern [
    (shorthand_property_identifier_pattern) @name
    (pair_pattern value: (identifier) @name)
    (object_assignment_pattern left: (_) @name)
  ])
  (array_pattern (identifier) @name)
]) @symbol.constant))
(variable_declarator name: (identifier) @name) @symbol.variable
(method_definition ["get" "set"] name: (_) @name) @symbol.property
(method_definition name: (_) @name) @symbol.method
(pair key: [(property_identifier) (string)] @name value: [(arrow_function) (function_expression) (generator_function)] @value) @symbol.method
(function_expression name: (identifier) @name) @symbol.function
(class name: (_) @name) @symbol.class

((assignment_expression
  left: (member_expression object: (member_expression object: (identifier) @container property: (property_identifier) @_prototype) property: (property_identifier) @name)
  right: [(function_expression) (arrow_function) (generator_function)] @value) @symbol.method
  (#eq? @_prototype "prototype"))
; A second name of a method (`A.prototype.b = A.prototype.c`), and what is no function.
((assignment_expression
  left: (member_expression object: (member_expression object: (identifier) @container property: (property_identifier) @_prototype) property: (property_identifier) @name)
  right: (member_expression object: (member_expression property: (property_identifier) @_other))) @symbol.method
  (#eq? @_prototype "prototype") (#eq? @_other "prototype"))
((assignment_expression
  left: (member_expression object: (member_expression object: (identifier) @container property: (property_identifier) @_prototype) property: (property_identifier) @name)) @symbol.field
  (#eq? @_prototype "prototype"))
((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @name)
  right: [(function_expression) (arrow_function) (generator_function)] @value) @symbol.function
  (#any-of? @_exports "exports" "module.exports"))
((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @name)
  right: (class) @value) @symbol.class
  (#any-of? @_exports "exports" "module.exports"))
((assignment_expression
  left: (member_expression object: (identifier) @container property: (property_identifier) @name)
  right: [(function_expression) (arrow_function) (generator_function)] @value) @symbol.method
  (#not-any-of? @container "exports" "module"))
(assignment_expression left: (member_expression object: (this) property: [(property_identifier) (private_property_identifier)] @name)) @symbol.member

((call_expression
  function: [(identifier) @_call (member_expression object: (identifier) @_call)]
  arguments: (arguments . [(string) (template_string)] @name [(arrow_function) (function_expression)] @value)) @symbol.function
  (#any-of? @_call "it" "test" "specify") (#set! test))

; References
(call_expression function: (_) @call arguments: (_) @args)
(new_expression constructor: (_) @construct arguments: (_) @args)
(new_expression constructor: (_) @construct)
(member_expression) @field
(decorator (_) @decorator)
(throw_statement (new_expression constructor: (_) @throw))
(throw_statement [(identifier) (member_expression)] @throw)
(throw_statement (call_expression function: (_) @throw))
(arguments [(identifier) (member_expression)] @value.ref)
(pair value: (identifier) @value.ref)
(array (identifier) @value.ref)
(shorthand_property_identifier) @value.ref
(subscript_expression object: (member_expression) @env.object index: (string) @env.key)

; Imports
(import_statement (import_clause (identifier) @import.alias) source: (string) @import.path) @import
(import_statement (import_clause (namespace_import "*" @import.name (identifier) @import.alias)) source: (string) @import.path) @import
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name !alias))) source: (string) @import.path) @import
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name alias: (_) @import.alias))) source: (string) @import.path) @import
(import_statement . source: (string) @import.path) @import
(export_statement (export_clause (export_specifier name: (_) @import.name !alias)) source: (string) @import.path) @import.reexport
(export_statement (export_clause (export_specifier name: (_) @import.name alias: (_) @import.alias)) source: (string) @import.path) @import.reexport
(export_statement "*" @import.name source: (string) @import.path) @import.reexport
(export_statement (namespace_export "*" @import.name (_) @import.alias) source: (string) @import.path) @import.reexport
((variable_declarator name: (identifier) @import.alias
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path))) @import
  (#eq? @_require "require"))
((variable_declarator name: (identifier) @import.alias
  value: (member_expression object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path)) property: (property_identifier) @import.name)) @import
  (#eq? @_require "require"))
((variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @import.name)
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path))) @import
  (#eq? @_require "require"))
((variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @import.name value: (identifier) @import.alias))
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path))) @import
  (#eq? @_require "require"))
((expression_statement (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path))) @import
  (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string) @import.path)) @import

; Bindings
(arrow_function parameter: (identifier) @binding.name)
(variable_declarator name: (identifier) @binding.name value: (_) @binding.value)
(variable_declarator name: (identifier) @binding.name)
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @binding.name))
(variable_declarator name: (object_pattern (pair_pattern value: (identifier) @binding.name)))
(variable_declarator name: (array_pattern (identifier) @binding.name))
(for_in_statement left: (identifier) @binding.name right: (_) @binding.element)
(catch_clause parameter: (identifier) @binding.name)
(assignment_expression left: (member_expression object: (this) property: (property_identifier) @binding.member) right: (_) @binding.value)
(object_pattern (shorthand_property_identifier_pattern) @binding.name)
