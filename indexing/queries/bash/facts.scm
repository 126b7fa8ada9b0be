; Symbols
(function_definition name: (word) @name) @symbol.function
(program (variable_assignment name: (variable_name) @name) @symbol.variable)
(program (variable_assignments (variable_assignment name: (variable_name) @name) @symbol.variable))
(program (declaration_command (variable_assignment name: (variable_name) @name) @symbol.variable))
((command name: (command_name (word) @_alias) argument: (concatenation . (word) @name)) @symbol.function
  (#eq? @_alias "alias") (#match? @name "="))

; References
(command name: (command_name (word) @call))
((command name: (command_name (word) @_run) . argument: (word) @call)
  (#any-of? @_run "run" "command" "builtin" "exec" "eval" "time" "nohup" "sudo"))
(command argument: (word) @value.ref)
(simple_expansion (variable_name) @value.ref)
(expansion (variable_name) @value.ref)

; Imports
((command name: (command_name (word) @_source) . argument: [(word) (string) (raw_string) (concatenation)] @import.path) @import
  (#any-of? @_source "source" "."))
((command name: (command_name (word) @_load) . argument: [(word) (string) (raw_string)] @import.path) @import
  (#eq? @_load "load"))

; Bindings
(declaration_command (variable_assignment name: (variable_name) @binding.name))
(declaration_command (variable_name) @binding.name)

; Tests of bats
(program) @hook
