; Colors for terminals; the crate of the grammar does not export its query.
["edition" "enum" "export" "extend" "extensions" "group" "import" "local" "map" "max" "message" "oneof" "option"
 "optional" "package" "public" "repeated" "required" "reserved" "returns" "rpc" "service" "stream" "syntax" "to"
 "weak"] @keyword
[(string) (reserved_identifier)] @string
(comment) @comment
[(int_lit) (float_lit)] @number
[(true) (false)] @boolean
(enum_field (identifier) @constant.builtin)
(rpc_name) @function
[(message_name) (enum_name) (service_name) (message_or_enum_type) (type) (key_type)] @type
