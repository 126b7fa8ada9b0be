; Symbols
((normal_command (identifier) @_command (argument_list . (argument (unquoted_argument) @name))) @symbol.module
  (#any-of? @_command "add_library" "add_executable" "add_custom_target" "ADD_LIBRARY" "ADD_EXECUTABLE" "ADD_CUSTOM_TARGET") (#not-match? @name "[$]"))
((normal_command (identifier) @_command (argument_list . (argument (unquoted_argument) @name))) @symbol.constant
  (#any-of? @_command "option" "OPTION"))
(function_def (function_command (argument_list . (argument) @name)) (body) @body) @symbol.function
(macro_def (macro_command (argument_list . (argument) @name)) (body) @body) @symbol.macro

; The sources and the libraries of targets
((normal_command (identifier) @_command (argument_list (argument) (argument (unquoted_argument) @dependency)))
  (#any-of? @_command "add_library" "add_executable" "ADD_LIBRARY" "ADD_EXECUTABLE") (#not-match? @dependency "[$]|^[A-Z_]+$"))
((normal_command (identifier) @_command (argument_list . (argument (unquoted_argument) @dependency.of) (argument (unquoted_argument) @dependency)))
  (#any-of? @_command "target_link_libraries" "target_sources" "add_dependencies" "TARGET_LINK_LIBRARIES" "TARGET_SOURCES" "ADD_DEPENDENCIES")
  (#not-match? @dependency "[$]|^[A-Z_]+$"))

; References
(normal_command (identifier) @call)
(variable_ref (normal_var (variable) @value.ref))

; Imports
((normal_command (identifier) @_command (argument_list . (argument (unquoted_argument) @import.path))) @import
  (#any-of? @_command "include" "add_subdirectory" "INCLUDE" "ADD_SUBDIRECTORY") (#not-match? @import.path "[$]"))
