-- A stand-in for telescope.nvim: the parts of its documented interface that the plugin uses
-- (`:help telescope.pickers`, "Making a new picker" in its developers' guide). Rows are sorted by the
-- score of the sorter, and a finder's late results for an old prompt are dropped.
local windows = require('stubs.windows')

local open ---@type table? the picker that is open

local Picker = {}
Picker.__index = Picker

function Picker:set_prompt(prompt)
  self.generation = self.generation + 1
  local generation, entries = self.generation, {}
  self.spec.finder(prompt, function(entry)
    if generation ~= self.generation then
      return true
    end
    local score = self.spec.sorter:score(prompt, entry)
    local at = #entries + 1
    while at > 1 and entries[at - 1].score > score do
      at = at - 1
    end
    table.insert(entries, at, { entry = entry, score = score })
  end, function()
    self.entries = vim.tbl_map(function(scored)
      return scored.entry
    end, entries)
    if self.entries[1] then
      self.spec.previewer(self.entries[1])
    end
  end)
end

function Picker:find()
  open, self.generation, self.entries = self, 0, {}
  self.buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[self.buffer].filetype = 'TelescopePrompt'
  self.manager = {
    iter = function()
      return vim.iter(self.entries)
    end,
  }
  self:set_prompt(self.spec.default_text or '')
end

local modules = {
  telescope = {
    register_extension = function(extension)
      return extension
    end,
    load_extension = function(name)
      return require('telescope._extensions.' .. name).exports
    end,
  },
  ['telescope.pickers'] = {
    new = function(options, spec)
      return setmetatable({ spec = vim.tbl_extend('keep', options, spec) }, Picker)
    end,
  },
  ['telescope.sorters'] = {
    empty = function()
      return {
        score = function()
          return 1
        end,
      }
    end,
  },
  ['telescope.config'] = {
    values = {
      qflist_previewer = function()
        return function(entry)
          windows.preview(entry.filename, entry.lnum)
        end
      end,
    },
  },
  ['telescope.actions.state'] = {
    get_current_picker = function()
      return open
    end,
  },
  ['telescope.actions'] = {
    select_default = function(buffer)
      local entry = open.entries[1]
      open.spec.finder.close()
      vim.api.nvim_buf_delete(buffer, { force = true })
      windows.open(entry.filename, entry.lnum, entry.col)
    end,
  },
}
for name, module in pairs(modules) do
  package.preload[name] = function()
    return module
  end
end
