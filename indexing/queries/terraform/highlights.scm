; Colors for terminals; the grammar has no query of its own.
(block . (identifier) @keyword)
["for" "in" "if" "else" "endif" "endfor"] @keyword
[(string_lit) (quoted_template) (heredoc_template)] @string
(template_interpolation) @variable
(comment) @comment
(numeric_lit) @number
(bool_lit) @boolean
(null_lit) @constant.builtin
(function_call . (identifier) @function)
