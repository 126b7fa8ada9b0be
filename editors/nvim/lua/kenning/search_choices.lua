-- The choices of a search. The first scope, the first mode and the first installed picker are the
-- defaults.
return {
  scopes = { 'all', 'code', 'docs', 'files', 'knowledge' },
  modes = { 'hybrid', 'keyword', 'vector' },
  pickers = { 'telescope', 'snacks', 'fzf-lua', 'mini.pick', 'select' },
}
