-- The extension of Telescope: `:Telescope kenning search`, with the options `query`, `scope` and
-- `mode`, and the options that every picker of Telescope has.
local function search(options)
  require('kenning').search({
    picker = 'telescope',
    query = options.query,
    scope = options.scope,
    mode = options.mode,
    options = options,
  })
end

return require('telescope').register_extension({ exports = { kenning = search, search = search } })
