; What TypeScript adds.

; Symbols
(abstract_class_declaration name: (_) @name) @symbol.class
(interface_declaration name: (_) @name) @symbol.interface
(type_alias_declaration name: (_) @name value: (_) @type) @symbol.type
(enum_declaration name: (_) @name) @symbol.enum
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
(optional_parameter (accessibility_modifier) pattern: (identifier) @name) @symbol.member

; Bases
(class_heritage (extends_clause value: (_) @base.extends))
(class_heritage (implements_clause (_) @base.implements))
(interface_declaration (extends_type_clause type: (_) @base.extends))

; References
(type_identifier) @type.ref
(nested_type_identifier) @type.ref
(type_parameter name: (type_identifier) @type.param)
(type_query [(identifier) (member_expression)] @value.ref)

; Imports
(import_statement (import_require_clause (identifier) @import.alias source: (string) @import.path)) @import

; Bindings
(required_parameter pattern: (identifier) @binding.name type: (type_annotation (_) @binding.type))
(required_parameter pattern: (identifier) @binding.name)
(optional_parameter pattern: (identifier) @binding.name type: (type_annotation (_) @binding.type))
(optional_parameter pattern: (identifier) @binding.name)
(required_parameter (accessibility_modifier) pattern: (identifier) @binding.member type: (type_annotation (_) @binding.type))
(variable_declarator name: (identifier) @binding.name type: (type_annotation (_) @binding.type))
