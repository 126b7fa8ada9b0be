; Symbols: the stages
(from_instruction as: (image_alias) @name) @symbol.module

; Stages that others build on
(from_instruction (image_spec name: (image_name) @dependency))

; Variables of the environment
(env_pair name: (unquoted_string) @env.name)
