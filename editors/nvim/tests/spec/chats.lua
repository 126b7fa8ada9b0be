-- The context of Kenning in AI chats: CodeCompanion, CopilotChat and avante. Runs with small
-- stand-ins for the plugins (tests/stubs) unless KENNING_CODECOMPANION, KENNING_COPILOT_CHAT and
-- KENNING_AVANTE name checkouts of the plugins. KENNING_PLENARY then names a checkout of
-- plenary.nvim.
local t = require('support')

local SOURCE = 'src/itsdangerous/signer.py'
local TASK = 'sign a value with a key'
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')

vim.o.showmode = false
vim.cmd.edit(SOURCE)
t.wait_until_ready()
local buffer = vim.api.nvim_get_current_buf()

--- Loads a plugin from the checkout that an environment variable names, or else its stand-in.
--- Returns true for the real plugin.
local function load_plugin(variable, stub)
  local checkout = vim.env[variable]
  -- The plugins need a later Neovim than Kenning's.
  if not checkout or checkout == '' or vim.fn.has('nvim-0.11') == 0 then
    dofile(('%s/stubs/%s.lua'):format(here, stub))
    return false
  end
  vim.opt.runtimepath:prepend(checkout)
  if vim.env.KENNING_PLENARY then
    vim.opt.runtimepath:prepend(vim.env.KENNING_PLENARY)
  end
  return true
end

local function is_pack(text, task)
  return type(text) == 'string'
    and vim.startswith(text, '# Context: ' .. task)
    and text:find('class Signer', 1, true) ~= nil
end

-- The answers, without a plugin.
local agents = require('kenning.agents')
local function answer(name, input)
  return agents.answer_now(name, input, { buffer = buffer })
end
local printed = t.run_program({ 'blast', '--refresh', 'never', 'Signer.sign' })
t.check('the blast radius is the output of the program', answer('blast', { symbol = 'Signer.sign' }) == printed)
local line = t.line_of('def sign(')
local at_line = answer('blast', { file = SOURCE, line = line, symbol = vim.NIL })
t.check('a line of a file selects its symbol', at_line == printed, at_line)
local files = answer('pack', { op = 'files', files = { SOURCE } })
t.check('the files are the subject', files and vim.startswith(files, '# Context: ' .. SOURCE), files)
local tests = answer('tests', { files = { SOURCE } })
t.check('the tests of a file are found', tests and tests:find('test_signer', 1, true) ~= nil, tests)
local nothing, problem = answer('pack', { task = '' })
t.check('a missing task is explained', nothing == nil and vim.startswith(problem, 'task: missing'), problem)
nothing, problem = answer('blast', { symbol = 'nobody' })
t.check(
  'an unknown symbol is explained',
  nothing == nil and problem:find('no symbol is named nobody', 1, true),
  problem
)
vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { '', '', 'def countersign(value):', '    return value' })
local unsaved = answer('pack', { task = 'change countersign' })
t.check('an answer includes unsaved text', unsaved and unsaved:find('def countersign', 1, true) ~= nil, unsaved)

-- CodeCompanion.
local is_real = load_plugin('KENNING_CODECOMPANION', 'codecompanion')
local adapter = {
  name = 'test_adapter',
  formatted_name = 'Test',
  url = 'http://localhost/none',
  headers = {},
  parameters = {},
  roles = { llm = 'assistant', user = 'user' },
  opts = { stream = true },
  handlers = {
    form_parameters = function()
      return {}
    end,
    form_messages = function()
      return {}
    end,
    is_complete = function()
      return false
    end,
    tools = {
      output_response = function(_, call, output)
        return { role = 'tool', tools = { call_id = call.id }, content = output, opts = { visible = false } }
      end,
    },
  },
  schema = { model = { default = 'none' } },
}
if is_real then
  -- No request leaves the test.
  local function never_answer()
    return { args = {}, shutdown = function() end }
  end
  local methods = require('codecompanion.http').static.methods
  methods.post.default, methods.get.default = never_answer, never_answer
end
require('codecompanion').setup({
  adapters = { http = { test_adapter = adapter } },
  interactions = { chat = { adapter = 'test_adapter' } },
  extensions = { kenning = { opts = {} } },
})
local config = require('codecompanion.config').interactions
local context = { bufnr = buffer, filetype = 'python' }
local chat = require('codecompanion.interactions.chat').new({ buffer_context = context, adapter = 'test_adapter' })

--- Waits until the chat has a message for which `is_wanted` is true, and returns it.
local function wait_for_message(name, is_wanted)
  local found
  t.wait(name, function()
    found = vim.iter(chat.messages):find(function(message)
      return type(message.content) == 'string' and is_wanted(message)
    end)
    return found ~= nil
  end, function()
    return { messages = chat.messages, shown = t.messages }
  end)
  return found or {}
end

vim.ui.input = function(_, done)
  done(TASK)
