; Symbols
(class_declaration declaration_kind: "class" name: (type_identifier) @name) @symbol.class
(class_declaration declaration_kind: "actor" name: (type_identifier) @name) @symbol.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @symbol.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @symbol.enum
((class_declaration declaration_kind: "extension" name: (_) @container.name) @container.scope (#set! qualified))
(protocol_declaration name: (type_identifier) @name) @symbol.interface
(typealias_declaration name: (type_identifier) @name (_) @type .) @symbol.type
(associatedtype_declaration name: (type_identifier) @name) @symbol.type
(enum_entry name: (simple_identifier) @name) @symbol.enum_member
(function_declaration name: [(simple_identifier) (custom_operator) "==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/"] @name) @symbol.function
(protocol_function_declaration name: [(simple_identifier) (custom_operator) "==" "<"] @name) @symbol.method
(init_declaration name: "init" @name) @symbol.constructor
(deinit_declaration "deinit" @name) @symbol.method
(subscript_declaration "subscript" @name) @symbol.method
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name) (type_annotation (_) @type) computed_value: (_) @body) @symbol.property
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name) (type_annotation (_) @type)) @symbol.variable
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @symbol.variable
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name) (type_annotation (_) @type)) @symbol.variable

; Variables of closures are not fields
((lambda_literal) @container.scope (#set! body))

; Bases
(class_declaration declaration_kind: "class" (inheritance_specifier inherits_from: (user_type) @base.extends))
(class_declaration declaration_kind: "actor" (inheritance_specifier inherits_from: (user_type) @base.extends))
(class_declaration declaration_kind: "struct" (inheritance_specifier inherits_from: (user_type) @base.implements))
(class_declaration declaration_kind: "enum" (inheritance_specifier inherits_from: (user_type) @base.implements))
(class_declaration declaration_kind: "extension" name: (_) @base.of (inheritance_specifier inherits_from: (user_type) @base.implements))
(protocol_declaration (inheritance_specifier inherits_from: (user_type) @base.extends))

; References. A closure after the arguments is one more argument.
(call_expression . (_) @call (call_suffix . (value_arguments "(") @args) @args.labeled)
(call_expression . (_) @call (call_suffix . (lambda_literal)) @args.labeled)
(constructor_expression constructed_type: (user_type (type_identifier) @construct) (constructor_suffix . (value_arguments) @args) @args.labeled)
(constructor_expression constructed_type: (user_type (type_identifier) @construct) (constructor_suffix . (lambda_literal)) @args.labeled)
(user_type (type_identifier) @type.ref)
(type_parameter (type_identifier) @type.param)
(navigation_expression) @field
(attribute (user_type (type_identifier) @decorator))
(control_transfer_statement (throw_keyword) (call_expression . (_) @throw))
(control_transfer_statement (throw_keyword) [(navigation_expression) (simple_identifier)] @throw)
(value_argument value: (simple_identifier) @value.ref)

; Imports
(import_declaration (identifier) @import.path) @import

; Bindings
(call_expression . (_) (call_suffix (lambda_literal))) @hook
(call_expression . (_) (call_suffix (value_arguments (value_argument value: (lambda_literal))))) @hook
(parameter name: (simple_identifier) @binding.name [(user_type) (optional_type) (array_type) (dictionary_type) (tuple_type) (function_type) (existential_type) (opaque_type) (protocol_composition_type)] @binding.type)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @binding.name) (type_annotation (_) @binding.type))
(property_declaration name: (pattern bound_identifier: (simple_identifier) @binding.name) value: (_) @binding.value)
(lambda_parameter name: (simple_identifier) @binding.name [(user_type) (optional_type) (array_type) (dictionary_type) (tuple_type) (function_type) (existential_type) (opaque_type) (protocol_composition_type)] @binding.type)
(lambda_parameter name: (simple_identifier) @binding.name)
(for_statement item: (pattern bound_identifier: (simple_identifier) @binding.name) collection: (_) @binding.element)
(assignment target: (directly_assignable_expression (navigation_expression target: (self_expression) suffix: (navigation_suffix suffix: (simple_identifier) @binding.member))) result: (_) @binding.value)
(if_statement bound_identifier: (simple_identifier) @binding.name . [(simple_identifier) (call_expression) (navigation_expression) (as_expression) (try_expression) (await_expression)] @binding.value)
(if_statement bound_identifier: (simple_identifier) @binding.name . (user_type) @binding.type)
(guard_statement bound_identifier: (simple_identifier) @binding.name . [(simple_identifier) (call_expression) (navigation_expression) (as_expression) (try_expression) (await_expression)] @binding.value)
(catch_block error: (pattern (pattern bound_identifier: (simple_identifier) @binding.name) (user_type) @binding.type))
(catch_block error: (pattern bound_identifier: (simple_identifier) @binding.name))
(control_transfer_statement result: (_) @return)
