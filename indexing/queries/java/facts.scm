; Symbols
(class_declaration name: (identifier) @name) @symbol.class
(interface_declaration name: (identifier) @name) @symbol.interface
(annotation_type_declaration name: (identifier) @name) @symbol.interface
(enum_declaration name: (identifier) @name) @symbol.enum
(enum_constant name: (identifier) @name) @symbol.enum_member
(record_declaration name: (identifier) @name) @symbol.record
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @symbol.field))
(method_declaration name: (identifier) @name) @symbol.method
(annotation_type_element_declaration name: (identifier) @name) @symbol.method
(constructor_declaration name: (identifier) @name) @symbol.constructor
(compact_constructor_declaration name: (identifier) @name) @symbol.constructor
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @name) @symbol.field)
(constant_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @name) @symbol.constant)
(package_declaration [(identifier) (scoped_identifier)] @package)

; Bases
(superclass (_) @base.extends)
(super_interfaces (type_list (_) @base.implements))
(extends_interfaces (type_list (_) @base.extends))

; References
(method_invocation arguments: (_) @args) @call
(explicit_constructor_invocation constructor: (_) @call arguments: (_) @args)
(object_creation_expression type: (_) @construct arguments: (_) @args)
(object_creation_expression type: (scoped_type_identifier (type_identifier) @construct .) arguments: (_) @args)
(type_identifier) @type.ref
(type_parameter (type_identifier) @type.param)
(type_parameter (type_identifier) @type.bounded (type_bound) @type.bound)
(field_access) @field
(annotation name: (_) @decorator)
(marker_annotation name: (_) @decorator)
(throw_statement (object_creation_expression type: (_) @throw))
(throws (_) @throw)
(throw_statement [(identifier) (field_access) (method_invocation)] @throw)
((method_invocation name: (identifier) @_or arguments: (argument_list [(method_reference . [(identifier) (field_access)] @throw "new") (lambda_expression body: (object_creation_expression type: (_) @throw))]))
  (#eq? @_or "orElseThrow"))
(method_reference (identifier) @value.token .)
(argument_list (identifier) @value.ref)

; Imports
(import_declaration (scoped_identifier) @import.path .) @import
(import_declaration [(scoped_identifier) (identifier)] @import.path (asterisk) @import.name) @import

; Bindings
(formal_parameter type: (_) @binding.type name: (identifier) @binding.name)
((spread_parameter (_) @binding.type . (variable_declarator name: (identifier) @binding.name)) (#set! around "_[]"))
(local_variable_declaration type: (_) @binding.type declarator: (variable_declarator name: (identifier) @binding.name))
(local_variable_declaration declarator: (variable_declarator name: (identifier) @binding.name value: (_) @binding.value))
(enhanced_for_statement type: (_) @binding.type name: (identifier) @binding.name)
(enhanced_for_statement name: (identifier) @binding.name value: (_) @binding.element)
(resource type: (_) @binding.type name: (identifier) @binding.name)
(resource name: (identifier) @binding.name value: (_) @binding.value)
(catch_formal_parameter (catch_type . (_) @binding.type) name: (identifier) @binding.name)
(instanceof_expression right: (_) @binding.type name: (identifier) @binding.name)
(type_pattern (_) @binding.type (identifier) @binding.name)
(lambda_expression parameters: (identifier) @binding.name)
(inferred_parameters (identifier) @binding.name)
; Parameters of function literals that a collection's method calls with its elements.
((method_invocation object: (_) @binding.element name: (identifier) @_each arguments: (argument_list . (lambda_expression parameters: [(identifier) @binding.name (inferred_parameters . (identifier) @binding.name .)]) @binding.block))
  (#any-of? @_each "forEach" "forEachOrdered" "filter" "map" "mapToInt" "mapToLong" "mapToDouble" "flatMap" "anyMatch" "allMatch" "noneMatch" "removeIf" "peek" "takeWhile" "dropWhile" "ifPresent" "ifPresentOrElse"))

; Types that stand for tables: Jakarta Persistence, Spring Data.
((annotation name: (identifier) @_table arguments: (annotation_argument_list (element_value_pair key: (identifier) @_name value: (string_literal (string_fragment) @model.table)))) (#eq? @_table "Table") (#any-of? @_name "name" "value"))
((annotation name: (identifier) @_table arguments: (annotation_argument_list (string_literal (string_fragment) @model.table))) (#eq? @_table "Table"))

; Topics of listeners.
((annotation name: (identifier) @_listener arguments: (annotation_argument_list (element_value_pair value: (string_literal (string_fragment) @topic.name)))) (#any-of? @_listener "KafkaListener" "RabbitListener" "SqsListener"))
((annotation name: (identifier) @_listener arguments: (annotation_argument_list (string_literal (string_fragment) @topic.name))) (#any-of? @_listener "KafkaListener" "RabbitListener" "SqsListener"))
