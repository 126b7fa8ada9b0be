-- Helpers for the specs: checks, waiting, captured messages, requests to the server, and the
-- command line.
local M = {}

-- Timeout of a check in milliseconds, longer than any step takes. scripts/defects sets a shorter
-- timeout, because its checks are expected to fail.
local TIMEOUT = 1000 * tonumber(vim.env.KENNING_TEST_TIMEOUT or 60)

local failed_checks, check_count = 0, 0

M.messages = {} ---@type string[] the messages that vim.notify showed
local notify = function(message)
  table.insert(M.messages, message)
end
vim.notify = notify
vim.notify_once = function(message)
  if not vim.tbl_contains(M.messages, message) then
    notify(message)
  end
end

--- Records a check, which fails unless `is_true`. `detail` describes the state.
function M.check(name, is_true, detail)
  check_count = check_count + 1
  if not is_true then
    failed_checks = failed_checks + 1
    io.stdout:write(('  FAILED %s: %s\n'):format(name, type(detail) == 'string' and detail or vim.inspect(detail)))
  elseif vim.env.KENNING_TEST_VERBOSE then
    io.stdout:write(('  ok     %s\n'):format(name))
  end
  return is_true
end

--- Waits until a condition is true. If it stays false, the check fails, and `detail()` describes
--- the state.
function M.wait(name, condition, detail)
  local is_true = vim.wait(TIMEOUT, condition, 20)
  return M.check(name, is_true, not is_true and (detail and detail() or { messages = M.messages }) or nil)
end

--- Whether a message from number `from` on contains `text`.
function M.has_message(text, from)
  for at = from or 1, #M.messages do
    if M.messages[at]:find(text, 1, true) then
      return true
    end
  end
  return false
end

--- Runs `:Kenning ...` and waits for a message that contains `text`.
function M.run_command(arguments, text)
  local from = #M.messages + 1
  vim.cmd('Kenning ' .. arguments)
  M.wait((':Kenning %s shows a message with %q'):format(arguments, text), function()
    return M.has_message(text, from)
  end, function()
    return vim.list_slice(M.messages, from)
  end)
end

--- Returns the Kenning clients.
function M.clients()
  return vim.lsp.get_clients({ name = 'kenning' })
end

--- Waits until the current buffer has a client and everything is indexed. Returns the client and
--- the status.
function M.wait_until_ready()
  local client
  M.wait('the server is attached', function()
    client = vim.lsp.get_clients({ name = 'kenning', bufnr = 0 })[1]
    return client ~= nil and client.initialized == true
  end)
  local status
  -- Events of the file watchers on the copied workspace may come late and trigger another check of
  -- the disk, so the state must be settled three times in a row.
  local settled_polls = 0
  local function is_settled()
    -- If the client was killed in the meantime, use its replacement.
    client = vim.lsp.get_clients({ name = 'kenning', bufnr = 0 })[1] or client
    status = M.request(client, 'kenning.status', {}, 5000)
    local indexed = status and status.phase == 'ready' and status.pending_files == 0 and not status.disk_check_pending
    local is_complete = indexed and status.commits > 0 and status.with_history == status.symbols
    settled_polls = is_complete and settled_polls + 1 or 0
    return settled_polls >= 3
  end
  local settled = vim.wait(TIMEOUT, is_settled, 200)
  M.check('everything is indexed, including the history', settled, status)
  return client, status
end

--- Sends a command to the server and waits for the answer.
function M.request(client, command, argument, timeout)
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
  vim.wait(timeout or TIMEOUT, function()
    return answered == true
  end, 10)
  return answer
end

--- Runs the program on the same workspace and returns its output. It must not write to the index.
function M.run_program(arguments)
  local command = vim.list_extend({ 'kenning' }, arguments)
  local answer = vim.system(command, { cwd = vim.env.KENNING_TEST_REPOSITORY }):wait(TIMEOUT)
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
  local lenses = {}
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
        lenses[mark[2] + 1] = text
      end
    end
  end
  return lenses
end

--- Returns the lens of the line that contains a text. Moves the cursor there, because Neovim 0.12
--- requests only the lenses on the screen.
function M.lens(text)
  local line = M.line_of(text)
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  return M.lenses()[line]
end

--- Returns the number, from 1, of the first line in the current buffer that contains a text.
function M.line_of(text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    if line:find(text, 1, true) then
      return number
    end
  end
  error(('no line has %q'):format(text))
end

--- Moves the cursor to a text in the line that contains `line`, by default to `line` itself.
function M.move_to(line, text)
  local number = M.line_of(line)
  local column = vim.api.nvim_buf_get_lines(0, number - 1, number, false)[1]:find(text or line, 1, true)
  vim.api.nvim_win_set_cursor(0, { number, column - 1 })
end

--- Runs a spec when Neovim has started, and exits with the spec's outcome.
function M.run(spec)
  vim.defer_fn(function()
    M.run_now(spec)
  end, 0)
end

--- Runs a spec, prints its outcome, and exits.
function M.run_now(spec)
  local ok, problem = xpcall(dofile, debug.traceback, spec)
  if not ok then
    failed_checks = failed_checks + 1
    io.stdout:write(problem .. '\n')
  end
  local name = vim.fn.fnamemodify(spec, ':t:r')
  io.stdout:write(('%s %s: %d checks\n'):format(failed_checks == 0 and 'ok    ' or 'FAILED', name, check_count))
  vim.cmd(failed_checks == 0 and 'qa!' or 'cq!')
end

return M
