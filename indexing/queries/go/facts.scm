; Symbols
(function_declaration name: (identifier) @name) @symbol.function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @container)) name: (field_identifier) @name) @symbol.method
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @symbol.struct
(type_spec name: (type_identifier) @name type: (interface_type) @body) @symbol.interface
((type_spec name: (type_identifier) @name type: (_) @type) @symbol.type (#set! defined))
(type_alias name: (type_identifier) @name type: (_) @type) @symbol.type
(method_elem name: (field_identifier) @name) @symbol.method
(field_declaration name: (field_identifier) @name) @symbol.field
(const_spec (identifier) @name) @symbol.constant
(var_spec name: (identifier) @name) @symbol.variable

(package_clause (package_identifier) @package)

; Bases: embedded structs and interfaces
(field_declaration !name type: (_) @base.embeds)
(interface_type (type_elem . [(type_identifier) (qualified_type) (generic_type)] @base.embeds .))

; References
(call_expression function: (_) @call arguments: (_) @args)
(composite_literal type: [(type_identifier) (qualified_type) (generic_type)] @construct)
(type_identifier) @type.ref
(qualified_type) @type.ref
(type_parameter_declaration name: (identifier) @type.param)
((method_declaration receiver: (parameter_list (parameter_declaration type: (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @type.param)))))) (#set! outermost))
((method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @type.param))))))) (#set! outermost))
(selector_expression) @field
(argument_list (identifier) @value.ref)
(literal_element (identifier) @value.ref)
(expression_list (identifier) @value.ref)
(send_statement value: (identifier) @value.ref)
(unary_expression operand: (identifier) @value.ref)
(binary_expression (identifier) @value.ref)
(index_expression (identifier) @value.ref)
(parenthesized_expression (identifier) @value.ref)
((call_expression function: (identifier) @throw arguments: (_) @_args) (#eq? @throw "panic") (#not-match? @_args "^[(]&?[A-Za-z_][A-Za-z0-9_.]*[{]"))
((call_expression function: (identifier) @_panic arguments: (argument_list . [
  (composite_literal type: (_) @throw)
  (unary_expression operand: (composite_literal type: (_) @throw))])) (#eq? @_panic "panic"))
((return_statement (expression_list [(identifier) (selector_expression)] @throw)) (#match? @throw "(^|[.])([Ee]rr[A-Z]|EOF$)"))
((return_statement (expression_list [
  (composite_literal type: (_) @throw)
  (unary_expression operand: (composite_literal type: (_) @throw))])) (#match? @throw "Err(or)?$"))
((return_statement (expression_list (call_expression function: (selector_expression) @throw))) (#any-of? @throw "errors.New" "fmt.Errorf" "errors.Errorf" "errors.Wrap" "errors.Wrapf"))

; Imports
(import_spec !name path: (_) @import.path) @import
(import_spec name: (_) @import.alias path: (_) @import.path) @import

; Bindings
(parameter_declaration name: (identifier) @binding.name type: (_) @binding.type)
((variadic_parameter_declaration name: (identifier) @binding.name type: (_) @binding.type) (#set! around "[]_"))
((short_var_declaration left: (expression_list (identifier) @binding.name)) (#set! value "right"))
(var_spec name: (identifier) @binding.name type: (_) @binding.type)
((var_spec name: (identifier) @binding.name !type) (#set! value "value"))
(var_spec name: (identifier) @binding.name)
(const_spec (identifier) @binding.name)
((range_clause left: (expression_list (_) . (identifier) @binding.name) right: (_) @binding.element) (#set! alone))
(range_clause left: (expression_list . (identifier) @binding.name) right: (_) @binding.key)
(receive_statement left: (expression_list . (identifier) @binding.name) right: (_) @binding.value)
(receive_statement left: (expression_list (identifier) @binding.name))
(type_switch_statement alias: (expression_list (identifier) @binding.name) value: (_) @binding.value)
(type_switch_statement alias: (expression_list (identifier) @binding.name) (type_case . type: (_) @binding.type . (statement_list)) @binding.block)

; Topics given by name.
((keyed_element key: (literal_element (identifier) @_topic) value: (literal_element (interpreted_string_literal (interpreted_string_literal_content) @topic.name))) (#any-of? @_topic "Topic" "Queue"))
