; Symbols
(class_declaration name: (identifier) @name) @symbol.class
(struct_declaration name: (identifier) @name) @symbol.struct
(interface_declaration name: (identifier) @name) @symbol.interface
(enum_declaration name: (identifier) @name) @symbol.enum
(enum_member_declaration name: (identifier) @name) @symbol.enum_member
(record_declaration name: (identifier) @name) @symbol.record
(record_declaration (parameter_list (parameter name: (identifier) @name) @symbol.property))
; Parameters of a primary constructor are visible to the members, like fields.
(class_declaration (parameter_list (parameter name: (identifier) @name) @symbol.field))
(struct_declaration (parameter_list (parameter name: (identifier) @name) @symbol.field))
(delegate_declaration name: (identifier) @name) @symbol.type
(method_declaration name: (identifier) @name) @symbol.method
(local_function_statement name: (identifier) @name) @symbol.function
(constructor_declaration name: (identifier) @name) @symbol.constructor
(property_declaration name: (identifier) @name) @symbol.property
(event_declaration name: (identifier) @name) @symbol.property
(indexer_declaration "this" @name) @symbol.property
(operator_declaration "operator" @name) @symbol.method
(field_declaration (variable_declaration type: (_) @type (variable_declarator name: (identifier) @name) @symbol.field))
(event_field_declaration (variable_declaration type: (_) @type (variable_declarator name: (identifier) @name) @symbol.field))
(namespace_declaration name: (_) @name) @symbol.module
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)

; Bases: the syntax does not distinguish classes from interfaces
(base_list [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @base.extends)
(base_list (primary_constructor_base_type type: (_) @base.extends))

; References
(invocation_expression function: (_) @call arguments: (_) @args)
(invocation_expression function: (conditional_access_expression (member_binding_expression) @call) arguments: (_) @args)
(object_creation_expression type: (_) @construct arguments: (_) @args)
(object_creation_expression type: (_) @construct !arguments)
(constructor_initializer ["this" "base"] @call (argument_list) @args)
(parameter type: (_) @type.expr)
(parameter_list type: (_) @type.expr)
(variable_declaration type: (_) @type.expr)
(method_declaration returns: (_) @type.expr)
(local_function_statement type: (_) @type.expr)
(delegate_declaration type: (_) @type.expr)
(property_declaration type: (_) @type.expr)
(event_declaration type: (_) @type.expr)
(indexer_declaration type: (_) @type.expr)
(operator_declaration type: (_) @type.expr)
(cast_expression type: (_) @type.expr)
(as_expression right: (_) @type.expr)
(is_expression right: (_) @type.expr)
(typeof_expression type: (_) @type.expr)
(default_expression type: (_) @type.expr)
(array_creation_expression type: (_) @type.expr)
(type_argument_list (_) @type.expr)
(catch_declaration type: (_) @type.expr)
(declaration_pattern type: (_) @type.expr)
(recursive_pattern type: (_) @type.expr)
(declaration_expression type: (_) @type.expr)
(foreach_statement type: (_) @type.expr)
(type_parameter name: (identifier) @type.param)
(type_parameter_constraint type: (_) @type.expr)
(type_parameter_constraints_clause (identifier) @type.bounded (type_parameter_constraint type: (_) @type.bound))
(member_access_expression) @field
(conditional_access_expression (member_binding_expression) @field)
(attribute name: (_) @decorator)
(throw_statement (object_creation_expression type: (_) @throw))
(throw_expression (object_creation_expression type: (_) @throw))
(throw_statement [(identifier) (member_access_expression)] @throw)
(throw_statement (invocation_expression function: (_) @throw))
(throw_expression [(identifier) (member_access_expression)] @throw)
(throw_expression (invocation_expression function: (_) @throw))
((assignment_expression left: (identifier) @_file right: (string_literal) @process.name) (#eq? @_file "FileName"))
(argument (identifier) @value.ref)
; Methods that are used as delegates.
(assignment_expression right: (identifier) @value.ref)
(arrow_expression_clause (identifier) @value.ref)
(return_statement (identifier) @value.ref)
(initializer_expression (identifier) @value.ref)
(variable_declarator name: (_) (identifier) @value.ref .)

; Imports
(using_directive) @import.tree

; Bindings
(parameter type: (_) @binding.type name: (identifier) @binding.name)
; `params T[] xs` has no node of its own.
(parameter_list type: (_) @binding.type name: (identifier) @binding.name)
(variable_declaration type: (_) @binding.type (variable_declarator name: (identifier) @binding.name))
(variable_declarator name: (identifier) @binding.name (_) @binding.value .)
(foreach_statement type: (_) @binding.type left: (identifier) @binding.name)
(foreach_statement left: (identifier) @binding.name right: (_) @binding.element)
(catch_declaration type: (_) @binding.type name: (identifier) @binding.name)
(declaration_pattern type: (_) @binding.type name: (identifier) @binding.name)
(declaration_expression type: (_) @binding.type name: (identifier) @binding.name)
(implicit_parameter) @binding.name
; Parameters of function literals that a collection's method calls with its elements.
((invocation_expression function: (member_access_expression expression: (_) @binding.element name: (identifier) @_each) arguments: (argument_list . (argument (lambda_expression parameters: [(implicit_parameter) @binding.name (parameter_list . (parameter !type name: (identifier) @binding.name) .)]) @binding.block)))
  (#any-of? @_each "ForEach" "Where" "Select" "SelectMany" "Any" "All" "First" "FirstOrDefault" "Last" "LastOrDefault" "Single" "SingleOrDefault" "Count" "Sum" "Min" "Max" "Average" "MinBy" "MaxBy" "OrderBy" "OrderByDescending" "ThenBy" "ThenByDescending" "GroupBy" "DistinctBy" "ToDictionary" "ToLookup" "TakeWhile" "SkipWhile" "Find" "FindAll" "FindLast" "FindIndex" "Exists" "RemoveAll" "TrueForAll"))
((invocation_expression function: (member_access_expression expression: (_) @binding.element name: (identifier) @_try) arguments: (argument_list (argument (declaration_expression name: (identifier) @binding.name))))
  (#any-of? @_try "TryGetValue" "TryPeek" "TryDequeue" "TryPop" "TryTake"))
