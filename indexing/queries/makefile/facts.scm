; Symbols
((rule (targets (word) @name)) @symbol.function (#match? @name "^[^.%]"))
(variable_assignment name: (word) @name) @symbol.variable
(shell_assignment name: (word) @name) @symbol.variable
(define_directive name: (word) @name) @symbol.macro

; References. The rules of targets such as `.PHONY` say something about their prerequisites and need none.
((rule (targets (word) @_target) normal: (prerequisites (word) @dependency)) (#match? @_target "^[^.%]"))
((rule (targets (word) @_target) order_only: (prerequisites (word) @dependency)) (#match? @_target "^[^.%]"))
(variable_reference (word) @value.ref)

; Imports
((include_directive filenames: (list (word) @import.path)) @import (#not-match? @import.path "[$*]"))
