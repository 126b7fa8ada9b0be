; Symbols
(message (message_name (identifier) @name) (message_body) @body) @symbol.struct
(enum (enum_name (identifier) @name) (enum_body) @body) @symbol.enum
(enum_field (identifier) @name) @symbol.enum_member
(service (service_name (identifier) @name)) @symbol.interface
(rpc (rpc_name (identifier) @name)) @symbol.method
(field (identifier) @name) @symbol.field
(oneof_field (identifier) @name) @symbol.field
(map_field (identifier) @name) @symbol.field
(package (full_ident) @package)

; References
(message_or_enum_type (identifier) @type.ref .)

; Imports
(import path: (string) @import.path) @import
