; Symbols
(class_declaration "interface" name: (identifier) @name) @symbol.interface
(class_declaration name: (identifier) @name (enum_class_body)) @symbol.enum
(class_declaration name: (identifier) @name) @symbol.class
(object_declaration name: (identifier) @name) @symbol.class
; The grammar reads `annotation class A` after an annotation as an infix call.
((infix_expression . (identifier) . (identifier) @_class . (identifier) @name .) @symbol.class (#eq? @_class "class"))
(type_alias type: (identifier) @name [(user_type) (nullable_type) (function_type) (parenthesized_type)] @type) @symbol.type
(enum_entry (identifier) @name) @symbol.enum_member
(function_declaration [(user_type) (nullable_type)] @container . name: (identifier) @name (function_value_parameters) . [(user_type) (nullable_type) (function_type) (parenthesized_type) (non_nullable_type)] @type) @symbol.function
(function_declaration [(user_type) (nullable_type)] @container . name: (identifier) @name) @symbol.function
(function_declaration name: (identifier) @name (function_value_parameters) . [(user_type) (nullable_type) (function_type) (parenthesized_type) (non_nullable_type)] @type) @symbol.function
(function_declaration name: (identifier) @name) @symbol.function
((call_expression . (call_expression . (identifier) @_test (value_arguments . (value_argument (string_literal) @name))) (annotated_lambda) @value) @symbol.function
  (#any-of? @_test "test" "it" "should" "scenario") (#set! test))
(secondary_constructor "constructor" @name) @symbol.constructor
; Parameters of a primary constructor are visible in initializers, like fields.
(class_parameter (identifier) @name . [(user_type) (nullable_type) (function_type) (parenthesized_type) (non_nullable_type)] @type) @symbol.field
; A property with a getter contains statements.
(property_declaration [(user_type) (nullable_type)] @container . (variable_declaration (identifier) @name . (_) @type) (getter (function_body))) @symbol.property
(property_declaration [(user_type) (nullable_type)] @container . (variable_declaration (identifier) @name) (getter (function_body))) @symbol.property
(property_declaration [(user_type) (nullable_type)] @container . (variable_declaration (identifier) @name . (_) @type)) @symbol.field
(property_declaration [(user_type) (nullable_type)] @container . (variable_declaration (identifier) @name)) @symbol.field
(property_declaration (variable_declaration (identifier) @name . (_) @type) (getter (function_body))) @symbol.property
(property_declaration (variable_declaration (identifier) @name) (getter (function_body))) @symbol.property
(property_declaration (variable_declaration (identifier) @name . (_) @type)) @symbol.variable
(property_declaration (variable_declaration (identifier) @name)) @symbol.variable
(property_declaration (multi_variable_declaration (variable_declaration (identifier) @name) @symbol.variable))
(package_header (qualified_identifier) @package)

; Variables of statements are not fields
((anonymous_initializer) @container.scope (#set! body))
((lambda_literal) @container.scope (#set! body))

; Bases
(class_declaration (delegation_specifiers (delegation_specifier (constructor_invocation . (user_type) @base.extends))))
(class_declaration (delegation_specifiers (delegation_specifier (user_type) @base.implements)))
(class_declaration (delegation_specifiers (delegation_specifier (explicit_delegation . (user_type) @base.implements))))
(object_declaration (delegation_specifiers (delegation_specifier (constructor_invocation . (user_type) @base.extends))))
(object_declaration (delegation_specifiers (delegation_specifier (user_type) @base.implements)))
(object_declaration (delegation_specifiers (delegation_specifier (explicit_delegation . (user_type) @base.implements))))

; References. A lambda after the arguments is one more argument.
(call_expression . (_) @call (value_arguments) @args .)
(call_expression . (_) @call (annotated_lambda))
(constructor_delegation_call ["this" "super"] @call (value_arguments) @args)
(user_type . (identifier) @type.ref)
(type_parameter (identifier) @type.param)
(type_parameter (identifier) @type.bounded . [(user_type) (nullable_type)] @type.bound)
(navigation_expression) @field
(annotation (user_type . (identifier) @decorator))
(annotation (constructor_invocation . (user_type . (identifier) @decorator)))
(throw_expression (call_expression . (_) @throw))
(throw_expression [(identifier) (navigation_expression)] @throw)
(callable_reference . (identifier) @value.ref .)
(callable_reference (_) . (identifier) @value.token .)
(value_argument . (identifier) @value.ref .)

; Imports
(import) @import.tree

; Bindings
(parameter . (identifier) @binding.name . (_) @binding.type)
(property_declaration (variable_declaration (identifier) @binding.name . (_) @binding.type))
(property_declaration (variable_declaration (identifier) @binding.name) . (_) @binding.value)
(multi_variable_declaration (variable_declaration (identifier) @binding.name))
(for_statement (variable_declaration (identifier) @binding.name . (_) @binding.type))
(for_statement (variable_declaration (identifier) @binding.name) . (_) @binding.element)
(lambda_parameters (variable_declaration (identifier) @binding.name . (_) @binding.type))
(lambda_parameters (variable_declaration (identifier) @binding.name))
(catch_block (identifier) @binding.name . (_) @binding.type)
(when_subject (variable_declaration (identifier) @binding.name) . (_) @binding.value)
(return_expression (_) @return)
(function_body "=" (_) @return)
