-- Neovim shows the hovers of Kenning and of another server together.
local t = require('support')

--- Creates a language server inside Neovim with a fixed hover.
local function other_server(dispatchers)
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
t.wait_until_ready()
vim.lsp.start({ name = 'other', cmd = other_server, root_dir = vim.fn.getcwd() })
t.wait('both servers are attached', function()
  return #vim.lsp.get_clients({ bufnr = 0 }) == 2
end)
t.move_to('def derive_key', 'derive_key')
vim.lsp.buf.hover()
local function float_text()
  return table.concat(t.floats(), '\n')
end
local merges_hovers = vim.fn.has('nvim-0.11') == 1 -- 0.10 shows only the last hover
t.wait('both hovers are shown', function()
  local other_is_shown = float_text():find('def derive_key(self) -> bytes', 1, true) ~= nil
  local ours_is_shown = float_text():find('Blast radius', 1, true) ~= nil
    and float_text():find('caller', 1, true) ~= nil
  return ours_is_shown and (other_is_shown or not merges_hovers) or (other_is_shown and not merges_hovers)
end, float_text)
t.check('the hovers are short', select(2, float_text():gsub('\n', '')) < 14, float_text())
