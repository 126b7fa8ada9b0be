; Symbols
(function_definition declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params)) @symbol.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params))) @symbol.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params)))) @symbol.function
(declaration declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params)) @symbol.function
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params))) @symbol.function
(declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params)))) @symbol.function
(struct_specifier name: (type_identifier) @name body: (_)) @symbol.struct
(union_specifier name: (type_identifier) @name body: (_)) @symbol.union
(enum_specifier name: (type_identifier) @name body: (_)) @symbol.enum
(enumerator name: (identifier) @name) @symbol.enum_member
(type_definition type: (_) @type declarator: (type_identifier) @name) @symbol.type
(type_definition type: (_) @type declarator: (pointer_declarator declarator: (type_identifier) @name)) @symbol.type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @symbol.type
(field_declaration declarator: (field_identifier) @name) @symbol.field
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name)) @symbol.field
(field_declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))) @symbol.field
(field_declaration declarator: (array_declarator declarator: (field_identifier) @name)) @symbol.field
(field_declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))) @symbol.field
(translation_unit (declaration declarator: (identifier) @name) @symbol.variable)
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @symbol.variable)
(translation_unit (declaration declarator: (array_declarator declarator: (identifier) @name)) @symbol.variable)
(translation_unit (declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @symbol.variable)
(translation_unit (declaration declarator: (pointer_declarator declarator: (identifier) @name)) @symbol.variable)
(translation_unit (declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @symbol.variable)
(preproc_def name: (identifier) @name value: (_)) @symbol.constant
(preproc_function_def name: (identifier) @name parameters: (_) @params) @symbol.macro

; References
(call_expression function: (_) @call arguments: (_) @args)
(compound_literal_expression type: (type_descriptor type: (type_identifier) @construct))
(type_identifier) @type.ref
(field_expression) @field
(argument_list (identifier) @value.ref)
(argument_list (pointer_expression argument: (identifier) @value.ref))
(init_declarator value: (identifier) @value.ref)
(initializer_list (identifier) @value.ref)
(initializer_pair value: (identifier) @value.ref)
(assignment_expression right: (identifier) @value.ref)

; Imports
(preproc_include path: (string_literal (string_content) @import.path)) @import
(preproc_include path: (system_lib_string) @import.path) @import

; Bindings
(parameter_declaration type: (_) @binding.type declarator: (identifier) @binding.name)
(parameter_declaration type: (_) @binding.type declarator: (pointer_declarator declarator: (identifier) @binding.name))
(parameter_declaration type: (_) @binding.type declarator: (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @binding.name)))
(parameter_declaration type: (_) @binding.type declarator: (array_declarator declarator: (identifier) @binding.name))
(compound_statement (declaration type: (_) @binding.type declarator: (identifier) @binding.name))
(compound_statement (declaration type: (_) @binding.type declarator: (init_declarator declarator: (identifier) @binding.name)))
(compound_statement (declaration type: (_) @binding.type declarator: (pointer_declarator declarator: (identifier) @binding.name)))
(compound_statement (declaration type: (_) @binding.type declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @binding.name))))
(compound_statement (declaration type: (_) @binding.type declarator: (array_declarator declarator: (identifier) @binding.name)))
(for_statement initializer: (declaration type: (_) @binding.type declarator: (init_declarator declarator: (identifier) @binding.name)))
