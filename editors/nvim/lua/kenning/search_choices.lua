-- The choices of a search. The first scope and the first mode are the defaults; the first installed
-- picker is the default one.
return {
  scopes = { 'all', 'code', 'docs', 'files', 'knowledge' },
  modes = { 'hybrid', 'keyword', 'vector' },
  pickers = { 'telescope', 'snacks', 'fzf-lua', 'mini.pick', 'select' },
}
