-- Neovim shows Kenning's hover together with that of another server.
local t = require('support')

--- A language server inside Neovim that always gives the same answers.
local function other(dispatchers)
  local closing = false
  return {
    request = function(method, _, callback)
      local answers = {
        initialize = { capabilities = { hoverProvider = true } },
        ['textDocument/hover'] = { contents = { kind = 'markdown', value = 'def derive_key(self) -> bytes' } },
      }
      callback(nil, answers[method] or vim.NIL)
      return true, 1
    end,
    notify = function(method)
      closing = closing or method == 'exit'
      if closing then
        dispatchers.on_exit(0, 0)
      end
      return true
    end,
    is_closing = function()
      return closing
    end,
    terminate = function()
      closing = true
    end,
  }
end

vim.cmd.edit('src/itsdangerous/signer.py')
t.ready()
vim.lsp.start({ name = 'other', cmd = other, root_dir = vim.fn.getcwd() })
t.wait('both servers are attached', function()
  return #vim.lsp.get_clients({ bufnr = 0 }) == 2
end)
t.stand_on('def derive_key', 'derive_key')
vim.lsp.buf.hover()
local function shown()
  return table.concat(t.floats(), '\n')
end
local merges = vim.fn.has('nvim-0.11') == 1 -- 0.10 shows only the last hover
t.wait('both hovers are shown', function()
  local other_is_shown = shown():find('def derive_key(self) -> bytes', 1, true) ~= nil
  local ours_is_shown = shown():find('Blast radius', 1, true) ~= nil and shown():find('caller', 1, true) ~= nil
  return ours_is_shown and (other_is_shown or not merges) or (other_is_shown and not merges)
end, shown)
t.check('no longer than six lines', select(2, shown():gsub('\n', '')) < 14, shown())
