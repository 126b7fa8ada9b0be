-- The LSP client: its configuration, lookup, requests and restart.
local options = require('kenning.options')
local wait = require('kenning.wait')

local M = {}

M.NAME = 'kenning'
-- The languages that Kenning indexes, by their filetypes in Neovim.
M.FILETYPES = {
  'asciidoc',
  'bash',
  'c',
  'cmake',
  'cpp',
  'cs',
  'cuda',
  'dart',
  'dockerfile',
  'elixir',
  'go',
  'graphql',
  'haskell',
  'java',
  'javascript',
  'javascriptreact',
  'kotlin',
  'lua',
  'make',
  'markdown',
  'mdx',
  'objc',
  'objcpp',
  'ocaml',
  'php',
  'proto',
  'python',
  'rst',
  'ruby',
  'rust',
  'sbt',
  'scala',
  'sh',
  'sql',
  'svelte',
  'swift',
  'terraform',
  'tpp',
  'typescript',
  'typescriptreact',
  'vue',
  'yaml.docker-compose',
  'zig',
  'zsh',
}
-- The root markers in order of precedence: the root of a repository takes precedence over a
-- manifest inside it.
M.ROOT_MARKERS = {
  'kenning.toml',
  '.git',
  '.hg',
  '.jj',
  'go.work',
  'go.mod',
  'Cargo.toml',
  'package.json',
  'pyproject.toml',
  'setup.py',
  'pom.xml',
  'build.gradle',
  'Gemfile',
}

-- Timeout for the start and the end of a server, in milliseconds.
local SERVER_TIMEOUT = 30000
-- Interval for polling the status while the first index is built, in milliseconds.
local POLL_INTERVAL = 200
-- Maximum number of restarts after crashes within `CRASH_WINDOW` seconds.
local MAX_RESTARTS, CRASH_WINDOW = 3, 300

local has_nvim_011 = vim.fn.has('nvim-0.11') == 1

--- Shows a message to the user.
---@param message string
---@param level? integer
function M.notify(message, level)
  vim.notify('Kenning: ' .. message, level or vim.log.levels.INFO)
end

--- Returns all clients, including clients that are not initialized yet.
local function clients()
  return vim.lsp.get_clients({ name = M.NAME, _uninitialized = true })
end

--- Calls a client's method. In Neovim 0.10, methods do not take the client as first argument.
local function call(client, method, ...)
  if has_nvim_011 then
    return client[method](client, ...)
  end
  return client[method](...)
end

--- Whether the client's server has ended.
local function has_ended(client)
  return vim.lsp.get_client_by_id(client.id) == nil or call(client, 'is_stopped')
end

local crash_times = {} ---@type integer[] in seconds

--- Restarts a server that crashed. Neovim itself reports the exit.
local function on_exit(code, signal, client_id)
  local crashed = code ~= 0 or (signal ~= 0 and signal ~= 15)
  local client = vim.lsp.get_client_by_id(client_id)
  -- A server that failed to initialize would fail again.
  if not crashed or vim.v.exiting ~= vim.NIL or not client or not client.initialized then
    return
  end
  local buffers, root = vim.tbl_keys(client.attached_buffers), client.config.root_dir
  vim.schedule(function()
    local now = os.time()
    crash_times = vim.tbl_filter(function(time)
      return now - time < CRASH_WINDOW
    end, crash_times)
    table.insert(crash_times, now)
    if #crash_times > MAX_RESTARTS then
      M.notify('the server keeps crashing; see :Kenning log, then run :Kenning restart', vim.log.levels.ERROR)
      return
    end
    M.notify('the server crashed and is restarting', vim.log.levels.WARN)
    M.replace_server(client, buffers, root)
  end)
end

