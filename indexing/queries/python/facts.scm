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
(return_statement (identifier) @value.ref)
(yield (identifier) @value.ref)
(assignment right: (identifier) @value.ref)
(default_parameter value: (identifier) @value.ref)
(typed_default_parameter value: (identifier) @value.ref)
(pair value: (identifier) @value.ref)
(list (identifier) @value.ref)
; Exports of a module.
((assignment left: (identifier) @_all right: (_) @hook) (#eq? @_all "__all__"))
((augmented_assignment left: (identifier) @_all right: (_) @hook) (#eq? @_all "__all__"))
((call
  function: (attribute object: (identifier) @_all attribute: (identifier) @_adds)
  arguments: (argument_list (_) @hook))
  (#eq? @_all "__all__") (#any-of? @_adds "extend" "append" "insert"))
(tuple (identifier) @value.ref)
(set (identifier) @value.ref)
(expression_list (identifier) @value.ref)
(conditional_expression (identifier) @value.ref)
(boolean_operator (identifier) @value.ref)
(not_operator (identifier) @value.ref)
(comparison_operator (identifier) @value.ref)
(binary_operator (identifier) @value.ref)
(subscript (identifier) @value.ref)
(parenthesized_expression (identifier) @value.ref)
(interpolation (identifier) @value.ref)
(if_statement condition: (identifier) @value.ref)
(for_statement right: (identifier) @value.ref)
(for_in_clause right: (identifier) @value.ref)
(lambda body: (identifier) @value.ref)
(subscript value: [(attribute) (identifier)] @env.object subscript: (string) @env.key)
(comparison_operator . (string) @env.key ["in" "not in"] [(attribute) (identifier)] @env.object .)
(except_clause value: (_) @type.expr)
((call function: (attribute attribute: (identifier) @_use) arguments: (argument_list (string) @fixture.name)) (#any-of? @_use "usefixtures" "getfixturevalue"))

; Imports
(import_statement name: (dotted_name) @import.path) @import
(import_statement name: (aliased_import name: (dotted_name) @import.path alias: (_) @import.alias)) @import
(import_from_statement module_name: (_) @import.path name: (dotted_name) @import.name) @import
(import_from_statement module_name: (_) @import.path name: (aliased_import name: (_) @import.name alias: (_) @import.alias)) @import
(import_from_statement module_name: (_) @import.path (wildcard_import) @import.name) @import

; Values
(return_statement (_) @return)
(yield) @yield

; Bindings
(parameters (identifier) @binding.name)
(lambda_parameters (identifier) @binding.name)
(typed_parameter . (identifier) @binding.name type: (_) @binding.type)
((typed_parameter . (list_splat_pattern (identifier) @binding.name) type: (_) @binding.type) (#set! around "tuple[_, ...]"))
((typed_parameter . (dictionary_splat_pattern (identifier) @binding.name) type: (_) @binding.type) (#set! around "dict[str, _]"))
((parameters (list_splat_pattern (identifier) @binding.name)) (#set! type "tuple"))
((parameters (dictionary_splat_pattern (identifier) @binding.name)) (#set! type "dict"))
(default_parameter name: (identifier) @binding.name value: (_) @binding.value)
(typed_default_parameter name: (identifier) @binding.name type: (_) @binding.type)
(assignment left: (identifier) @binding.name type: (_) @binding.type)
(assignment left: (identifier) @binding.name !type right: (_) @binding.value)
((assignment left: (pattern_list (identifier) @binding.name)) (#set! value "right"))
((assignment left: (tuple_pattern (identifier) @binding.name)) (#set! value "right"))
((assignment left: (pattern_list (tuple_pattern (identifier) @binding.name))) (#set! value "right"))
(augmented_assignment left: (identifier) @binding.name)
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @binding.member) type: (_) @binding.type (#eq? @_self "self"))
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @binding.member) !type right: (_) @binding.value (#eq? @_self "self"))
(named_expression name: (identifier) @binding.name value: (_) @binding.value)
(for_statement left: (identifier) @binding.name right: (_) @binding.element)
((for_statement left: (pattern_list (identifier) @binding.name)) (#set! each "right"))
((for_statement left: (tuple_pattern (identifier) @binding.name)) (#set! each "right"))
((for_statement left: (pattern_list (tuple_pattern (identifier) @binding.name))) (#set! each "right"))
((for_in_clause left: (identifier) @binding.name right: (_) @binding.element) (#set! whole_block))
((for_in_clause left: (pattern_list (identifier) @binding.name)) (#set! each "right") (#set! whole_block))
((for_in_clause left: (tuple_pattern (identifier) @binding.name)) (#set! each "right") (#set! whole_block))
((for_in_clause left: (pattern_list (tuple_pattern (identifier) @binding.name))) (#set! each "right") (#set! whole_block))
(with_item value: (as_pattern . (_) @binding.entered alias: (as_pattern_target (identifier) @binding.name)))
(except_clause value: (as_pattern . (_) @binding.type alias: (as_pattern_target (identifier) @binding.name)))

; Bindings: narrowed types
(if_statement
  condition: (call function: (identifier) @_is arguments: (argument_list . (identifier) @binding.name . (_) @binding.type .))
  consequence: (_) @binding.block
  (#eq? @_is "isinstance"))
(if_statement
  condition: (boolean_operator left: (call function: (identifier) @_is arguments: (argument_list . (identifier) @binding.name . (_) @binding.type .)) operator: "and")
  consequence: (_) @binding.block
  (#eq? @_is "isinstance"))
(elif_clause
  condition: (call function: (identifier) @_is arguments: (argument_list . (identifier) @binding.name . (_) @binding.type .))
  consequence: (_) @binding.block
  (#eq? @_is "isinstance"))
((if_statement
  condition: (not_operator argument: (call function: (identifier) @_is arguments: (argument_list . (identifier) @binding.name . (_) @binding.type .)))
  consequence: (block [(return_statement) (raise_statement) (continue_statement) (break_statement)] .)) @binding.after
  (#eq? @_is "isinstance"))
((assert_statement
  (call function: (identifier) @_is arguments: (argument_list . (identifier) @binding.name . (_) @binding.type .))) @binding.after
  (#eq? @_is "isinstance"))
(case_clause (case_pattern (as_pattern (case_pattern (class_pattern (dotted_name) @binding.type)) (identifier) @binding.name)))

; Types that stand for tables: SQLAlchemy, Django, Peewee.
((assignment left: (identifier) @_table right: (string (string_content) @model.table)) (#any-of? @_table "__tablename__" "db_table" "table_name"))

; Topics given by name.
((keyword_argument name: (identifier) @_topic value: (string (string_content) @topic.name)) (#any-of? @_topic "topic" "queue" "routing_key"))
