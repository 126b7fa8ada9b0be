; In addition to the patterns of C.
(class_interface) @hook
(class_implementation) @hook
(protocol_declaration) @hook
(method_declaration) @hook
(method_definition) @hook
(property_declaration) @hook
(instance_variable) @hook
(message_expression) @hook
(block_literal (parameter_list) @hook)
(module_import . path: (identifier) @import.path) @import
(method_type (type_name (type_identifier) @type.ref))
