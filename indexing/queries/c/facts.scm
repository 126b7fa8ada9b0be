; Shared with C++ and Objective-C.

; Declarations, whose declarators the dialect reads
(function_definition) @hook
(declaration) @hook
(field_declaration) @hook
(type_definition) @hook
(attribute_specifier) @hook

; Symbols
(struct_specifier name: (type_identifier) @name body: (_)) @symbol.struct
(union_specifier name: (type_identifier) @name body: (_)) @symbol.union
(enum_specifier name: (type_identifier) @name body: (_)) @symbol.enum
(enumerator name: (identifier) @name) @symbol.enum_member
(preproc_def name: (identifier) @name value: (_)) @symbol.constant
(preproc_function_def name: (identifier) @name parameters: (_) @params) @symbol.macro

; References
(call_expression function: (_) @call arguments: (_) @args)
(compound_literal_expression type: (type_descriptor type: (type_identifier) @construct) value: (_))
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
