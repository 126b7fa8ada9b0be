-- Lenses are drawn, can be run, and include unsaved edits.
local t = require('support')

vim.cmd.edit('src/itsdangerous/signer.py')
t.wait_until_ready()
local CLASS = 'class Signer'
local lens = t.lens

t.wait('the class has a lens', function()
  return (lens(CLASS) or ''):find('^~?%d+%+? uses? · ~?%d+%+? %a+ · ~?%d+%+? tests?$') ~= nil
end, t.lenses)
local printed = vim.json.decode(t.run_program({ 'blast', '--refresh', 'never', '--format', 'json', 'Signer' }))
local numbers = printed.title
t.check('the lens has the numbers of the program', lens(CLASS) == numbers, { lens(CLASS), numbers })

-- Running the lens lists the locations.
t.move_to(CLASS)
local buffer = vim.api.nvim_get_current_buf()
vim.cmd([[exe "normal \<Plug>(kenning-lens)"]])
t.wait('the lens opens the list', function()
  return vim.bo.buftype == 'quickfix'
end)
local list = vim.fn.getqflist({ title = 1, items = 1 })
t.check('the list of the lens has a title', list.title == 'Blast radius of Signer: ' .. numbers, list.title)
t.check('the list of the lens has the callers', #list.items >= printed.counts.callers.value, #list.items)
vim.cmd.cclose()
vim.api.nvim_set_current_buf(buffer)
t.wait('the lens is drawn again', function()
  return lens(CLASS) == numbers
end, t.lenses)

-- Reloading the file keeps the lenses.
local function has_lens()
  return lens(CLASS) == numbers
end
for _, reload in ipairs({ 'edit', 'edit!' }) do
  vim.cmd(reload)
  -- Wait for the requests that a reload causes, so that the check does not see the old lens.
  vim.wait(1000)
  t.wait((':%s keeps the lens'):format(reload), has_lens, t.lenses)
end

-- An unsaved edit counts.
t.wait('a method has a lens', function()
  return lens('def derive_key') ~= nil
end, t.lenses)
local before = tonumber(lens('def derive_key'):match('^~?(%d+)'))
vim.api.nvim_buf_set_lines(0, -1, -1, false, { '', '', 'def added(signer: Signer):', '    return signer.derive_key()' })
t.wait('the lens counts an unsaved caller', function()
  local now = lens('def derive_key')
  return now ~= nil and tonumber(now:match('^~?(%d+)')) == before + 1
end, t.lenses)
t.wait('the new definition has a lens', function()
  return lens('def added') ~= nil
end, t.lenses)
t.check('the file is not saved', vim.bo.modified)
vim.cmd.undo()
t.wait('the lens does not count an undone edit', function()
  local now = lens('def derive_key')
  return now ~= nil and tonumber(now:match('^~?(%d+)')) == before
end, t.lenses)
t.check('no message was shown', #t.messages == 0, t.messages)
