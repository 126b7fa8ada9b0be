; Symbols
(class_definition name: (identifier) @name) @symbol.class
(object_definition name: (identifier) @name) @symbol.class
(trait_definition name: (identifier) @name) @symbol.trait
(enum_definition name: (identifier) @name) @symbol.enum
(simple_enum_case name: (identifier) @name) @symbol.enum_member
(full_enum_case name: (identifier) @name) @symbol.enum_member
(extension_definition parameters: (parameters . (parameter type: (_) @container)) body: (function_definition name: [(identifier) (operator_identifier)] @name) @symbol.method)
(function_definition name: [(identifier) (operator_identifier)] @name) @symbol.function
(function_declaration name: [(identifier) (operator_identifier)] @name) @symbol.function
(val_definition pattern: (identifier) @name) @symbol.variable
(var_definition pattern: (identifier) @name) @symbol.variable
(val_definition pattern: (identifiers (identifier) @name) @symbol.variable)
(var_definition pattern: (identifiers (identifier) @name) @symbol.variable)
(val_declaration name: (identifier) @name) @symbol.variable
(var_declaration name: (identifier) @name) @symbol.variable
(class_parameter name: (identifier) @name) @symbol.field
(type_definition name: (type_identifier) @name type: (_) @type) @symbol.type
(type_definition name: (type_identifier) @name) @symbol.type
(given_definition name: (identifier) @name) @symbol.variable
((call_expression function: (call_expression function: (identifier) @_test arguments: (arguments . (string) @name)) arguments: (block) @value) @symbol.function
  (#any-of? @_test "test" "it" "property" "testAsync") (#set! test))
(package_clause name: (_) @package)
(package_object name: (_) @package)

; Variables of statements are not fields
((block) @container.scope (#set! body))
((indented_block) @container.scope (#set! body))
((case_clause) @container.scope (#set! body))

; Bases
(class_definition extend: (extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @base.extends))
(object_definition extend: (extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @base.extends))
(trait_definition extend: (extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @base.extends))
(enum_definition extend: (extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @base.extends))
(class_definition extend: (extends_clause (compound_type [(type_identifier) (generic_type) (stable_type_identifier)] @base.extends)))
(object_definition extend: (extends_clause (compound_type [(type_identifier) (generic_type) (stable_type_identifier)] @base.extends)))
(trait_definition extend: (extends_clause (compound_type [(type_identifier) (generic_type) (stable_type_identifier)] @base.extends)))
(class_definition extend: (extends_clause (applied_constructor_type . [(type_identifier) (generic_type) (stable_type_identifier)] @base.extends)))
(object_definition extend: (extends_clause (applied_constructor_type . [(type_identifier) (generic_type) (stable_type_identifier)] @base.extends)))
(class_definition extend: (extends_clause (compound_type (applied_constructor_type . [(type_identifier) (generic_type) (stable_type_identifier)] @base.extends))))
(object_definition extend: (extends_clause (compound_type (applied_constructor_type . [(type_identifier) (generic_type) (stable_type_identifier)] @base.extends))))

; References
(call_expression function: (_) @call arguments: (arguments) @args)
(call_expression function: (_) @call)
(infix_expression operator: [(identifier) (operator_identifier)]) @call
(instance_expression . [(type_identifier) (generic_type) (stable_type_identifier)] @construct arguments: (_) @args)
(instance_expression . [(type_identifier) (generic_type) (stable_type_identifier)] @construct)
(instance_expression (applied_constructor_type . [(type_identifier) (generic_type) (stable_type_identifier)] @construct (arguments) @args))
(type_identifier) @type.ref
(case_class_pattern (type_identifier) @type.ref)
(type_parameters (identifier) @type.param)
(covariant_type_parameter name: (identifier) @type.param)
(contravariant_type_parameter name: (identifier) @type.param)
(field_expression) @field
(annotation name: (_) @decorator)
(throw_expression (instance_expression . [(type_identifier) (generic_type) (stable_type_identifier)] @throw))
(throw_expression (call_expression function: (_) @throw))
(arguments (identifier) @value.ref)

; Imports
(import_declaration) @import.tree

; Bindings
(parameter name: (identifier) @binding.name type: (_) @binding.type)
(val_definition pattern: (identifier) @binding.name type: (_) @binding.type)
(var_definition pattern: (identifier) @binding.name type: (_) @binding.type)
(val_definition pattern: (identifier) @binding.name value: (_) @binding.value)
(var_definition pattern: (identifier) @binding.name value: (_) @binding.value)
(binding name: (identifier) @binding.name type: (_) @binding.type)
(binding name: (identifier) @binding.name)
(lambda_expression parameters: (identifier) @binding.name)
(typed_pattern pattern: (identifier) @binding.name type: (_) @binding.type)
(enumerator . (identifier) @binding.name . (_) @binding.element)
(case_class_pattern (identifier) @binding.name)
(tuple_pattern (identifier) @binding.name)
(capture_pattern name: (identifier) @binding.name)
(case_clause pattern: (identifier) @binding.name)
(function_definition body: [(call_expression) (identifier) (field_expression) (instance_expression)] @return)
(return_expression (_) @return)
