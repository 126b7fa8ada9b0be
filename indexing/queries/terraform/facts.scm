; Symbols
((block (identifier) @_kind (string_lit) (string_lit (template_literal) @name) (body) @body) @symbol.module (#any-of? @_kind "resource" "data"))
((block (identifier) @_kind (string_lit (template_literal) @name) (body) @body) @symbol.module (#any-of? @_kind "module" "provider"))
((block (identifier) @_kind (string_lit (template_literal) @name) (body) @body) @symbol.variable (#any-of? @_kind "variable" "output"))
((block (identifier) @_kind (body (attribute (identifier) @name) @symbol.variable)) (#eq? @_kind "locals"))
((block (identifier) @_kind (string_lit (template_literal) @name)) @symbol.variable (#any-of? @_kind "variable" "output"))

; References
(expression (variable_expr (identifier) @_first) . (get_attr (identifier) @dependency))
