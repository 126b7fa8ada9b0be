; Symbols
(class_declaration name: (identifier) @name) @symbol.class
(class_declaration (mixin_application_class . (identifier) @name)) @symbol.class
(mixin_declaration name: (identifier) @name) @symbol.trait
(extension_declaration name: (identifier) @name) @symbol.class
(extension_declaration !name class: (_) @container.name) @container.scope
(extension_type_declaration name: (extension_type_name (identifier) @name)) @symbol.class
(enum_declaration name: (identifier) @name) @symbol.enum
(enum_entry name: (identifier) @name) @symbol.enum_member
(type_alias . (type_identifier) @name (type) @type) @symbol.type
(type_alias . (type) . (type_identifier) @name) @symbol.type
(type_alias . (type_identifier) @name . (formal_parameter_list)) @symbol.type
((call_expression function: (identifier) @_test arguments: (arguments . (string_literal) @name (function_expression) @value)) @symbol.function
  (#any-of? @_test "test" "testWidgets" "testWithGame") (#set! test))
((call_expression function: (identifier) @_test arguments: (arguments . (string_literal) @name)) @symbol.function
  (#any-of? @_test "blocTest") (#set! test))
(function_declaration signature: (function_signature return_type: (_) @type name: (identifier) @name parameters: (formal_parameter_list) @params)) @symbol.function
(function_declaration signature: (function_signature name: (identifier) @name parameters: (formal_parameter_list) @params)) @symbol.function
(external_function_declaration signature: (function_signature name: (identifier) @name parameters: (formal_parameter_list) @params)) @symbol.function
(getter_declaration signature: (getter_signature return_type: (_) @type name: (identifier) @name)) @symbol.property
(getter_declaration signature: (getter_signature name: (identifier) @name)) @symbol.property
(setter_declaration signature: (setter_signature name: (identifier) @name)) @symbol.property
(local_function_declaration (function_signature name: (identifier) @name parameters: (formal_parameter_list) @params) (function_body) @body) @symbol.function
(method_declaration signature: (method_signature (function_signature return_type: (_) @type name: (identifier) @name parameters: (formal_parameter_list) @params))) @symbol.method
(method_declaration signature: (method_signature (function_signature name: (identifier) @name parameters: (formal_parameter_list) @params))) @symbol.method
(method_declaration signature: (method_signature (getter_signature return_type: (_) @type name: (identifier) @name))) @symbol.property
(method_declaration signature: (method_signature (getter_signature name: (identifier) @name))) @symbol.property
(method_declaration signature: (method_signature (setter_signature name: (identifier) @name))) @symbol.property
(method_declaration signature: (method_signature (operator_signature return_type: (_) @type operator: (binary_operator) @name parameters: (_) @params))) @symbol.method
(method_declaration signature: (method_signature (operator_signature operator: (binary_operator) @name parameters: (_) @params))) @symbol.method
(method_declaration signature: (method_signature (operator_signature operator: ["[]" "[]=" "~"] @name parameters: (_) @params))) @symbol.method
(method_declaration signature: (method_signature [
  (constructor_signature . name: (identifier) @name . parameters: (_) @params)
  (constructor_signature . name: (identifier) . name: (identifier) @name . parameters: (_) @params)
  (factory_constructor_signature . name: (identifier) @name . parameters: (_) @params)
  (factory_constructor_signature . name: (identifier) . name: (identifier) @name . parameters: (_) @params)])) @symbol.constructor
(declaration [
  (constructor_signature . name: (identifier) @name . parameters: (_) @params)
  (constructor_signature . name: (identifier) . name: (identifier) @name . parameters: (_) @params)
  (constant_constructor_signature . name: (identifier) @name . parameters: (_) @params)
  (constant_constructor_signature . name: (identifier) . name: (identifier) @name . parameters: (_) @params)
  (factory_constructor_signature . name: (identifier) . name: (identifier) @name . parameters: (_) @params)
  (redirecting_factory_constructor_signature . name: (identifier) @name . parameters: (_) @params)
  (redirecting_factory_constructor_signature . name: (identifier) . name: (identifier) @name . parameters: (_) @params)]) @symbol.constructor
(declaration (function_signature return_type: (_) @type name: (identifier) @name parameters: (formal_parameter_list) @params)) @symbol.method
(declaration (function_signature name: (identifier) @name parameters: (formal_parameter_list) @params)) @symbol.method
(declaration (getter_signature return_type: (_) @type name: (identifier) @name)) @symbol.property
(declaration [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)]) @symbol.property
(declaration (operator_signature operator: (binary_operator) @name parameters: (_) @params)) @symbol.method
(declaration (type) @type (initialized_identifier_list (initialized_identifier name: (identifier) @name))) @symbol.field
(declaration (initialized_identifier_list (initialized_identifier name: (identifier) @name value: (_) @value))) @symbol.field
(declaration (initialized_identifier_list (initialized_identifier name: (identifier) @name))) @symbol.field
(declaration (type) @type (static_final_declaration_list (static_final_declaration name: (identifier) @name))) @symbol.field
(declaration (static_final_declaration_list (static_final_declaration name: (identifier) @name value: (_) @value))) @symbol.field
(declaration (type) @type (identifier_list (identifier) @name)) @symbol.field
(top_level_variable_declaration (type) @type (static_final_declaration_list (static_final_declaration name: (identifier) @name))) @symbol.constant
(top_level_variable_declaration (static_final_declaration_list (static_final_declaration name: (identifier) @name value: (_) @value))) @symbol.constant
(top_level_variable_declaration (type) @type (initialized_identifier_list (initialized_identifier name: (identifier) @name))) @symbol.variable
(top_level_variable_declaration (initialized_identifier_list (initialized_identifier name: (identifier) @name value: (_) @value))) @symbol.variable
(top_level_variable_declaration (initialized_identifier_list (initialized_identifier name: (identifier) @name))) @symbol.variable

; Bases
(superclass type: (_) @base.extends)
(mixins (type) @base.embeds)
(interfaces (type) @base.implements)
(mixin_declaration (type) @base.extends)
; An extension sees the members of the type that it extends.
(extension_declaration name: (identifier) class: (type) @base.extends)

; References
(call_expression function: (_) @call arguments: (_) @args)
(cascade_call_expression property: (identifier) arguments: (_) @args) @call
(initializer_list_entry "super" @call . (arguments) @args)
(new_expression type: (_) @construct arguments: (_) @args)
(const_object_expression type: (_) @construct arguments: (_) @args)
(constructor_invocation type: (_) @construct arguments: (_) @args)
(redirecting_factory_constructor_signature target: (_) @construct)
(type_identifier) @type.ref
(type_parameter name: (type_identifier) @type.param)
(type_parameter name: (type_identifier) @type.bounded bound: (_) @type.bound)
(annotation name: (identifier) @decorator)
(throw_expression value: (_) @throw)
(member_expression) @field
(null_aware_member_expression) @field
(arguments (identifier) @value.ref)
(arguments (member_expression) @value.ref)
(named_argument (label) (identifier) @value.ref)

; Imports
(import_specification) @import.tree
(library_export) @import.tree
(part_directive) @import.tree
(part_of_directive) @import.tree

; Bindings
(formal_parameter (type) @binding.type name: (identifier) @binding.name)
(formal_parameter name: (identifier) @binding.name)
(formal_parameter . (identifier) @binding.name .)
(initialized_variable_declaration (type) @binding.type name: (identifier) @binding.name)
(initialized_variable_declaration name: (identifier) @binding.name value: (_) @binding.value)
(initialized_variable_declaration name: (identifier) @binding.name)
(for_statement (type) @binding.type name: (identifier) @binding.name)
(for_statement name: (identifier) @binding.name value: (_) @binding.element)
(catch_clause exception: (identifier) @binding.name)
