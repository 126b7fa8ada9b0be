; Patterns for TypeScript only.

; Symbols
(abstract_class_declaration name: (_) @name) @symbol.class
(interface_declaration name: (_) @name) @symbol.interface
(type_alias_declaration name: (_) @name value: (_) @type) @symbol.type
(enum_declaration name: (_) @name) @symbol.enum
(program (lexical_declaration "const" (variable_declarator value: [(as_expression
  (object (pair key: [(property_identifier) (string)] @name
    value: [(call_expression) (new_expression) (object) (array) (string) (template_string) (number) (regex) (true) (false) (null)
      (unary_expression) (binary_expression)]) @symbol.field)) (satisfies_expression
  (object (pair key: [(property_identifier) (string)] @name
    value: [(call_expression) (new_expression) (object) (array) (string) (template_string) (number) (regex) (true) (false) (null)
      (unary_expression) (binary_expression)]) @symbol.field))])))
(program (export_statement (lexical_declaration "const" (variable_declarator value: [(as_expression
  (object (pair key: [(property_identifier) (string)] @name
    value: [(call_expression) (new_expression) (object) (array) (string) (template_string) (number) (regex) (true) (false) (null)
      (unary_expression) (binary_expression)]) @symbol.field)) (satisfies_expression
  (object (pair key: [(property_identifier) (string)] @name
    value: [(call_expression) (new_expression) (object) (array) (string) (template_string) (number) (regex) (true) (false) (null)
      (unary_expression) (binary_expression)]) @symbol.field))]))))
(enum_body [(property_identifier) (string)] @name @symbol.enum_member)
(enum_assignment name: (_) @name) @symbol.enum_member
(internal_module name: (_) @name) @symbol.module
(module name: (_) @name) @symbol.module
(function_signature name: (_) @name) @symbol.function
(method_signature name: (_) @name) @symbol.method
(abstract_method_signature name: (_) @name) @symbol.method
(property_signature name: (_) @name) @symbol.field
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)] @value) @symbol.method
(public_field_definition name: (_) @name) @symbol.field
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @symbol.member
(required_parameter "readonly" pattern: (identifier) @name) @symbol.member
(optional_parameter (accessibility_modifier) pattern: (identifier) @name) @symbol.member

; Bases
(class_heritage (extends_clause value: (_) @base.extends))
(class_heritage (implements_clause (_) @base.implements))
(interface_declaration (extends_type_clause type: (_) @base.extends))

; References
(type_identifier) @type.ref
(nested_type_identifier) @type.ref
(type_parameter name: (type_identifier) @type.param)
(type_parameter name: (type_identifier) @type.bounded constraint: (constraint (_) @type.bound))
(type_query [(identifier) (member_expression)] @value.ref)

; Imports and exports
(export_statement "default" declaration: (abstract_class_declaration name: (_) @import.name)) @import.reexport
(export_statement "=" (identifier) @import.name) @import.reexport
(import_statement (import_require_clause (identifier) @import.alias source: (string) @import.path)) @import

; Types that stand for tables: TypeORM, MikroORM.
((decorator (call_expression function: (identifier) @_entity arguments: (arguments . (string (string_fragment) @model.table)))) (#any-of? @_entity "Entity" "ViewEntity"))