--- Returns the client's configuration in the form that `vim.lsp.config()` and `vim.lsp.start()`
--- take.
function M.config()
  local current = options.get()
  local config = {
    name = M.NAME,
    cmd = current.cmd,
    filetypes = M.FILETYPES,
    root_markers = M.ROOT_MARKERS,
    workspace_required = true,
    settings = next(current.settings) and { kenning = current.settings } or {},
    capabilities = {
      -- Declares that the client runs these commands itself.
      experimental = { kenning = { clientCommands = { 'kenning.showBlastRadius', 'kenning.copyContext' } } },
      workspace = { codeLens = { refreshSupport = true } },
    },
    commands = {
      ['kenning.showBlastRadius'] = function(command, context)
        require('kenning.blast').run_command(command.arguments[1], context)
      end,
      ['kenning.copyContext'] = function(command)
        require('kenning.pack').run_command(command.arguments[1])
      end,
    },
    handlers = {
      ['window/logMessage'] = function(...)
        require('kenning.log').handle_message(...)
      end,
    },
    on_exit = on_exit,
  }
  if vim.fn.has('nvim-0.12') == 0 then
    config.handlers['workspace/codeLens/refresh'] = function(_, _, context)
      require('kenning.lens').refresh_all(context.client_id)
      return vim.NIL
    end
  end
  return vim.tbl_deep_extend('force', config, current.lsp)
end

--- Returns the effective configuration, merged with the user's `vim.lsp.config()`.
local function effective_config()
  return vim.deepcopy(has_nvim_011 and vim.lsp.config[M.NAME] or M.config())
end

--- Returns the workspace root for a path; nil if there is no root marker above it.
local function find_root(path, config)
  if type(config.root_dir) == 'string' then
    return config.root_dir
  end
  for _, marker in ipairs(config.root_markers or M.ROOT_MARKERS) do
    local root = vim.fs.root(path, marker)
    if root then
      return root
    end
  end
end

--- Starts Kenning in the buffers of its languages, including buffers that are already open.
function M.enable()
  if has_nvim_011 then
    -- Reloads the file on the runtime path, with the current options.
    vim.lsp.config(M.NAME, {})
    vim.lsp.enable(M.NAME)
    return
  end
  local group = vim.api.nvim_create_augroup('kenning.enable', {})
  local function start(buffer)
    local config = M.config()
    if vim.bo[buffer].buftype == '' and vim.tbl_contains(config.filetypes, vim.bo[buffer].filetype) then
      config.root_dir = find_root(vim.api.nvim_buf_get_name(buffer), config)
      if config.root_dir and M.check_binary(vim.bo[buffer].filetype) then
        vim.lsp.start(config, { bufnr = buffer })
      end
    end
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    callback = function(event)
      start(event.buf)
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      start(buffer)
    end
  end
end

--- Whether the program exists. Reports a missing program once.
---@param filetype? string report only if Kenning serves this filetype
function M.check_binary(filetype)
  local config = effective_config()
  if filetype and not vim.tbl_contains(config.filetypes, filetype) then
    return true
  end
  if type(config.cmd) ~= 'table' or vim.fn.executable(config.cmd[1]) == 1 then
    return true
  end
  local message = "Kenning: the program '%s' was not found. Install it, or set its path in the option `cmd`"
  vim.notify_once(message:format(config.cmd[1]) .. '; see :checkhealth kenning', vim.log.levels.ERROR)
  return false
end

--- Starts a client for a folder without attaching a buffer.
local function start_in_folder(folder)
  local config = effective_config()
  if not M.check_binary() then
    return
  end
  config.root_dir = find_root(folder, config) or folder
  if has_nvim_011 then
    local id = vim.lsp.start(config, { attach = false })
    return id and vim.lsp.get_client_by_id(id)
  end
  local id, problem = vim.lsp.start_client(config)
  if not id then
    M.notify(problem or 'the server could not start', vim.log.levels.ERROR)
  end
  return id and vim.lsp.get_client_by_id(id)
end

