; Colors for terminals; the grammar has no query of its own.
["directive" "enum" "extend" "fragment" "implements" "input" "interface" "mutation" "on" "query" "repeatable" "scalar"
 "schema" "subscription" "type" "union"] @keyword
(string_value) @string
(comment) @comment
[(int_value) (float_value)] @number
(boolean_value) @boolean
[(null_value) (enum_value)] @constant.builtin
(operation_definition (name) @function)
(fragment_name) @function
(named_type) @type
[(object_type_definition (name) @type) (object_type_extension (name) @type)
 (interface_type_definition (name) @type) (interface_type_extension (name) @type)
 (input_object_type_definition (name) @type) (input_object_type_extension (name) @type)
 (enum_type_definition (name) @type) (enum_type_extension (name) @type)
 (union_type_definition (name) @type) (union_type_extension (name) @type)
 (scalar_type_definition (name) @type) (scalar_type_extension (name) @type)]
(directive "@" @attribute (name) @attribute)
(directive_definition "@" @attribute (name) @attribute)
