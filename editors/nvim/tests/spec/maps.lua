-- Maps below a prefix, the group in which-key, and the text for a statusline.
local t = require('support')

-- A stand-in for which-key.
local groups = {}
package.loaded['which-key'] = {
  add = function(specs)
    vim.list_extend(groups, specs)
  end,
}
vim.g.mapleader = ' '
local kenning = require('kenning')
kenning.map('<leader>k')
for _, map in ipairs(require('kenning.maps').MAPS) do
  local found = vim.fn.maparg('<leader>k' .. map[1], 'n', false, true)
  t.check(('<leader>k%s is mapped'):format(map[1]), found.rhs == ('<Plug>(kenning-%s)'):format(map[2]), found)
  t.check(('<leader>k%s has a description'):format(map[1]), found.desc == map[3], found)
  t.check(('<Plug>(kenning-%s) exists'):format(map[2]), vim.fn.maparg(found.rhs, 'n') ~= '' or map[2] == 'lens', found)
end
t.check('the selection is mapped, too', vim.fn.maparg('<leader>kp', 'x') == '<Plug>(kenning-pack)')
t.check('which-key has the group', #groups == 1 and groups[1].group == 'Kenning', groups)

t.check('other buffers have no text', kenning.statusline() == '')
vim.cmd.edit('src/itsdangerous/signer.py')
local _, status = t.wait_until_ready()
local symbols = require('kenning.words').format_count(status.symbols, 'symbol')
t.wait('the text has the number of symbols', function()
  return kenning.statusline() == 'Kenning: ' .. symbols
end, kenning.statusline)
vim.o.statusline = "%{v:lua.require'kenning'.statusline()}"
t.check(
  'a statusline can show it',
  vim.api.nvim_eval_statusline(vim.o.statusline, {}).str == 'Kenning: ' .. symbols,
  vim.api.nvim_eval_statusline(vim.o.statusline, {})
)
local render = require('kenning.statusline').render
local function folder(fields)
  return { folders = { vim.tbl_extend('force', { phase = 'ready', symbols = 1, pending_files = 0 }, fields) } }
end
t.check('indexing is shown', render(folder({ phase = 'indexing' })) == 'Kenning: indexing')
t.check('pending files are shown', render(folder({ pending_files = 2 })) == 'Kenning: 2 files pending')
t.check('a missing index is shown', render(folder({ phase = 'failed' })) == 'Kenning: no index')
t.check('one symbol is shown', render(folder({})) == 'Kenning: 1 symbol')
t.check('no message was shown', #t.messages == 0, t.messages)
