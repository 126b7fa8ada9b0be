-- Helpers of the specs: checks, waiting, captured messages, and the command line run beside the
-- session.
local M = {}

-- Timeout in milliseconds, longer than any step takes: a check that reaches it has failed. Set it
-- lower for checks that should fail.
local PATIENCE = 1000 * tonumber(vim.env.KENNING_TEST_PATIENCE or 60)

local failed, count = 0, 0

M.said = {} ---@type string[] the messages that vim.notify showed
local notify = function(message)
  table.insert(M.said, message)
end
vim.notify = notify
vim.notify_once = function(message)
  if not vim.tbl_contains(M.said, message) then
    notify(message)
  end
end

--- Records whether a condition holds.
function M.check(name, holds, detail)
  count = count + 1
  if not holds then
    failed = failed + 1
    io.stdout:write(('  FAILED %s: %s\n'):format(name, type(detail) == 'string' and detail or vim.inspect(detail)))
  elseif vim.env.KENNING_TEST_VERBOSE then
    io.stdout:write(('  ok     %s\n'):format(name))
  end
  return holds
end

--- Waits until a condition holds; `detail()` describes the state if it does not.
function M.wait(name, holds, detail)
  local held = vim.wait(PATIENCE, holds, 20)
  return M.check(name, held, not held and (detail and detail() or { said = M.said }) or nil)
end

--- Whether a message from number `from` on contains `text`.
function M.was_said(text, from)
  for at = from or 1, #M.said do
    if M.said[at]:find(text, 1, true) then
      return true
    end
  end
  return false
end

--- Runs `:Kenning ...` and waits for a message that contains `text`.
function M.kenning(arguments, text)
  local from = #M.said + 1
  vim.cmd('Kenning ' .. arguments)
  M.wait((':Kenning %s says %q'):format(arguments, text), function()
    return M.was_said(text, from)
  end, function()
    return vim.list_slice(M.said, from)
  end)
end

function M.clients()
  return vim.lsp.get_clients({ name = 'kenning' })
end

--- Waits until the current buffer has a client and everything is indexed. Returns the client and
--- the status.
function M.ready()
  local client
  M.wait('the server is attached', function()
    client = vim.lsp.get_clients({ name = 'kenning', bufnr = 0 })[1]
    return client ~= nil and client.initialized == true
  end)
  local status
  -- Events of the file watchers on the copied workspace may come late and trigger another check of
  -- the disk, so the state must stay settled for three checks in a row.
  local quiet = 0
  local function is_settled()
    -- A client that was killed meanwhile does not answer; its replacement does.
    client = vim.lsp.get_clients({ name = 'kenning', bufnr = 0 })[1] or client
    status = M.ask(client, 'kenning.status', {}, 5000)
    local indexed = status and status.phase == 'ready' and status.pending_files == 0 and not status.disk_check_pending
    local settled = indexed and status.commits > 0 and status.with_history == status.symbols
    quiet = settled and quiet + 1 or 0
    return quiet >= 3
  end
  local settled = vim.wait(PATIENCE, is_settled, 200)
  M.check('everything is indexed, the history as well', settled, status)
  return client, status
end

--- Sends a command to the server and waits for the answer.
function M.ask(client, command, argument, patience)
  local answered, answer
  require('kenning.lsp').request(
    client,
    'workspace/executeCommand',
    { command = command, arguments = { next(argument) and argument or vim.empty_dict() } },
    function(problem, result)
      answered, answer = true, result or problem
    end,
    vim.api.nvim_get_current_buf()
  )
  vim.wait(patience or PATIENCE, function()
    return answered == true
  end, 10)
  return answer
end

--- Returns what the program prints. It runs beside the session, so it may only read.
function M.program(arguments)
  local command = vim.list_extend({ 'kenning' }, arguments)
  local answer = vim.system(command, { cwd = vim.env.KENNING_TEST_REPOSITORY }):wait(PATIENCE)
  M.check(table.concat(command, ' ') .. ' succeeds', answer.code == 0, answer)
  return answer.stdout
end

--- Returns the text of every floating window.
function M.floats()
  local texts = {}
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
      table.insert(texts, table.concat(lines, '\n'))
    end
  end
  return texts
end

--- Returns the lenses drawn in the current buffer: text by line, from 1.
function M.lenses()
  vim.cmd('redraw')
  local drawn = {}
  for name, namespace in pairs(vim.api.nvim_get_namespaces()) do
    local marks = name:find('codelens') and vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true }) or {}
    for _, mark in ipairs(marks) do
      local chunks = vim.deepcopy(mark[4].virt_text or {})
      for _, line in ipairs(mark[4].virt_lines or {}) do
        vim.list_extend(chunks, line)
      end
      local text = vim.trim(table.concat(vim.tbl_map(function(chunk)
        return chunk[1]
      end, chunks)))
      if text ~= '' then
        drawn[mark[2] + 1] = text
      end
    end
  end
  return drawn
end

--- Returns the lens of the line that contains a text. Moves the cursor there, because Neovim 0.12
--- requests only the lenses on the screen.
function M.lens(text)
  local line = M.line_of(text)
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  return M.lenses()[line]
end

--- Returns the number of the current buffer's line that contains a text, from 1.
function M.line_of(text)
  for at, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    if line:find(text, 1, true) then
      return at
    end
  end
  error(('no line has %q'):format(text))
end

--- Moves the cursor to a text.
function M.stand_on(line, text)
  local at = M.line_of(line)
  local column = vim.api.nvim_buf_get_lines(0, at - 1, at, false)[1]:find(text or line, 1, true)
  vim.api.nvim_win_set_cursor(0, { at, column - 1 })
end

--- Runs a spec once Neovim has started, and ends Neovim with the spec's outcome.
function M.run(spec)
  vim.defer_fn(function()
    M.run_now(spec)
  end, 0)
end

function M.run_now(spec)
  local ok, problem = xpcall(dofile, debug.traceback, spec)
  if not ok then
    failed = failed + 1
    io.stdout:write(problem .. '\n')
  end
  local name = vim.fn.fnamemodify(spec, ':t:r')
  io.stdout:write(('%s %s: %d checks\n'):format(failed == 0 and 'ok    ' or 'FAILED', name, count))
  vim.cmd(failed == 0 and 'qa!' or 'cq!')
end

return M
