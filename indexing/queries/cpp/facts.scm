; In addition to the patterns of C.

; Symbols
(class_specifier name: (type_identifier) @name body: (_)) @symbol.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @symbol.class
(class_specifier name: (qualified_identifier scope: (_) @container name: (type_identifier) @name) body: (_)) @symbol.class
(class_specifier name: (qualified_identifier scope: (_) @container name: (template_type name: (type_identifier) @name)) body: (_)) @symbol.class
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_)) @symbol.struct
(struct_specifier name: (qualified_identifier scope: (_) @container name: (type_identifier) @name) body: (_)) @symbol.struct
(struct_specifier name: (qualified_identifier scope: (_) @container name: (template_type name: (type_identifier) @name)) body: (_)) @symbol.struct
(alias_declaration name: (type_identifier) @name type: (_) @type) @symbol.type
(concept_definition name: (identifier) @name) @symbol.type
(class_specifier body: (_)) @hook
(struct_specifier body: (_)) @hook
(union_specifier body: (_)) @hook
(namespace_definition) @hook
(preproc_def value: (preproc_arg) @hook)

; Type parameters
(type_parameter_declaration (type_identifier) @type.param)
(variadic_type_parameter_declaration (type_identifier) @type.param)
(optional_type_parameter_declaration name: (type_identifier) @type.param)

; Bases
(base_class_clause (type_identifier) @base.extends)
(base_class_clause (qualified_identifier) @base.extends)
(base_class_clause (template_type) @base.extends)

; References
(qualified_identifier name: (type_identifier)) @type.ref
(qualified_identifier name: (template_type)) @type.ref
(qualified_identifier name: (qualified_identifier name: (type_identifier))) @type.ref
(qualified_identifier name: (qualified_identifier name: (template_type))) @type.ref
(qualified_identifier name: (qualified_identifier name: (qualified_identifier name: (type_identifier)))) @type.ref
(new_expression type: (_) @construct arguments: (_) @args)
(new_expression type: (_) @construct !arguments)
(compound_literal_expression type: (type_identifier) @construct value: (_) @args)
(compound_literal_expression type: (qualified_identifier) @construct value: (_) @args)
(compound_literal_expression type: (template_type) @construct value: (_) @args)
(declaration type: (type_identifier) @construct declarator: (init_declarator value: (argument_list) @args))
(declaration type: (qualified_identifier) @construct declarator: (init_declarator value: (argument_list) @args))
(declaration type: (template_type) @construct declarator: (init_declarator value: (argument_list) @args))
(declaration type: (type_identifier) @construct declarator: (init_declarator value: (initializer_list) @args))
(declaration type: (qualified_identifier) @construct declarator: (init_declarator value: (initializer_list) @args))
(argument_list (qualified_identifier) @value.ref)
(argument_list (pointer_expression argument: (qualified_identifier) @value.ref))
(init_declarator value: (qualified_identifier) @value.ref)
(assignment_expression right: (qualified_identifier) @value.ref)
(return_statement (qualified_identifier) @value.ref)
(throw_statement (call_expression function: (_) @throw))
(throw_statement (identifier) @throw)

; Imports
(translation_unit (using_declaration) @import.tree)
(declaration_list (using_declaration) @import.tree)
(compound_statement (using_declaration) @import.tree)
(preproc_if (using_declaration) @import.tree)
(preproc_ifdef (using_declaration) @import.tree)
(namespace_alias_definition) @import.tree

; Bindings, which the dialect reads
(for_range_loop) @hook
(lambda_expression declarator: (abstract_function_declarator parameters: (parameter_list) @hook))
(catch_clause parameters: (parameter_list) @hook)
