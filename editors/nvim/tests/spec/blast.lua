-- Blast radius and affected tests in the quickfix list, in vim.ui.select and as text.
local t = require('support')

vim.cmd.edit('src/itsdangerous/signer.py')
t.ready()
local source = vim.api.nvim_get_current_buf()

local function list()
  return vim.fn.getqflist({ title = 1, items = 1 })
end

t.stand_on('def derive_key', 'derive_key')
vim.cmd('Kenning blast')
t.wait('the list opens', function()
  return vim.bo.buftype == 'quickfix'
end)
local printed = vim.json.decode(t.program({ 'blast', '--refresh', 'never', '--format', 'json', 'Signer.derive_key' }))
local numbers = printed.title
t.check('the title has the numbers', list().title == 'Blast radius of Signer.derive_key: ' .. numbers, list().title)
local function places()
  return vim.tbl_filter(function(item)
    return item.valid == 1
  end, list().items)
end
local group = printed.users[1]
local heading = ('%s: %d'):format(group.label, group.count.value)
t.check('roles are headings', list().items[1].valid == 0 and list().items[1].text == heading, list().items[1])
local first = places()[1]
local caller = printed.callers[1]
t.check('the first place is the first call', first.lnum == caller.call_line, { first, caller })
t.check('it names the caller', first.text == caller.name .. '  calls it', first.text)
local symbols = {}
for _, item in ipairs(places()) do
  local name = item.text:match('^~?(.-)  ')
  local key = vim.fn.bufname(item.bufnr) .. item.lnum .. name
  t.check(name .. ' stands there once', not symbols[key], item.text)
  symbols[key] = true
end
t.check('dependents and tests as well', #places() > #printed.callers, #places())
vim.cmd.cc()
t.check('a place can be gone to', vim.api.nvim_win_get_cursor(0)[1] == caller.call_line)
vim.cmd.cclose()

-- The list uses whatever replaces vim.ui.select.
local offered
vim.ui.select = function(items, options, done)
  offered = { items = items, options = options, lines = vim.tbl_map(options.format_item, items) }
  done(items[1])
end
vim.api.nvim_set_current_buf(source)
t.stand_on('def derive_key', 'derive_key')
vim.api.nvim_win_set_cursor(0, { vim.api.nvim_win_get_cursor(0)[1], 10 })
vim.cmd('Kenning blast --to=select')
t.wait('the places are offered', function()
  return offered ~= nil
end)
t.check('as many as in the list', #offered.items == #places(), #offered.items)
t.check('with the title', offered.options.prompt == list().title, offered.options.prompt)
local place = ('%s  src/itsdangerous/signer.py:%d'):format(first.text, caller.call_line)
t.check('each with its file', offered.lines[1] == place, offered.lines[1])
t.check('the chosen one is gone to', vim.api.nvim_win_get_cursor(0)[1] == caller.call_line)

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
t.check('then roles', lines()[2] == '▾ ' .. heading, lines()[2])
t.check('then files', lines()[3] == '  ▾ src/itsdangerous/signer.py', lines()[3])
local entry = ('▸ %d  %s (calls it)'):format(caller.call_line, caller.name)
t.check('then users', vim.trim(lines()[4]) == entry, lines()[4])
local before = #lines()
vim.api.nvim_win_set_cursor(0, { 4, 0 })
type_keys('<Tab>')
t.wait('a user opens to its own users', function()
  return #lines() > before and lines()[4]:find('▾', 1, true) ~= nil
end, lines)
t.check('which have their files', lines()[5]:find('%S+%.py:%d+  %S+ %(') ~= nil, lines()[5])
type_keys('o')
t.check('and closes', #lines() == before, lines())
type_keys('<CR>')
t.check('a user can be gone to', vim.api.nvim_win_get_cursor(0)[1] == caller.call_line)

-- A named symbol, as text.
vim.cmd('Kenning blast --to=register --register=a Signer.derive_key')
t.wait('the text is there', function()
  return vim.fn.getreg('a') ~= ''
end)
local text = t.program({ 'blast', '--refresh', 'never', 'Signer.derive_key' })
t.check('it is what the program prints', vim.fn.getreg('a') == text, { vim.fn.getreg('a'), text })
t.kenning('blast no_such_symbol', 'no_such_symbol')

-- Affected tests of a file, and of a change.
vim.cmd('Kenning tests src/itsdangerous/signer.py')
t.wait('the tests are listed', function()
  return list().title:find('affected tests of src/itsdangerous/signer.py', 1, true) ~= nil
end, list)
local tests =
  vim.json.decode(t.program({ 'tests', '--refresh', 'never', '--format', 'json', 'src/itsdangerous/signer.py' }))
t.check('all of them', #list().items == #tests.tests and #tests.tests > 0, { #list().items, #tests.tests })
for at, test in ipairs(tests.tests) do
  local names = vim.tbl_map(function(symbol)
    return symbol.name
  end, test.path)
  local way = #names > 1 and table.concat(names, ' → ') or names[1]
  t.check('each with its way', list().items[at].text:find(way, 1, true) ~= nil, { list().items[at].text, way })
end
vim.cmd.cclose()
t.kenning('tests --base=HEAD', '0 affected tests of the change since HEAD')
