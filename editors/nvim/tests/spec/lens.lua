-- Lenses are drawn, run, and follow unsaved edits.
local t = require('support')

vim.cmd.edit('src/itsdangerous/signer.py')
t.ready()
local CLASS = 'class Signer'
local lens = t.lens

t.wait('the class has a lens', function()
  return (lens(CLASS) or ''):find('^~?%d+%+? uses? · ~?%d+%+? %a+ · ~?%d+%+? tests?$') ~= nil
end, t.lenses)
local printed = vim.json.decode(t.program({ 'blast', '--refresh', 'never', '--format', 'json', 'Signer' }))
local numbers = printed.title
t.check('the lens says what the program says', lens(CLASS) == numbers, { lens(CLASS), numbers })

-- Running the lens shows the places.
t.stand_on(CLASS)
local buffer = vim.api.nvim_get_current_buf()
vim.cmd([[exe "normal \<Plug>(kenning-lens)"]])
t.wait('the lens opens the list', function()
  return vim.bo.buftype == 'quickfix'
end)
local list = vim.fn.getqflist({ title = 1, items = 1 })
t.check('the list says what it is', list.title == 'Blast radius of Signer: ' .. numbers, list.title)
t.check('the list has the callers', #list.items >= printed.counts.callers.value, #list.items)
vim.cmd.cclose()
vim.api.nvim_set_current_buf(buffer)
t.wait('the lens is there again', function()
  return lens(CLASS) == numbers
end, t.lenses)

-- An unsaved edit counts.
t.wait('a method has a lens', function()
  return lens('def derive_key') ~= nil
end, t.lenses)
local before = tonumber(lens('def derive_key'):match('^~?(%d+)'))
vim.api.nvim_buf_set_lines(0, -1, -1, false, { '', '', 'def added(signer: Signer):', '    return signer.derive_key()' })
t.wait('an unsaved caller is counted', function()
  local now = lens('def derive_key')
  return now ~= nil and tonumber(now:match('^~?(%d+)')) == before + 1
end, t.lenses)
t.wait('the new definition has a lens', function()
  return lens('def added') ~= nil
end, t.lenses)
t.check('the file is not written', vim.bo.modified)
vim.cmd.undo()
t.wait('what is undone counts no more', function()
  local now = lens('def derive_key')
  return now ~= nil and tonumber(now:match('^~?(%d+)')) == before
end, t.lenses)
t.check('nothing was complained about', #t.said == 0, t.said)
