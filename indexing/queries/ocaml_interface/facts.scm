; Symbols
(external (value_name) @name type: (_) @type) @symbol.function
(value_specification (value_name) @name type: (function_type) @type) @symbol.function
(value_specification (value_name) @name type: (_) @type) @symbol.variable
(type_binding name: (type_constructor) @name body: (record_declaration) @body) @symbol.struct
(type_binding name: (type_constructor) @name body: (variant_declaration) @body) @symbol.enum
(type_binding name: (type_constructor) @name body: (_) @type) @symbol.type
(type_binding name: (type_constructor) @name) @symbol.type
(variant_declaration (constructor_declaration (constructor_name) @name) @symbol.enum_member)
(record_declaration (field_declaration (field_name) @name type: (_) @type) @symbol.field)
(exception_definition (constructor_declaration (constructor_name) @name)) @symbol.class
(module_binding . (module_name) @name module_type: (_)) @symbol.module
(module_type_definition (module_type_name) @name) @symbol.interface
(class_binding (class_name) @name) @symbol.class

; References
(type_constructor_path) @type.ref

; Imports
(open_module module: (module_path) @import.path) @import
(include_module module: (module_path) @import.path) @import.reexport
(module_definition (module_binding . (module_name) @import.alias body: (module_path) @import.path)) @import
