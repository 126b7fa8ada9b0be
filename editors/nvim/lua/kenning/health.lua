-- The checks of `:checkhealth kenning`.
local M = {}

local TIMEOUT = 10000 -- milliseconds
-- Timeout for `kenning doctor`, in milliseconds.
local DOCTOR_TIMEOUT = 60000
local health = vim.health

local function check_neovim()
  health.start('Neovim')
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim ' .. version)
  elseif vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. version .. " needs `require('kenning').setup {}`")
  else
    health.error('Neovim ' .. version .. ' is too old', 'Install Neovim 0.11 or later')
  end
  local register = require('kenning.show').default_register()
  if register == '+' then
    health.ok('Packs go to the clipboard (register +) unless the option context.to has another value')
  else
    health.info('No clipboard found: packs go to the unnamed register. See :help clipboard')
  end
end

--- Returns the effective configuration of the client.
local function client_config()
  return vim.lsp.config and vim.lsp.config.kenning or require('kenning.lsp').config()
end

--- Runs a command. Returns its output, or nil and the problem.
local function run(command)
  local ok, answer = pcall(function()
    return vim.system(command, { text = true }):wait(TIMEOUT)
  end)
  if not ok then
    return nil, tostring(answer)
  end
  if answer.code ~= 0 then
    return nil, ('exit code %d: %s'):format(answer.code, vim.trim(answer.stderr or ''))
  end
  return answer.stdout
end

--- Checks the program. Returns its path if it runs and is Kenning, else nil.
local function check_program()
  health.start('Program')
  local cmd = client_config().cmd
  if type(cmd) ~= 'table' then
    health.info('The option cmd is a function; the program is not checked')
    return nil
  end
  local path = vim.fn.exepath(cmd[1])
  if path == '' then
    health.error(("The program '%s' was not found"):format(cmd[1]), {
      'Install it: run `cargo install --path server` in a checkout of Kenning, or install a release package',
      "Or set its path: require('kenning').setup { cmd = { '/path/to/kenning', 'serve' } }",
    })
    return nil
  end
  local output, problem = run({ path, '--version' })
  if not output then
    health.error(('%s --version failed: %s'):format(path, problem), 'Check the option cmd')
    return nil
  end
  local version = output:match('^kenning (%S+)')
  if not version then
    local name = vim.trim(output)
    health.error(path .. ' is not Kenning: it identifies itself as ' .. name, 'Set the option cmd to kenning')
    return nil
  end
  local plugin_version = require('kenning').version
  if vim.version.parse(version) and vim.version.cmp(version, plugin_version) ~= 0 then
    health.warn(
      ('%s is version %s, this plugin is %s'):format(path, version, plugin_version),
      'Update the older of the two'
    )
  else
    health.ok(('%s, version %s'):format(path, version))
  end
  return path
end

local function check_settings()
  health.start('Settings')
  for _, mistake in ipairs(require('kenning.options').mistakes()) do
    health.error(mistake)
  end
  local settings = (client_config().settings or {}).kenning or {}
  local changed, unknown = require('kenning.settings_check').compare(settings)
  for _, key in ipairs(unknown) do
    health.warn(('kenning.%s is not an option'):format(key), 'See :help kenning-settings.txt')
  end
  for _, option in ipairs(changed) do
    health.info(('kenning.%s = %s'):format(option.key, vim.inspect(option.value, { newline = ' ', indent = '' })))
  end
  if #changed == 0 and #unknown == 0 then
    health.ok('All settings have their default values')
  end
end

local function check_sessions()
  health.start('Sessions')
  local clients = vim.lsp.get_clients({ name = 'kenning' })
  if #clients == 0 then
    local enabled = vim.lsp.is_enabled and vim.lsp.is_enabled('kenning')
    local advice = enabled and 'Open a file of a project in a supported language, or run :Kenning restart'
      or "Call `vim.lsp.enable('kenning')` (Neovim 0.11) or `require('kenning').setup{}`"
    health.warn('No server is running', advice)
  end
  for _, client in ipairs(clients) do
    local params = { command = 'kenning.status', arguments = { vim.empty_dict() } }
    local answered, status
    require('kenning.lsp').request(client, 'workspace/executeCommand', params, function(_, result)
      answered, status = true, result
    end)
    vim.wait(TIMEOUT, function()
      return answered == true
    end, 20)
    if not status then
      health.error(('%s: the server does not answer'):format(client.config.root_dir), 'Run :Kenning restart')
    end
    for _, folder in ipairs(status and status.folders or {}) do
      local report = folder.phase == 'failed' and health.error or health.ok
      report(table.concat(require('kenning.status').folder_lines(folder), '\n'))
    end
  end
end

--- Reports the output of `kenning doctor`. Each line begins with `ok`, `warning` or `error`; an
--- indented `fix:` line may follow with advice. Does not report the last line, which is a summary.
local function report_doctor(path)
  health.start('Output of `kenning doctor` for the current folder')
  local answer = vim.system({ path, 'doctor', vim.fn.getcwd() }, { text = true }):wait(DOCTOR_TIMEOUT)
  local lines = vim.split(answer.stdout or '', '\n', { trimempty = true })
  for at, line in ipairs(lines) do
    local level, text = line:match('^(%a+)%s+(.*)$')
    local advice = (lines[at + 1] or ''):match('^%s+fix: (.*)$')
    if level == 'ok' then
      health.ok(text)
    elseif level == 'warning' then
      health.warn(text, advice)
    elseif level == 'error' then
      health.error(text, advice)
    end
  end
  if #lines == 0 then
    local reason = vim.trim(answer.stderr or '')
    health.error(('kenning doctor printed nothing (exit code %d): %s'):format(answer.code, reason))
  end
end

function M.check()
  check_neovim()
  local path = check_program()
  check_settings()
  check_sessions()
  if path then
    report_doctor(path)
  end
end

return M
