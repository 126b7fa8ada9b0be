; Symbols
(function_item name: (identifier) @name) @symbol.function
(function_signature_item name: (identifier) @name) @symbol.function
(struct_item name: (type_identifier) @name body: (ordered_field_declaration_list) @type) @symbol.struct
(struct_item name: (type_identifier) @name) @symbol.struct
(union_item name: (type_identifier) @name) @symbol.union
(enum_item name: (type_identifier) @name) @symbol.enum
(enum_variant name: (identifier) @name body: (ordered_field_declaration_list) @type) @symbol.enum_member
(enum_variant name: (identifier) @name) @symbol.enum_member
(trait_item name: (type_identifier) @name) @symbol.trait
(type_item name: (type_identifier) @name type: (_) @type) @symbol.type
(associated_type name: (type_identifier) @name) @symbol.type
(mod_item name: (identifier) @name body: (_)) @symbol.module
(const_item name: (identifier) @name) @symbol.constant
(static_item name: (identifier) @name) @symbol.variable
(macro_definition name: (identifier) @name . (macro_rule) @body) @symbol.macro
(macro_definition name: (identifier) @name) @symbol.macro
(field_declaration name: (field_identifier) @name) @symbol.field
(impl_item !trait type: (_) @container.name) @container.scope
((impl_item trait: (_) type: (_) @container.name) @container.scope (#set! public))

; Bases
(impl_item trait: (_) @base.implements type: (_) @base.of)
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @base.extends))

; References
(call_expression function: (_) @call arguments: (_) @args)
((macro_invocation macro: (_) @call) (#set! macro))
((token_tree (identifier) @call.token . "!" . (token_tree) @args) (#set! macro))
(token_tree (identifier) @call.token . (token_tree) @args)
(struct_expression name: (_) @construct)
(type_identifier) @type.ref
(scoped_type_identifier) @type.ref
(type_parameter name: (type_identifier) @type.param)
(type_parameter name: (type_identifier) @type.bounded bounds: (_) @type.bound)
(where_predicate left: (type_identifier) @type.bounded bounds: (_) @type.bound)
(field_expression) @field
(scoped_identifier) @field
(arguments [(identifier) (scoped_identifier)] @value.ref)
(attribute_item (attribute . [(identifier) (scoped_identifier)] @decorator))
((attribute . (identifier) @_derive arguments: (token_tree (identifier) @decorator)) (#eq? @_derive "derive"))
((macro_invocation macro: [(identifier) (scoped_identifier)] @throw)
  (#any-of? @throw "panic" "todo" "unimplemented" "unreachable" "bail" "ensure" "anyhow::bail" "anyhow::ensure" "eyre::bail" "eyre::ensure"))
((call_expression function: (identifier) @_err arguments: (arguments . [
  (scoped_identifier) @throw
  (call_expression function: (scoped_identifier) @throw)
  (struct_expression name: (_) @throw)])) (#eq? @_err "Err"))
((call_expression function: (identifier) @_err arguments: (arguments . (identifier) @throw)) (#eq? @_err "Err") (#match? @throw "^[A-Z]"))
((macro_invocation macro: (identifier) @_env (token_tree . (string_literal) @env.name)) (#any-of? @_env "env" "option_env"))

; Imports
(use_declaration) @import.tree
(mod_item !body) @hook
(extern_crate_declaration name: (identifier) @import.path !alias) @import
(extern_crate_declaration name: (identifier) @import.path alias: (identifier) @import.alias) @import

; Bindings
(parameter pattern: (identifier) @binding.name type: (_) @binding.type)
(parameter pattern: (mut_pattern (identifier) @binding.name) type: (_) @binding.type)
(closure_parameters) @hook
(let_declaration pattern: (identifier) @binding.name type: (_) @binding.type)
(let_declaration pattern: (identifier) @binding.name value: (_) @binding.value)
(let_declaration pattern: (tuple_pattern (identifier) @binding.name))
(tuple_struct_pattern) @hook
(struct_pattern) @hook
((token_tree (identifier) @binding.name . ":" . (identifier) @binding.type) (#match? @binding.type "^[A-Z]"))
(for_expression pattern: (identifier) @binding.name value: (_) @binding.element)
(for_expression pattern: (tuple_pattern) @hook)
(macro_definition) @hook
