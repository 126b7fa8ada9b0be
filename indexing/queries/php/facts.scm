; Symbols
(class_declaration name: (name) @name) @symbol.class
(interface_declaration name: (name) @name) @symbol.interface
(trait_declaration name: (name) @name) @symbol.trait
(enum_declaration name: (name) @name) @symbol.enum
(enum_case name: (name) @name) @symbol.enum_member
(function_definition name: (name) @name) @symbol.function
((method_declaration name: (name) @name) @symbol.constructor (#eq? @name "__construct"))
(method_declaration name: (name) @name) @symbol.method
(property_declaration type: (_) @type (property_element name: (variable_name (name) @name)) @symbol.field)
(property_declaration (property_element name: (variable_name (name) @name)) @symbol.field)
(property_promotion_parameter name: (variable_name (name) @name)) @symbol.member
(const_declaration (const_element . (name) @name) @symbol.constant)
((function_call_expression function: (name) @_define arguments: (arguments . (argument (string (string_content) @name)))) @symbol.constant
  (#eq? @_define "define"))
(namespace_definition name: (_) @package)

; Members of anonymous classes are not members of the class around them
(anonymous_class body: (_) @container.scope (#set! body))

; Bases
(class_declaration (base_clause [(name) (qualified_name)] @base.extends))
(interface_declaration (base_clause [(name) (qualified_name)] @base.extends))
(class_declaration (class_interface_clause [(name) (qualified_name)] @base.implements))
(enum_declaration (class_interface_clause [(name) (qualified_name)] @base.implements))
(use_declaration [(name) (qualified_name)] @base.embeds)

; References
(function_call_expression function: (_) @call arguments: (_) @args)
(member_call_expression arguments: (_) @args) @call
(nullsafe_member_call_expression arguments: (_) @args) @call
(scoped_call_expression arguments: (_) @args) @call
(object_creation_expression . [(name) (qualified_name)] @construct (arguments) @args)
(object_creation_expression . [(name) (qualified_name)] @construct)
(named_type [(name) (qualified_name)] @type.ref)
(anonymous_class (base_clause [(name) (qualified_name)] @type.ref))
(anonymous_class (class_interface_clause [(name) (qualified_name)] @type.ref))
(binary_expression "instanceof" right: [(name) (qualified_name)] @type.ref)
((class_constant_access_expression . [(name) (qualified_name)] @type.ref (name) @_class .) (#eq? @_class "class"))
((class_constant_access_expression (name) @_class .) @field (#not-eq? @_class "class"))
(member_access_expression name: (name)) @field
(nullsafe_member_access_expression name: (name)) @field
(attribute [(name) (qualified_name)] @decorator)
(throw_expression (object_creation_expression . [(name) (qualified_name)] @throw))
(throw_expression (scoped_call_expression) @throw)
(throw_expression (member_call_expression) @throw)
; `callback(...)` and the array notation `[$this, 'method']` name a function as a value.
(array_creation_expression . (array_element_initializer [(variable_name) (class_constant_access_expression)]) . (array_element_initializer (string (string_content) @value.ref)) .)

; Imports
(namespace_use_declaration) @import.tree
(require_expression (string (string_content) @import.path)) @import
(require_once_expression (string (string_content) @import.path)) @import
(include_expression (string (string_content) @import.path)) @import
(include_once_expression (string (string_content) @import.path)) @import
(require_expression (binary_expression right: (string (string_content) @import.path))) @import
(require_once_expression (binary_expression right: (string (string_content) @import.path))) @import
(include_expression (binary_expression right: (string (string_content) @import.path))) @import
(include_once_expression (binary_expression right: (string (string_content) @import.path))) @import

; Environment
((subscript_expression . (variable_name) @_env (string) @env.name .) (#eq? @_env "$_ENV"))

; Bindings
(simple_parameter type: (_) @binding.type name: (variable_name) @binding.name)
(simple_parameter name: (variable_name) @binding.name)
(property_promotion_parameter type: (_) @binding.type name: (variable_name) @binding.name)
((variadic_parameter type: (_) @binding.type name: (variable_name) @binding.name) (#set! around "_[]"))
(variadic_parameter name: (variable_name) @binding.name)
(assignment_expression left: (variable_name) @binding.name right: (_) @binding.value)
((assignment_expression left: (member_access_expression object: (variable_name) @_this name: (name) @binding.member) right: (_) @binding.value) (#eq? @_this "$this"))
(foreach_statement . (_) @binding.element . (variable_name) @binding.name)
(foreach_statement . (_) @binding.element . (pair (_) (variable_name) @binding.name .))
(foreach_statement (pair . (variable_name) @binding.name))
(catch_clause type: (type_list . (_) @binding.type) name: (variable_name) @binding.name)
(static_variable_declaration name: (variable_name) @binding.name value: (_) @binding.value)
(return_statement (_) @return)
(arrow_function body: (_) @return)
