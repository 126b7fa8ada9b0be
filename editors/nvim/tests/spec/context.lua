-- Packs in a register, a buffer and a float equal the output of `kenning pack`, byte for byte.
local t = require('support')

vim.g.clipboard = nil
local TASK = 'sign values with a timestamp'
vim.cmd.edit('src/itsdangerous/signer.py')
local client, before = t.wait_until_ready()

local function check_equal(name, text, printed)
  t.check(name .. ' is the output of the program', text == printed, vim.diff(printed, text))
end

--- Returns the bytes that writing the buffer would produce.
local function buffer_bytes(buffer)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  return table.concat(lines, '\n') .. (vim.bo[buffer].endofline and '\n' or '')
end

for _, format in ipairs({ 'markdown', 'xml' }) do
  local arguments = ('context --no-learning --no-position --format=%s '):format(format)
  local printed = t.run_program({ 'pack', '--refresh', 'never', '--no-learning', '--format', format, TASK })
  t.check('the program prints a pack', #printed > 500, printed)
  t.run_command(arguments .. '--register=a ' .. TASK, 'copied to register a: ')
  check_equal(format .. ' in a register', vim.fn.getreg('a'), printed)
  t.run_command(arguments .. '--to=buffer ' .. TASK, ' symbols, ')
  t.check('the buffer is named after the task', vim.api.nvim_buf_get_name(0) == 'kenning://pack/' .. TASK)
  t.check('the buffer has the filetype of the format', vim.bo.filetype == format, vim.bo.filetype)
  check_equal(format .. ' in a buffer', buffer_bytes(0), printed)
  vim.cmd.bwipeout()
  t.run_command(arguments .. '--to=float ' .. TASK, ' symbols, ')
  t.check('the float has the cursor', vim.api.nvim_win_get_config(0).relative == 'editor')
  check_equal(format .. ' in a float', buffer_bytes(0), printed)
  vim.api.nvim_feedkeys('q', 'xt', false)
  t.check('q closes the float', #t.floats() == 0, t.floats())
end

-- The message and the text show the number of tokens that the server counts, without rounding.
local counted
require('kenning.pack').request({ task = TASK }, { format = 'markdown', learning = false }, function(pack)
  counted = pack
end)
t.wait('a pack with its size arrives', function()
  return counted ~= nil
end)
local tokens = require('kenning.words').format_number(counted.tokens_used)
t.check('the pack does not use the budget exactly', counted.tokens_used ~= counted.budget, counted.tokens_used)
t.run_command('pack --no-learning --no-position --to=float ' .. TASK, (', %s tokens'):format(tokens))
local budget = require('kenning.words').format_number(counted.budget)
local size = (', %s of at most %s tokens. Pack '):format(tokens, budget)
t.check('the float shows the same number', t.floats()[1]:find(size, 1, true) ~= nil, t.floats())
vim.api.nvim_feedkeys('q', 'xt', false)

-- What a pack does not include yet is part of the message.
local freshness = require('kenning.freshness')
local pending = { pending_files = 2, history_pending = true, vectors_pending = true }
local expected = ' (2 files are not indexed yet, commits are not read yet, vectors are not computed yet)'
local described = freshness.describe(pending)
t.check('the message names missing files, commits and vectors', described == expected, described)
t.check('a list of users needs only files', freshness.describe_files(pending) == ' (2 files are not indexed yet)')

t.run_command('pack --no-learning --no-position --budget=400 --register=b ' .. TASK, 'register b')
check_equal(
  'a small pack',
  vim.fn.getreg('b'),
  t.run_program({ 'pack', '--refresh', 'never', '--no-learning', '--budget', '400', TASK })
)

t.run_command('files --no-learning --register=c', 'copied to register c: ')
check_equal(
  'the pack of the current file',
  vim.fn.getreg('c'),
  t.run_program({ 'files', '--refresh', 'never', '--no-learning', 'src/itsdangerous/signer.py' })
)
t.run_command('files --no-learning --register=d src/itsdangerous/timed.py src/itsdangerous/exc.py', 'register d')
check_equal(
  'the pack of named files',
  vim.fn.getreg('d'),
  t.run_program({
    'files',
    '--refresh',
    'never',
    '--no-learning',
    'src/itsdangerous/timed.py',
    'src/itsdangerous/exc.py',
  })
)
t.run_command('changes --no-learning --register=e HEAD~1', 'copied to register e: ')
check_equal(
  'the pack of a change',
  vim.fn.getreg('e'),
  t.run_program({ 'changes', '--refresh', 'never', '--no-learning', '--base', 'HEAD~1' })
)
local after = t.request(client, 'kenning.status', {})
t.check('the graph has not changed', before.snapshot == after.snapshot)

-- The cursor's position affects the pack unless the user turns that off.
t.move_to('def get_signature', 'get_signature')
local here
require('kenning.pack').request({ task = TASK }, { position = true, budget = 50000 }, function(pack)
  here = pack
end)
t.wait('a pack with the position arrives', function()
  return here ~= nil
end)
t.check(
  'the position of the cursor affects the pack',
  vim.json.encode(here.symbols):find('editor:here', 1, true) ~= nil
)

-- Without a task, the command asks for one and proposes the selected text.
local prompt
vim.ui.input = function(options, done)
  prompt = options
  done('how keys are derived')
end
t.move_to('class Signer', 'Signer')
vim.cmd.normal({ 'viw\27', bang = true })
local from = #t.messages
vim.cmd("'<,'>Kenning pack --register=g")
t.wait('the command asks for a task', function()
  return #t.messages > from
end)
t.check('the selection is proposed', prompt and prompt.default == 'Signer', prompt)
t.check('the entered text is the task', vim.fn.getreg('g'):find('how keys are derived', 1, true) ~= nil)
vim.ui.input = function(_, done)
  done(nil)
end
vim.cmd('Kenning pack')
t.check('a cancelled prompt shows no pack', #t.messages == from + 1, t.messages)
local completed = require('kenning.commands').complete('how', 'Kenning pack how')
t.check('tasks are completed', completed[1] == 'how keys are derived', completed)
