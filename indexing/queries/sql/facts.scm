; Symbols
(create_table (object_reference name: (identifier) @name) (column_definitions) @body) @symbol.table
(create_table (object_reference name: (identifier) @name)) @symbol.table
(create_view (object_reference name: (identifier) @name)) @symbol.table
(create_materialized_view (object_reference name: (identifier) @name)) @symbol.table
(create_function (object_reference name: (identifier) @name)) @symbol.function
(create_type (object_reference name: (identifier) @name)) @symbol.type
(create_table (column_definitions (column_definition name: (identifier) @name) @symbol.field))
(create_table (column_definitions (column_definition name: (literal) @name) @symbol.field))
(alter_table (object_reference name: (identifier) @container) (add_column (column_definition name: (literal) @name) @symbol.field))
(alter_table (object_reference name: (identifier) @container) (add_column (column_definition name: (identifier) @name) @symbol.field))

; References
(column_definition (keyword_references) (object_reference name: (identifier) @type.ref))
(constraint (keyword_references) (object_reference name: (identifier) @type.ref))
(relation (object_reference name: (identifier) @type.ref))
(alter_table (object_reference name: (identifier) @type.ref))
(insert (object_reference name: (identifier) @type.ref))
(create_index (object_reference name: (identifier) @type.ref))
(invocation (object_reference name: (identifier) @call))
