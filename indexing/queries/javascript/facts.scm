; Patterns for JavaScript's grammar only.

(field_definition property: (_) @name value: [(arrow_function) (function_expression)] @value) @symbol.method
(field_definition property: (_) @name) @symbol.field
(class_heritage (_) @base.extends)
