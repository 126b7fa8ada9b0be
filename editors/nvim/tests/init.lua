-- Configures Neovim for a user who has installed only this plugin.
local folder = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
vim.opt.runtimepath:prepend(vim.fn.fnamemodify(folder, ':h'))
package.path = folder .. '/?.lua;' .. package.path
vim.o.swapfile = false
vim.o.shadafile = 'NONE'
if vim.tbl_contains(vim.v.argv, '--headless') then
  vim.o.columns, vim.o.lines = 120, 40
end
-- Specs about startup enable the server themselves.
if not vim.env.KENNING_TEST_BARE then
  if vim.fn.has('nvim-0.11') == 1 then
    vim.lsp.enable('kenning')
  else
    require('kenning').setup({})
  end
end
