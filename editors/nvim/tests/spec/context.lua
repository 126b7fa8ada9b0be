-- Packs in a register, a buffer and a float are what `kenning pack` prints, byte for byte.
local t = require('support')

vim.g.clipboard = nil
local TASK = 'sign values with a timestamp'
vim.cmd.edit('src/itsdangerous/signer.py')
local client, before = t.ready()

local function same(name, text, printed)
  t.check(name .. ' is what the program prints', text == printed, vim.diff(printed, text))
end

--- Returns the bytes that writing the buffer would produce.
local function bytes(buffer)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  return table.concat(lines, '\n') .. (vim.bo[buffer].endofline and '\n' or '')
end

for _, format in ipairs({ 'markdown', 'xml' }) do
  local plain = ('context --no-learning --no-position --format=%s '):format(format)
  local printed = t.program({ 'pack', '--refresh', 'never', '--no-learning', '--format', format, TASK })
  t.check('the program prints a pack', #printed > 500, printed)
  t.kenning(plain .. '--register=a ' .. TASK, 'copied to register a: ')
  same(format .. ' in a register', vim.fn.getreg('a'), printed)
  t.kenning(plain .. '--to=buffer ' .. TASK, ' symbols, ')
  t.check('the buffer is named by the task', vim.api.nvim_buf_get_name(0) == 'kenning://context/' .. TASK)
  t.check('the buffer is of the form', vim.bo.filetype == format, vim.bo.filetype)
  same(format .. ' in a buffer', bytes(0), printed)
  vim.cmd.bwipeout()
  t.kenning(plain .. '--to=float ' .. TASK, ' symbols, ')
  t.check('the float has the cursor', vim.api.nvim_win_get_config(0).relative == 'editor')
  same(format .. ' in a float', bytes(0), printed)
  vim.api.nvim_feedkeys('q', 'xt', false)
  t.check('q closes the float', #t.floats() == 0, t.floats())
end

t.kenning('context --no-learning --no-position --budget=400 --register=b ' .. TASK, 'register b')
same(
  'a small pack',
  vim.fn.getreg('b'),
  t.program({ 'pack', '--refresh', 'never', '--no-learning', '--budget', '400', TASK })
)

t.kenning('files --no-learning --register=c', 'copied to register c: ')
same(
  'the pack of the current file',
  vim.fn.getreg('c'),
  t.program({ 'files', '--refresh', 'never', '--no-learning', 'src/itsdangerous/signer.py' })
)
t.kenning('files --no-learning --register=d src/itsdangerous/timed.py src/itsdangerous/exc.py', 'register d')
same(
  'the pack of named files',
  vim.fn.getreg('d'),
  t.program({ 'files', '--refresh', 'never', '--no-learning', 'src/itsdangerous/timed.py', 'src/itsdangerous/exc.py' })
)
t.kenning('changes --no-learning --register=e HEAD~1', 'copied to register e: ')
same(
  'the pack of a change',
  vim.fn.getreg('e'),
  t.program({ 'changes', '--refresh', 'never', '--no-learning', '--base', 'HEAD~1' })
)
local after = t.ask(client, 'kenning.status', {})
t.check('the graph stood still', before.snapshot == after.snapshot)

-- The cursor's position affects the pack unless the user turns that off.
t.stand_on('def get_signature', 'get_signature')
t.kenning('context --format=json --register=f ' .. TASK, 'register f')
t.check('the place of the cursor is known', vim.fn.getreg('f'):find('editor:here', 1, true) ~= nil)

-- Without a task, the command asks for one and proposes the selected text.
local asked
vim.ui.input = function(options, done)
  asked = options
  done('how keys are derived')
end
t.stand_on('class Signer', 'Signer')
vim.cmd.normal({ 'viw\27', bang = true })
local from = #t.said
vim.cmd("'<,'>Kenning context --register=g")
t.wait('the task is asked for', function()
  return #t.said > from
end)
t.check('the selection is proposed', asked and asked.default == 'Signer', asked)
t.check('the answer is the task', vim.fn.getreg('g'):find('how keys are derived', 1, true) ~= nil)
vim.ui.input = function(_, done)
  done(nil)
end
vim.cmd('Kenning context')
t.check('who gives no task gets nothing', #t.said == from + 1, t.said)
local completed = require('kenning.commands').complete('how', 'Kenning context how')
t.check('tasks are completed', completed[1] == 'how keys are derived', completed)
