; Symbols
(contract_declaration name: (identifier) @name) @symbol.class
(function_definition name: (identifier) @name) @symbol.method
(event_definition name: (identifier) @name) @symbol.type
(state_variable_declaration name: (identifier) @name) @symbol.field

; Bases
(inheritance_specifier ancestor: (_) @base.extends)

; References
(call_expression function: (_) @call)
(emit_statement name: (_) @call)
(member_expression) @field

; Imports
(import_directive source: (string) @import.path) @import

; Bindings
(parameter type: (_) @binding.type name: (identifier) @binding.name)
(variable_declaration type: (_) @binding.type name: (identifier) @binding.name)
