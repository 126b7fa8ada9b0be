-- Defines the command, the <Plug> mappings and the autocommands at startup. Everything else is
-- loaded on first use.
if vim.g.loaded_kenning then
  return
end
vim.g.loaded_kenning = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify('Kenning needs Neovim 0.10 or later', vim.log.levels.ERROR)
  return
end

vim.api.nvim_create_user_command('Kenning', function(call)
  require('kenning.commands').run(call)
end, {
  nargs = '*',
  range = true,
  desc = 'Packs, blast radius and the status of Kenning',
  complete = function(...)
    return require('kenning.commands').complete(...)
  end,
})

for name, command in pairs({
  pack = 'pack',
  context = 'pack', -- a former name
  files = 'files',
  changes = 'changes',
  blast = 'blast',
  tests = 'tests',
  search = 'search',
  why = 'why',
  explain = 'why', -- a former name
  status = 'status',
}) do
  vim.keymap.set('n', ('<Plug>(kenning-%s)'):format(name), ('<Cmd>Kenning %s<CR>'):format(command))
end
-- With a range, the commands take the selected text as the task or the query.
for _, name in ipairs({ 'pack', 'context' }) do
  vim.keymap.set('x', ('<Plug>(kenning-%s)'):format(name), ':Kenning pack<CR>', { silent = true })
end
vim.keymap.set('x', '<Plug>(kenning-search)', ':Kenning search --to=picker<CR>', { silent = true })
vim.keymap.set('n', '<Plug>(kenning-lens)', function()
  vim.lsp.codelens.run()
end)

local group = vim.api.nvim_create_augroup('kenning', {})
vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'kenning' then
      require('kenning.lens').attach(client, event.buf)
    end
  end,
})
vim.api.nvim_create_autocmd('FileType', {
  group = group,
  callback = function(event)
    -- Report a missing program, because Neovim only logs that an enabled server cannot start.
    local is_enabled = vim.lsp.is_enabled
    if is_enabled and is_enabled('kenning') and vim.bo[event.buf].buftype == '' then
      require('kenning.lsp').check_binary(event.match)
    end
  end,
})
