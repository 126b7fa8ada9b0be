; Extensions add members to a type of any file
(object_type_extension (name) @container (fields_definition (field_definition (name) @name) @symbol.field))
(interface_type_extension (name) @container (fields_definition (field_definition (name) @name) @symbol.field))
(input_object_type_extension (name) @container (input_fields_definition (input_value_definition (name) @name) @symbol.field))
(enum_type_extension (name) @container (enum_values_definition (enum_value_definition (enum_value (name) @name)) @symbol.enum_member))

; Symbols of schemas
(object_type_definition (name) @name) @symbol.struct
(interface_type_definition (name) @name) @symbol.interface
(input_object_type_definition (name) @name) @symbol.struct
(union_type_definition (name) @name) @symbol.union
(enum_type_definition (name) @name) @symbol.enum
(scalar_type_definition (name) @name) @symbol.type
(directive_definition (name) @name) @symbol.macro
(fields_definition (field_definition (name) @name) @symbol.field)
(input_fields_definition (input_value_definition (name) @name) @symbol.field)
(enum_value_definition (enum_value (name) @name)) @symbol.enum_member

; Symbols of operations
(operation_definition (name) @name) @symbol.function
(fragment_definition (fragment_name (name) @name)) @symbol.function

; References
(implements_interfaces (named_type (name) @base.implements))
(named_type (name) @type.ref)
(fragment_spread (fragment_name (name) @call))
(directive (name) @decorator)
