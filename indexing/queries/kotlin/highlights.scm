; Colors for terminals; the grammar has no query of its own.
["abstract" "actual" "annotation" "as" "by" "catch" "class" "companion" "const" "constructor" "crossinline" "data"
 "do" "else" "enum" "expect" "external" "final" "finally" "for" "fun" "if" "import" "in" "infix" "init" "inline"
 "inner" "interface" "internal" "is" "lateinit" "noinline" "object" "open" "operator" "out" "override" "package"
 "private" "protected" "public" "return" "sealed" "super" "suspend" "tailrec" "this" "throw" "try" "typealias" "val"
 "var" "vararg" "when" "where" "while"] @keyword
[(string_literal) (multiline_string_literal) (character_literal)] @string
[(line_comment) (block_comment) (shebang)] @comment
[(number_literal) (float_literal)] @number
(function_declaration name: (identifier) @function)
(call_expression . (identifier) @function)
(user_type (identifier) @type)
(class_declaration name: (identifier) @type)
(object_declaration name: (identifier) @type)
(annotation) @attribute
