-- The search in the quickfix list and with vim.ui.select, and the questions of a live search.
local t = require('support')

vim.cmd.edit('src/itsdangerous/signer.py')
local client = t.wait_until_ready()
local source = vim.api.nvim_get_current_buf()
local choices = require('kenning.search_choices')

--- Returns the hits that the program prints.
local function printed(...)
  local arguments = { 'search', '--refresh', 'never', '--json', '--max-results', '50', ... }
  return vim.json.decode(t.run_program(arguments)).hits
end

--- Returns the places of hits or of quickfix items: `src/itsdangerous/signer.py:8`.
local function places(hits)
  return vim.tbl_map(function(hit)
    return ('%s:%d'):format(hit.file or vim.fn.bufname(hit.bufnr), hit.line or hit.lnum or 1)
  end, hits)
end

-- The choices equal the choices in the protocol.
local declared =
  table.concat(vim.fn.readfile(vim.api.nvim_get_runtime_file('lua/kenning/protocol.lua', false)[1]), '\n')
for alias, values in pairs({ SearchScopeName = choices.scopes, SearchModeName = choices.modes }) do
  local names = {}
  for name in declared:match('@alias kenning.protocol.' .. alias .. ' ([^\n]*)'):gmatch("'([^']+)'") do
    table.insert(names, name)
  end
  t.check(
    alias .. ' has the values of the server',
    vim.deep_equal(vim.fn.sort(names), vim.fn.sort(vim.deepcopy(values)))
  )
end

-- The quickfix list.
local query = 'sign a value with a key'
vim.cmd('Kenning search ' .. query)
t.wait('the list opens', function()
  return vim.bo.buftype == 'quickfix'
end)
local list = vim.fn.getqflist({ title = 1, items = 1 })
local hits = printed(query)
t.check('the title has the query', list.title == ('%d results for %s'):format(#hits, query), list.title)
t.check('the order is that of the server', vim.deep_equal(places(list.items), places(hits)), places(list.items))
t.check('an entry has its name', vim.startswith(list.items[1].text, hits[1].name .. '  '), list.items[1].text)
vim.cmd.cc()
local name = hits[1].name:match('[^.]+$')
t.check('the first entry leads to the name', vim.fn.expand('<cword>') == name, vim.fn.expand('<cword>'))
vim.cmd.cclose()

-- The scope and the mode.
vim.api.nvim_set_current_buf(source)
vim.cmd('Kenning search --scope=files --mode=keyword signer')
t.wait('only files are listed', function()
  local items = vim.fn.getqflist()
  return #items > 0
    and vim.deep_equal(places(items), places(printed('--scope', 'files', '--mode', 'keyword', 'signer')))
end, function()
  return places(vim.fn.getqflist())
end)
vim.cmd.cclose()

-- The user's vim.ui.select, which is also the picker if no other picker is installed.
local shown, asked
vim.ui.select = function(items, options, done)
  shown = { items = items, options = options, lines = vim.tbl_map(options.format_item, items) }
  done(items[1])
end
vim.ui.input = function(options, done)
  asked = options.prompt
  done('Signer.sign')
end
vim.api.nvim_set_current_buf(source)
vim.cmd('Kenning search')
t.wait('without another picker, the entries are shown with vim.ui.select', function()
  return shown ~= nil
end)
t.check('without a query, the user is asked', asked == 'Search: ', asked)
t.check('an entry has its file', shown.lines[1]:find('src/itsdangerous/signer.py:', 1, true) ~= nil, shown.lines[1])
t.wait('the chosen entry opens', function()
  return vim.fn.expand('<cword>') == 'sign'
end)
shown = nil
require('kenning').search({ query = 'bytes of a number', scope = 'code' })
t.wait('the function searches, too', function()
  return shown ~= nil and shown.items[1].kind ~= 'file'
end, function()
  return shown
end)

-- Messages.
t.run_command('search zzzqx', 'nothing in this workspace matches zzzqx')
t.run_command('search --scope=nowhere x', '--scope must be one of ' .. table.concat(choices.scopes, ', '))
t.run_command('search --picker=telescope x', 'the picker telescope is not installed')
local from = #t.messages + 1
require('kenning').search({ picker = 'nobody' })
t.check('an unknown picker is reported', t.has_message('nobody is not a picker; use one of telescope, ', from))
require('kenning').search({ mode = 'nobody' })
t.check(
  'an unknown mode is reported',
  t.has_message('mode must be one of ' .. table.concat(choices.modes, ', ') .. ', not nobody', from)
)

-- Completion.
local function complete(lead)
  return table.concat(require('kenning.commands').complete(lead, 'Kenning search ' .. lead), ' ')
end
local flags = '--scope=' .. table.concat(choices.scopes, ' --scope=')
t.check('scopes are completed', complete('--scope=') == flags, complete('--scope='))
t.check('pickers are completed', complete('--picker=s') == '--picker=snacks --picker=select', complete('--picker=s'))

-- A live search sends one question for a burst of queries, and drops the answers to earlier
-- questions.
local live = require('kenning.live_search').new(client, source, { scope = 'code' })
local lsp = require('kenning.lsp')
local sent, cancelled, original_request, original_cancel = {}, {}, lsp.request, lsp.cancel
lsp.request = function(...)
  local id = original_request(...)
  local params = select(3, ...)
  -- The lenses of the buffer are requested here, too.
  if params.arguments then
    table.insert(sent, { id = id, query = params.arguments[1].query })
  end
  return id
end
lsp.cancel = function(a_client, id)
  table.insert(cancelled, id)
  original_cancel(a_client, id)
end
local answers = {}
local function ask(text)
  live:ask(text, function(entries)
    table.insert(answers, { query = text, names = entries and #entries })
  end)
end
ask('s')
ask('si')
ask('sign')
t.wait('the last query is sent', function()
  return #sent == 1
end)
ask('derive the key')
t.wait('the last query is answered', function()
  return #answers == 4
end, function()
  return answers
end)
t.check('only queries at a pause are sent', sent[1].query == 'sign' and sent[2].query == 'derive the key', sent)
t.check('the request of the replaced query is cancelled', vim.deep_equal(cancelled, { sent[1].id }), cancelled)
t.check(
  'replaced queries have no entries',
  not (answers[1].names or answers[2].names or answers[3].names) and answers[4].names > 0,
  answers
)
ask('  ')
t.check('a blank query has no entries and is not sent', answers[5].names == 0 and #sent == 2, answers)
lsp.request, lsp.cancel = original_request, original_cancel

-- An error of the server is the only message.
local before_error = #t.messages
lsp.request = function(_, _, _, on_result)
  on_result({ message = 'there is no index' })
end
require('kenning.search').show_list(live, client, 'x', 'quickfix')
t.check('an error is reported', t.has_message('there is no index', before_error + 1), t.messages)
t.check('an error is the only message', #t.messages == before_error + 1, t.messages)
lsp.request = original_request
