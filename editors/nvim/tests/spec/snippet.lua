-- The snippet of docs/editors.md for Neovim without the plugin. Runs with KENNING_TEST_BARE.
local t = require('support')

local page = io.open(vim.env.KENNING_TEST_ROOT .. '/docs/editors.md'):read('a')
local snippet = page:match('<!%-%- tested: neovim %-%->\n```lua\n(.-)```')
t.check('the page has the snippet', snippet ~= nil)
if vim.fn.has('nvim-0.11') == 1 then
  -- Remove the plugin.
  vim.opt.runtimepath:remove(vim.env.KENNING_TEST_ROOT .. '/editors/nvim')
  vim.api.nvim_del_augroup_by_name('kenning')
  assert(loadstring(snippet))()
  vim.cmd.edit('src/itsdangerous/signer.py')
  local client
  t.wait('the server is attached', function()
    client = t.clients()[1]
    return client ~= nil and client.initialized == true
  end)
  t.move_to('def derive_key', 'derive_key')
  t.wait('hovers are shown', function()
    vim.lsp.buf.hover()
    return vim.wait(1000, function()
      return table.concat(t.floats(), '\n'):find('Blast radius', 1, true) ~= nil
    end, 20)
  end, t.floats)
  if vim.fn.has('nvim-0.12') == 0 then
    -- The first request may come before the index is ready.
    t.wait('lenses are drawn', function()
      vim.lsp.codelens.refresh({ bufnr = 0 })
      return vim.wait(1000, function()
        return (t.lens('class Signer') or ''):find(' test', 1, true) ~= nil
      end, 20)
    end, t.lenses)
  end
end
