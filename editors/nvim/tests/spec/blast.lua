-- Blast radius and affected tests in the quickfix list, in vim.ui.select and as text.
local t = require('support')

vim.cmd.edit('src/itsdangerous/signer.py')
t.wait_until_ready()
local source = vim.api.nvim_get_current_buf()

local function list()
  return vim.fn.getqflist({ title = 1, items = 1 })
end

t.move_to('def derive_key', 'derive_key')
vim.cmd('Kenning blast')
t.wait('the list opens', function()
  return vim.bo.buftype == 'quickfix'
end)
local printed =
  vim.json.decode(t.run_program({ 'blast', '--refresh', 'never', '--format', 'json', 'Signer.derive_key' }))
local numbers = printed.title
t.check('the title has the numbers', list().title == 'Blast radius of Signer.derive_key: ' .. numbers, list().title)
local function entries()
  return vim.tbl_filter(function(item)
    return item.valid == 1
  end, list().items)
end
local group = printed.users[1]
local heading = ('%s: %d'):format(group.label, group.count.value)
t.check('roles are headings', list().items[1].valid == 0 and list().items[1].text == heading, list().items[1])
local first = entries()[1]
local caller = printed.callers[1]
t.check('the first entry is the first call', first.lnum == caller.call_line, { first, caller })
t.check('the first entry names the caller', first.text == caller.name .. '  calls it', first.text)
local symbols = {}
for _, item in ipairs(entries()) do
  local name = item.text:match('^~?(.-)  ')
  local key = vim.fn.bufname(item.bufnr) .. item.lnum .. name
  t.check(name .. ' is listed once', not symbols[key], item.text)
  symbols[key] = true
end
t.check('dependents and tests are listed', #entries() > #printed.callers, #entries())
vim.cmd.cc()
t.check('the current item leads to the call', vim.api.nvim_win_get_cursor(0)[1] == caller.call_line)
vim.cmd.cclose()

-- `--to=select` uses the user's vim.ui.select.
local shown
vim.ui.select = function(items, options, done)
  shown = { items = items, options = options, lines = vim.tbl_map(options.format_item, items) }
  done(items[1])
end
vim.api.nvim_set_current_buf(source)
t.move_to('def derive_key', 'derive_key')
vim.api.nvim_win_set_cursor(0, { vim.api.nvim_win_get_cursor(0)[1], 10 })
vim.cmd('Kenning blast --to=select')
t.wait('the entries are shown', function()
  return shown ~= nil
end)
t.check('as many entries as in the quickfix list are shown', #shown.items == #entries(), #shown.items)
t.check('the prompt is the title of the list', shown.options.prompt == list().title, shown.options.prompt)
local location_line = ('%s  src/itsdangerous/signer.py:%d'):format(first.text, caller.call_line)
t.check('an entry has its file and line', shown.lines[1] == location_line, shown.lines[1])
t.check('choosing an entry leads to the call', vim.api.nvim_win_get_cursor(0)[1] == caller.call_line)

-- The users as a tree, expanded level by level.
vim.api.nvim_set_current_buf(source)
vim.cmd('Kenning blast --to=tree Signer.derive_key')
t.wait('the tree opens', function()
  return vim.bo.filetype == 'kenning-users'
end)
local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end
local function type_keys(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false)
end
t.check('the first line has the numbers', lines()[1]:find(numbers, 1, true) ~= nil, lines()[1])
t.check('the second line is a role', lines()[2] == '▾ ' .. heading, lines()[2])
t.check('the third line is a file', lines()[3] == '  ▾ src/itsdangerous/signer.py', lines()[3])
local user_line = ('▸ %d  %s (calls it)'):format(caller.call_line, caller.name)
t.check('the fourth line is a user', vim.trim(lines()[4]) == user_line, lines()[4])
local collapsed = #lines()
vim.api.nvim_win_set_cursor(0, { 4, 0 })
type_keys('<Tab>')
t.wait('a user expands to its own users', function()
  return #lines() > collapsed and lines()[4]:find('▾', 1, true) ~= nil
end, lines)
t.check('its users have their files', lines()[5]:find('%S+%.py:%d+  %S+ %(') ~= nil, lines()[5])
type_keys('o')
t.check('a user collapses', #lines() == collapsed, lines())
type_keys('<CR>')
t.check('a user leads to its call', vim.api.nvim_win_get_cursor(0)[1] == caller.call_line)

-- The blast radius of a named symbol, as text.
vim.cmd('Kenning blast --to=register --register=a Signer.derive_key')
t.wait('the text is in the register', function()
  return vim.fn.getreg('a') ~= ''
end)
local text = t.run_program({ 'blast', '--refresh', 'never', 'Signer.derive_key' })
t.check('the text is the output of the program', vim.fn.getreg('a') == text, { vim.fn.getreg('a'), text })
t.run_command('blast no_such_symbol', 'no_such_symbol')

-- Affected tests of a file, and of a change.
vim.cmd('Kenning tests src/itsdangerous/signer.py')
t.wait('the tests are listed', function()
  return list().title:find('affected tests of src/itsdangerous/signer.py', 1, true) ~= nil
end, list)
local tests =
  vim.json.decode(t.run_program({ 'tests', '--refresh', 'never', '--format', 'json', 'src/itsdangerous/signer.py' }))
t.check(
  'all affected tests are listed',
  #list().items == #tests.tests and #tests.tests > 0,
  { #list().items, #tests.tests }
)
for index, test in ipairs(tests.tests) do
  local names = vim.tbl_map(function(symbol)
    return symbol.name
  end, test.path)
  local path = #names > 1 and table.concat(names, ' → ') or names[1]
  t.check(
    'each test has its call path',
    list().items[index].text:find(path, 1, true) ~= nil,
    { list().items[index].text, path }
  )
end
vim.cmd.cclose()
t.run_command('tests --base=HEAD', '0 affected tests of the change since HEAD')
