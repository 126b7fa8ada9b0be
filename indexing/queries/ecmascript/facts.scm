; Patterns of both JavaScript and TypeScript.

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
; Members of constant objects at the top level of a file, such as names of errors, states or settings.
(program (lexical_declaration "const" (variable_declarator value:
  (object (pair key: [(property_identifier) (string)] @name
    value: [(call_expression) (new_expression) (object) (array) (string) (template_string) (number) (regex) (true) (false) (null)
      (unary_expression) (binary_expression)]) @symbol.field))))
((program (lexical_declaration "const" (variable_declarator value:
  (call_expression function: (member_expression) @_freeze
    arguments: (arguments . (object (pair key: [(property_identifier) (string)] @name
    value: [(call_expression) (new_expression) (object) (array) (string) (template_string) (number) (regex) (true) (false) (null)
      (unary_expression) (binary_expression)]) @symbol.field))))))
  (#eq? @_freeze "Object.freeze"))
((program (export_statement (lexical_declaration "const" (variable_declarator value:
  (call_expression function: (member_expression) @_freeze
    arguments: (arguments . (object (pair key: [(property_identifier) (string)] @name
    value: [(call_expression) (new_expression) (object) (array) (string) (template_string) (number) (regex) (true) (false) (null)
      (unary_expression) (binary_expression)]) @symbol.field)))))))
  (#eq? @_freeze "Object.freeze"))
(program (export_statement (lexical_declaration "const" (variable_declarator value:
  (object (pair key: [(property_identifier) (string)] @name
    value: [(call_expression) (new_expression) (object) (array) (string) (template_string) (number) (regex) (true) (false) (null)
      (unary_expression) (binary_expression)]) @symbol.field)))))
(program (export_statement "default" value:
  (object (pair key: [(property_identifier) (string)] @name
    value: [(call_expression) (new_expression) (object) (array) (string) (template_string) (number) (regex) (true) (false) (null)
      (unary_expression) (binary_expression)]) @symbol.field)))
; Keys of an exported object are members of the exports, and no names of the file.
((program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @container) right:
  (object (pair key: [(property_identifier) (string)] @name
    value: [(call_expression) (new_expression) (object) (array) (string) (template_string) (number) (regex) (true) (false) (null)
      (unary_expression) (binary_expression)]) @symbol.field))))
  (#eq? @_module "module") (#eq? @container "exports"))
; Keys of other assigned objects, if the target is a symbol.
((program (expression_statement (assignment_expression
  left: (member_expression object: (_) @_exports) right:
  (object (pair key: [(property_identifier) (string)] @name
    value: [(call_expression) (new_expression) (object) (array) (string) (template_string) (number) (regex) (true) (false) (null)
      (unary_expression) (binary_expression)]) @symbol.field))))
  (#any-of? @_exports "exports" "module.exports"))
((program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_type) right:
  (object (pair key: [(property_identifier) (string)] @name
    value: [(call_expression) (new_expression) (object) (array) (string) (template_string) (number) (regex) (true) (false) (null)
      (unary_expression) (binary_expression)]) @symbol.field))))
  (#match? @_type "^[A-Z]"))

((assignment_expression
  left: (member_expression object: (member_expression object: (identifier) @container property: (property_identifier) @_prototype) property: (property_identifier) @name)
  right: [(function_expression) (arrow_function) (generator_function)] @value) @symbol.method
  (#eq? @_prototype "prototype"))
; Aliases of methods (`A.prototype.b = A.prototype.c`), and members that are no functions.
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
  (#not-any-of? @container "exports" "module") (#set! static))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @name)
  right: [(function_expression !name) (arrow_function) (generator_function)] @value) @symbol.function
  (#eq? @_module "module") (#eq? @name "exports"))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @name)
  right: (class !name) @value) @symbol.class
  (#eq? @_module "module") (#eq? @name "exports"))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @name)
  right: [(new_expression) (call_expression) (member_expression)] @value) @symbol.variable
  (#eq? @_module "module") (#eq? @name "exports"))
((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @name)
  right: [(call_expression) (new_expression) (object) (array) (string) (template_string) (number) (regex)] @value) @symbol.variable
  (#any-of? @_exports "exports" "module.exports"))

((assignment_expression
  left: (member_expression object: (identifier) @container property: (property_identifier) @name)
  right: [(identifier) (member_expression) (call_expression) (new_expression) (object)] @value) @symbol.field
  (#match? @container "^[A-Z]") (#not-eq? @name "prototype") (#set! static))

; Declarations in a static block of a class are no members of the class.
((class_static_block) @container.scope (#set! body))
; Members of a function or object that are declared outside it.
((assignment_expression
  left: (member_expression object: (identifier) @container.name property: (property_identifier) @_prototype)
  right: (object)) @container.scope
  (#eq? @_prototype "prototype"))
((call_expression
  function: (member_expression object: (identifier) @_object property: (property_identifier) @_assign)
  arguments: (arguments . (identifier) @container.name (object))) @container.scope
  (#eq? @_object "Object") (#eq? @_assign "assign") (#set! static))
((call_expression
  function: (member_expression object: (identifier) @_object property: (property_identifier) @_assign)
  arguments: (arguments . (member_expression object: (identifier) @container.name property: (property_identifier) @_prototype) (object))) @container.scope
  (#eq? @_object "Object") (#eq? @_assign "assign") (#eq? @_prototype "prototype"))
(assignment_expression left: (member_expression object: (this) property: [(property_identifier) (private_property_identifier)] @name)) @symbol.member

((call_expression
  function: [
    (identifier) @_call
    (member_expression object: (identifier) @_call)
    (member_expression object: (member_expression object: (identifier) @_call))
    (member_expression property: (property_identifier) @_call)
    (call_expression function: (member_expression object: (identifier) @_call))
    (call_expression function: (member_expression object: (member_expression object: (identifier) @_call)))]
  arguments: (arguments . [(string) (template_string)] @name [(arrow_function) (function_expression)] @value)) @symbol.function
  (#any-of? @_call "it" "test" "specify" "xit" "fit" "xtest") (#set! test))

; Bases without a class.
((call_expression
  function: [(identifier) @_inherits (member_expression property: (property_identifier) @_inherits)]
  arguments: (arguments . (identifier) @base.of . [(identifier) (member_expression)] @base.extends))
  (#eq? @_inherits "inherits"))
((assignment_expression
  left: (member_expression object: (identifier) @base.of property: (property_identifier) @_prototype)
  right: (call_expression function: (member_expression) @_create
    arguments: (arguments . (member_expression object: (_) @base.extends))))
  (#eq? @_prototype "prototype") (#eq? @_create "Object.create"))
((call_expression function: (member_expression) @_set
  arguments: (arguments . (member_expression object: (identifier) @base.of) . (member_expression object: (_) @base.extends)))
  (#eq? @_set "Object.setPrototypeOf"))

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
(ternary_expression consequence: (identifier) @value.ref)
(ternary_expression alternative: (identifier) @value.ref)
(binary_expression left: (identifier) @value.ref operator: ["??" "||" "&&"])
(binary_expression operator: ["??" "||" "&&"] right: (identifier) @value.ref)
(return_statement (identifier) @value.ref)
(subscript_expression object: [(member_expression) (identifier)] @env.object index: (string) @env.key)
(binary_expression left: (string) @env.key operator: "in" right: [(member_expression) (identifier)] @env.object)
(variable_declarator name: (object_pattern [
  (shorthand_property_identifier_pattern) @env.key
  (object_assignment_pattern left: (_) @env.key)
  (pair_pattern key: (property_identifier) @env.key)
]) value: [(member_expression) (identifier)] @env.object)

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
((variable_declarator name: (identifier) @import.alias
  value: (await_expression (call_expression function: (import) arguments: (arguments . (string) @import.path)))) @import)
((variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @import.name)
  value: (await_expression (call_expression function: (import) arguments: (arguments . (string) @import.path)))) @import)

; Exports of local names.
(export_statement "default" declaration: (function_declaration name: (_) @import.name)) @import.reexport
(export_statement "default" declaration: (generator_function_declaration name: (_) @import.name)) @import.reexport
(export_statement "default" declaration: (class_declaration name: (_) @import.name)) @import.reexport
(export_statement "default" value: (identifier) @import.name) @import.reexport
(export_statement !source (export_clause (export_specifier name: (_) @import.name !alias))) @import.reexport
(export_statement !source (export_clause (export_specifier name: (_) @import.name alias: (_) @import.alias))) @import.reexport
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [(identifier) @import.name
    (function_expression name: (identifier) @import.name)
    (class name: (_) @import.name)
    (assignment_expression left: (identifier) @import.name)
    (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path))]) @import.reexport
  (#eq? @_module "module") (#eq? @_exports "exports") (#eq? @_require "require"))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @import.name)
  right: [(function_expression !name) (arrow_function) (generator_function) (class !name) (new_expression)
    (call_expression) (member_expression)]) @import.reexport
  (#eq? @_module "module") (#eq? @import.name "exports"))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object (shorthand_property_identifier) @import.name @import.alias)) @import.reexport
  (#eq? @_module "module") (#eq? @_exports "exports"))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object (pair key: [(property_identifier) (string)] @import.alias value: (identifier) @import.name))) @import.reexport
  (#eq? @_module "module") (#eq? @_exports "exports"))
((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @import.alias)
  right: (identifier) @import.name) @import.reexport
  (#any-of? @_exports "exports" "module.exports"))
((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @import.alias)
  right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path))) @import.reexport
  (#any-of? @_exports "exports" "module.exports") (#eq? @_require "require"))
((variable_declarator name: (identifier) @import.name
  value: (assignment_expression left: (member_expression) @_exports) @import.reexport)
  (#eq? @_exports "module.exports"))
((variable_declarator name: (identifier) @import.name
  value: (assignment_expression right: (assignment_expression left: (member_expression) @_exports) @import.reexport))
  (#eq? @_exports "module.exports"))

; Rust code binds local names, because queries cannot express blocks, patterns and expected types of functions.
(program) @hook

; Bindings: narrowed types
(if_statement
  condition: (parenthesized_expression (binary_expression left: (identifier) @binding.name operator: "instanceof" right: (_) @binding.type))
  consequence: (_) @binding.block)
(if_statement
  condition: (parenthesized_expression (binary_expression
    left: (binary_expression left: (identifier) @binding.name operator: "instanceof" right: (_) @binding.type) operator: "&&"))
  consequence: (_) @binding.block)
((if_statement
  condition: (parenthesized_expression (unary_expression operator: "!" argument: (parenthesized_expression
    (binary_expression left: (identifier) @binding.name operator: "instanceof" right: (_) @binding.type))))
  consequence: [(return_statement) (throw_statement) (continue_statement) (break_statement)]) @binding.after)
((if_statement
  condition: (parenthesized_expression (unary_expression operator: "!" argument: (parenthesized_expression
    (binary_expression left: (identifier) @binding.name operator: "instanceof" right: (_) @binding.type))))
  consequence: (statement_block [(return_statement) (throw_statement) (continue_statement) (break_statement)] .)) @binding.after)

; Topics given by name.
((pair key: (property_identifier) @_topic value: (string (string_fragment) @topic.name)) (#any-of? @_topic "topic" "queue"))