--- Whether the client's workspace contains a path.
local function contains_path(client, path)
  local root = client.config.root_dir
  return root and path ~= '' and (vim.fs.normalize(path) .. '/'):sub(1, #root + 1) == vim.fs.normalize(root) .. '/'
end

--- Returns the client that is attached to a buffer, or else the client whose workspace contains the
--- buffer's file or the current folder, or else the only client. Returns nil if there is none.
local function find_client(buffer)
  local all = clients()
  for _, client in ipairs(all) do
    if client.attached_buffers[buffer] then
      return client
    end
  end
  for _, path in ipairs({ vim.api.nvim_buf_get_name(buffer), vim.fn.getcwd() }) do
    for _, client in ipairs(all) do
      if contains_path(client, path) then
        return client
      end
    end
  end
  return #all == 1 and all[1] or nil
end

--- Calls `done` with the initialized client for a buffer. Starts a client for the current folder if
--- there is none.
---@param buffer integer
---@param done fun(client: vim.lsp.Client)
---@param failed? fun(problem: string) called if there is no client; by default, the user is notified
function M.with_client(buffer, done, failed)
  local client = find_client(buffer) or start_in_folder(vim.fn.getcwd())
  if not client then
    -- The user has been notified.
    if failed then
      failed('Kenning is not running; see :checkhealth kenning')
    end
    return
  end
  wait.until_true(
    function()
      return client.initialized or has_ended(client)
    end,
    SERVER_TIMEOUT,
    function()
      local problem = 'the server did not start; see :checkhealth kenning'
      if client.initialized and not has_ended(client) then
        done(client)
      elseif failed then
        failed(problem)
      else
        M.notify(problem, vim.log.levels.ERROR)
      end
    end
  )
end

--- Runs a command of the server. If it fails, shows the error and does not call `done`.
---@param client vim.lsp.Client
---@param command string
---@param argument table
---@param done fun(result: table)
---@param buffer? integer the buffer whose unsaved text the answer includes
function M.command(client, command, argument, done, buffer)
  local params = { command = command, arguments = { next(argument) and argument or vim.empty_dict() } }
  local function on_result(problem, result)
    if problem then
      M.notify(problem.message, vim.log.levels.ERROR)
    elseif result ~= nil then
      done(result)
    end
  end
  M.request(client, 'workspace/executeCommand', params, on_result, buffer)
end

--- Sends a request. Returns its id, or nil if the server has ended.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param on_result fun(problem: table?, result: any)
---@param buffer? integer
---@return integer?
function M.request(client, method, params, on_result, buffer)
  local sent, id = call(client, 'request', method, params, on_result, buffer)
  return sent and id or nil
end

--- Cancels a request.
---@param client vim.lsp.Client
---@param id integer
function M.cancel(client, id)
  call(client, 'cancel_request', id)
end

--- Calls `done` when the first index is ready, because answers are empty before that.
---@param client vim.lsp.Client
---@param done fun()
function M.when_indexed(client, done)
  local notified = false
  local function poll()
    M.command(client, 'kenning.status', {}, function(status)
      local pending = vim.tbl_filter(function(folder)
        return folder.phase == 'opening' or folder.phase == 'indexing'
      end, status.folders)
      if #pending == 0 or has_ended(client) then
        done()
        return
      end
      if not notified then
        notified = true
        M.notify('building the first index; the answer follows')
      end
      vim.defer_fn(poll, POLL_INTERVAL)
    end)
  end
  poll()
end

--- Starts a server to replace one that has ended.
---@param client vim.lsp.Client the client of the old server
---@param buffers integer[] the buffers that it served
---@param root string
function M.replace_server(client, buffers, root)
  wait.until_true(
    function()
      return vim.lsp.get_client_by_id(client.id) == nil
    end,
    SERVER_TIMEOUT,
    function(ended)
      if not ended then
        M.notify('the server does not exit; end its process and try again', vim.log.levels.ERROR)
        return
      end
      local config = effective_config()
      config.root_dir = root
      local started = false
      for _, buffer in ipairs(buffers) do
        if vim.api.nvim_buf_is_loaded(buffer) then
          vim.lsp.start(config, { bufnr = buffer })
          started = true
        end
      end
      if not started then
        start_in_folder(root)
      end
    end
  )
end

--- Restarts the servers with the current settings.
function M.restart()
  crash_times = {}
  local running = clients()
  if #running == 0 then
    M.with_client(vim.api.nvim_get_current_buf(), function() end)
  end
  for _, client in ipairs(running) do
    local buffers, root = vim.tbl_keys(client.attached_buffers), client.config.root_dir
    call(client, 'stop')
    M.replace_server(client, buffers, root)
  end
end

return M
