; Symbols
(header module: (module) @package)
(data_type name: (name) @name) @symbol.enum
(newtype name: (name) @name) @symbol.struct
(type_synonym name: (name) @name) @symbol.type
(class name: (name) @name declarations: (_) @body) @symbol.trait
(class name: (name) @name) @symbol.trait
(type_family name: (name) @name) @symbol.type
(data_family name: (name) @name) @symbol.type
(data_constructor constructor: [(prefix name: (_) @name) (record name: (_) @name)]) @symbol.constructor
(newtype_constructor name: (constructor) @name) @symbol.constructor
(gadt_constructor name: (constructor) @name) @symbol.constructor
(field name: (field_name (variable) @name) type: (_) @type) @symbol.field
(class_declarations (signature name: (variable) @name type: (_) @type) @symbol.method)
(instance name: (name) patterns: (type_patterns . (name) @container.name)) @container.scope
(instance name: (name) patterns: (type_patterns . (parens type: (apply constructor: (name) @container.name)))) @container.scope
(instance name: (name) patterns: (type_patterns . (parens type: (apply constructor: (apply constructor: (name) @container.name))))) @container.scope
(instance_declarations (function name: (variable) @name patterns: (_) @params match: (_) @body) @symbol.method)
(instance_declarations (bind name: (variable) @name match: (_) @body) @symbol.method)
(declarations (signature name: (variable) @name type: (_) @type) @symbol.function)
(declarations (signature name: (prefix_id (operator) @name) type: (_) @type) @symbol.function)
(declarations (function name: (variable) @name patterns: (_) @params match: (_) @body) @symbol.function)
(declarations (function name: (prefix_id (operator) @name) patterns: (_) @params match: (_) @body) @symbol.function)
(declarations (function (infix operator: (operator) @name)) @symbol.function)
(declarations (bind name: (variable) @name match: (_) @body) @symbol.function)
(pattern_synonym (equation synonym: (apply function: (constructor) @name))) @symbol.function
(pattern_synonym (equation synonym: (apply function: (apply function: (constructor) @name)))) @symbol.function
(pattern_synonym (equation synonym: (apply function: (apply function: (apply function: (constructor) @name))))) @symbol.function
(pattern_synonym (equation synonym: (apply function: (apply function: (apply function: (apply function: (constructor) @name)))))) @symbol.function
(pattern_synonym (equation synonym: (apply function: (apply function: (apply function: (apply function: (apply function: (constructor) @name))))))) @symbol.function
(pattern_synonym (equation synonym: (constructor) @name)) @symbol.function
(foreign_import signature: (signature name: (variable) @name)) @symbol.function

; Bases
(instance name: (name) @base.implements patterns: (type_patterns . (name) @base.of))
(instance name: (name) @base.implements patterns: (type_patterns . (parens type: (apply constructor: (name) @base.of))))
(class context: (context context: (apply constructor: (name) @base.extends)))

; References
(apply function: [(variable) (qualified)] @call)
(apply function: (constructor) @construct)
(infix left_operand: [(variable) (qualified)] @call operator: (operator) @_op (#any-of? @_op "$" "$!" "<$>" "=<<" "."))
(infix operator: (operator) @_op right_operand: [(variable) (qualified)] @call (#any-of? @_op "." ">>=" ">>" "&" ">=>"))
(infix operator: (infix_id [(variable) (qualified)] @call))
(infix operator: (operator) @call)
(exp [(variable) (qualified)] @call)
(record name: (constructor) @construct)
(name) @type.ref
(qualified) @value.ref
(variable) @value.ref
(constructor) @value.ref

; Imports
(import) @import.tree

; Bindings
(patterns (variable) @binding.name)
(local_binds (function name: (variable) @binding.name))
(local_binds (bind name: (variable) @binding.name))
(bind pattern: (variable) @binding.name)
(generator pattern: (variable) @binding.name)
(lambda patterns: (patterns (variable) @binding.name))
