; Services
((block_mapping_pair
  key: (flow_node (plain_scalar (string_scalar) @_services))
  value: (block_node (block_mapping (block_mapping_pair key: (flow_node (plain_scalar (string_scalar) @name)) value: (_) @body) @symbol.module)))
  (#eq? @_services "services"))

; Services that must run before
((block_mapping_pair
  key: (flow_node (plain_scalar (string_scalar) @_depends))
  value: (block_node (block_sequence (block_sequence_item (flow_node (plain_scalar (string_scalar) @dependency))))))
  (#any-of? @_depends "depends_on" "links"))
((block_mapping_pair
  key: (flow_node (plain_scalar (string_scalar) @_depends))
  value: (block_node (block_mapping (block_mapping_pair key: (flow_node (plain_scalar (string_scalar) @dependency))))))
  (#eq? @_depends "depends_on"))
((block_mapping_pair
  key: (flow_node (plain_scalar (string_scalar) @_depends))
  value: (flow_node (flow_sequence (flow_node (plain_scalar (string_scalar) @dependency)))))
  (#any-of? @_depends "depends_on" "links"))

; Variables of the environment
((block_mapping_pair
  key: (flow_node (plain_scalar (string_scalar) @_environment))
  value: (block_node (block_mapping (block_mapping_pair key: (flow_node (plain_scalar (string_scalar) @env.name))))))
  (#eq? @_environment "environment"))
((block_mapping_pair
  key: (flow_node (plain_scalar (string_scalar) @_environment))
  value: (block_node (block_sequence (block_sequence_item (flow_node (plain_scalar (string_scalar) @env.name))))))
  (#eq? @_environment "environment"))
((block_mapping_pair
  key: (flow_node (plain_scalar (string_scalar) @_environment))
  value: (block_node (block_sequence (block_sequence_item (flow_node (double_quote_scalar) @env.name)))))
  (#eq? @_environment "environment"))
