; Elements call their component. Lower-case names are elements of the platform.
((jsx_opening_element name: (_) @call) (#match? @call "^[A-Z]|\\."))
((jsx_self_closing_element name: (_) @call) (#match? @call "^[A-Z]|\\."))
(jsx_attribute (jsx_expression [(identifier) (member_expression)] @value.ref))
