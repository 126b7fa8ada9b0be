; Symbols
((decorated_definition
  (decorator [(identifier) @_property (attribute attribute: (identifier) @_property)])
  definition: (function_definition name: (identifier) @name) @symbol.property)
  (#any-of? @_property "property" "cached_property" "setter" "deleter" "hybrid_property"))
(function_definition name: (identifier) @name) @symbol.function
(class_definition name: (identifier) @name) @symbol.class
(assignment left: (identifier) @name) @symbol.variable
(assignment left: (pattern_list (identifier) @name)) @symbol.variable
(assignment left: (tuple_pattern (identifier) @name)) @symbol.variable
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @name) (#eq? @_self "self")) @symbol.member
(type_alias_statement left: (type (identifier) @name) right: (_) @type) @symbol.type

; Bases
(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @base.extends))

; References
(call function: (_) @call arguments: (_) @args)
(attribute) @field
(type) @type.expr
(decorator (_) @decorator)
(raise_statement . (_) @throw)
(argument_list (identifier) @value.ref)
(keyword_argument value: (identifier) @value.ref)
(subscript value: (attribute) @env.object subscript: (string) @env.key)
(except_clause value: (_) @type.expr)
((call function: (attribute attribute: (identifier) @_use) arguments: (argument_list (string) @fixture.name)) (#any-of? @_use "usefixtures" "getfixturevalue"))

; Imports
(import_statement name: (dotted_name) @import.path) @import
(import_statement name: (aliased_import name: (dotted_name) @import.path alias: (_) @import.alias)) @import
(import_from_statement module_name: (_) @import.path name: (dotted_name) @import.name) @import
(import_from_statement module_name: (_) @import.path name: (aliased_import name: (_) @import.name alias: (_) @import.alias)) @import
(import_from_statement module_name: (_) @import.path (wildcard_import) @import.name) @import

; Bindings
(parameters (identifier) @binding.name)
(lambda_parameters (identifier) @binding.name)
(typed_parameter . (identifier) @binding.name type: (_) @binding.type)
(typed_parameter . (_ (identifier) @binding.name))
(default_parameter name: (identifier) @binding.name)
(typed_default_parameter name: (identifier) @binding.name type: (_) @binding.type)
(parameters (_ . (identifier) @binding.name .))
(assignment left: (identifier) @binding.name type: (_) @binding.type)
(assignment left: (identifier) @binding.name !type right: (_) @binding.value)
(assignment left: (pattern_list (identifier) @binding.name))
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @binding.member) type: (_) @binding.type (#eq? @_self "self"))
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @binding.member) !type right: (_) @binding.value (#eq? @_self "self"))
(named_expression name: (identifier) @binding.name value: (_) @binding.value)
(for_statement left: (identifier) @binding.name right: (_) @binding.element)
(for_statement left: (pattern_list (identifier) @binding.name))
(for_in_clause left: (identifier) @binding.name right: (_) @binding.element)
(for_in_clause left: (pattern_list (identifier) @binding.name))
(with_item value: (as_pattern . (_) @binding.value alias: (as_pattern_target (identifier) @binding.name)))
(except_clause value: (as_pattern . [(identifier) (attribute)] @binding.type alias: (as_pattern_target (identifier) @binding.name)))
