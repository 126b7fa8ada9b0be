; The facts are described by the `key_paths` of the language in languages.toml.
