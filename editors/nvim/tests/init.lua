-- Configures Neovim as it is for a user who installed only this plugin.
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
vim.opt.runtimepath:prepend(vim.fn.fnamemodify(here, ':h'))
package.path = here .. '/?.lua;' .. package.path
vim.o.swapfile = false
vim.o.shadafile = 'NONE'
if vim.tbl_contains(vim.v.argv, '--headless') then
  vim.o.columns, vim.o.lines = 120, 40
end
-- Specs about startup run before anything is enabled.
if not vim.env.KENNING_TEST_BARE then
  if vim.fn.has('nvim-0.11') == 1 then
    vim.lsp.enable('kenning')
  else
    require('kenning').setup({})
  end
end