end
local slash_commands = require('codecompanion.interactions.chat.slash_commands')
slash_commands.run({ label = 'kenning', config = config.chat.slash_commands.kenning }, chat)
local added = wait_for_message('/kenning adds the pack for the task', function(message)
  return is_pack(message.content, TASK)
end)
t.check('the pack is context with a name', added.context.id == ('<kenning>%s</kenning>'):format(TASK), added.context)

chat:add_buf_message({ role = 'user', content = 'how are keys derived? #{kenning}' })
chat:submit()
wait_for_message('#{kenning} adds the pack for the message', function(message)
  return is_pack(message.content, 'how are keys derived?')
end)
wait_for_message('the message names the context', function(message)
  return message.content == 'how are keys derived? the context from Kenning'
end)

local calls = {
  {
    id = 'call-1',
    type = 'function',
    ['function'] = { name = 'kenning_blast', arguments = '{"symbol":"Signer.sign","depth":null}' },
  },
}
chat.tools:execute(chat, calls)
wait_for_message('the model gets the blast radius', function(message)
  return message.role == 'tool' and vim.startswith(message.content, '# Blast radius of `Signer.sign`')
end)
calls[1].id, calls[1]['function'].arguments = 'call-2', '{"symbol":"nobody"}'
chat.tools:execute(chat, calls)
wait_for_message('the model gets the problem of a tool', function(message)
  return message.role == 'tool' and message.content:find('no symbol is named nobody', 1, true) ~= nil
end)
t.check('the tools have a group', #config.chat.tools.groups.kenning.tools == 3, config.chat.tools.groups)
local editor_context = require('codecompanion._extensions.kenning.editor_context')
t.check(
  'a task in a tag stays in the message',
  editor_context.replace('#', 'do it: #{kenning:sign 100% of values} now') == 'do it: sign 100% of values now'
)
local rendered = editor_context.new({ buffer_context = context, target = TASK }):cli_render()
t.check('the prompt of a command-line agent has the pack', rendered and is_pack(rendered.block, TASK), rendered)

-- CopilotChat.
load_plugin('KENNING_COPILOT_CHAT', 'copilot_chat')
require('CopilotChat').setup({ functions = require('kenning.chats.copilot_chat').functions() })
local copilot_config = require('CopilotChat').config
local source = {
  bufnr = buffer,
  cwd = function()
    return vim.fn.getcwd()
  end,
}

--- Runs a function of CopilotChat in the way of a prompt or a model, and returns its outcome.
local function call_function(name, input)
  local outcome
  require('plenary.async').run(function()
    return require('CopilotChat.prompts').execute_tool_call(name, input, copilot_config, source)
  end, function(ok, output)
    outcome = { ok = ok, output = output }
  end)
  t.wait(('%s of CopilotChat answers'):format(name), function()
    return outcome ~= nil
  end)
  return outcome or {}
end
local resource = call_function('kenning', TASK)
t.check('#kenning adds the pack as a resource', resource.ok and is_pack(resource.output[1].data, TASK), resource)
local uri = resource.ok and resource.output[1].uri or ''
t.check('the URI of the resource has no space', uri == 'kenning://sign%20a%20value%20with%20a%20key', uri)
local again = call_function('kenning', { task = uri:gsub('^kenning://', '') })
t.check('the URI leads to the same pack', again.ok and is_pack(again.output[1].data, TASK), again)
local radius = call_function('kenning_blast', { symbol = 'Signer.sign' })
t.check(
  'a model calls the blast radius',
  radius.ok and vim.startswith(radius.output[1].data, '# Blast radius of `Signer.sign`'),
  radius
)
local refused = call_function('kenning_blast', { symbol = 'nobody' })
t.check(
  'a problem is an error with a text',
  refused.ok == false and tostring(refused.output):find('no symbol is named nobody', 1, true) ~= nil,
  refused
)

-- avante.
load_plugin('KENNING_AVANTE', 'avante')
local avante_tools = require('kenning.chats.avante').tools()
local properties, required = require('avante.utils').llm_tool_param_fields_to_json_schema(avante_tools[1].param.fields)
t.check('no argument is required', #required == 0, required)
t.check('the choices are described', vim.tbl_contains(properties.op.enum, 'change'), properties)
t.check('the files are a list of texts', properties.files.items.type == 'string', properties)

--- Runs a tool of avante, and returns the text and the problem.
local function call_tool(name, input)
  local outcome
  local result, failure = require('avante.llm_tools').process_tool_use(
    avante_tools,
    { name = name, id = 'call-1', input = input },
    {
      session_ctx = {},
      on_complete = function(...)
        outcome = { ... }
      end,
    }
  )
  t.check('the answer comes later', result == nil and failure == nil, { result, failure })
  t.wait(('%s of avante answers'):format(name), function()
    return outcome ~= nil
  end)
  return unpack(outcome or {}, 1, 2)
end
local text = call_tool('kenning_pack', { task = TASK })
t.check('a model of avante gets the pack', is_pack(text, TASK), text)
local absent, why = call_tool('kenning_blast', { symbol = 'nobody' })
t.check('a model of avante gets the problem', absent == nil and why:find('no symbol is named nobody', 1, true), why)
