-- The search in each picker plugin: rows while typing in the order of the server, the preview, and
-- opening a row. Runs with the plugins in the folder `KENNING_TEST_PICKERS`, which
-- `scripts/test-nvim --all` installs, or else with small stand-ins for the plugins (tests/stubs).
local t = require('support')

local SOURCE = 'src/itsdangerous/signer.py'
local QUERIES = { 'sign a value with a key', 'bytes of a number' }
-- A picker may show only the first rows.
local MIN_ROWS = 5
local STEP_INTERVAL = 50 -- milliseconds

local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')
local folder = vim.env.KENNING_TEST_PICKERS ~= '' and vim.env.KENNING_TEST_PICKERS or nil

-- Otherwise, Neovim prints the mode to the output of the test.
vim.o.showmode = false
vim.cmd.edit(SOURCE)
t.wait_until_ready()
local root = vim.fn.getcwd() .. '/'

--- Returns the places of the hits that the program prints: `src/itsdangerous/signer.py:8`.
local function printed(query)
  local output = t.run_program({ 'search', '--refresh', 'never', '--json', '--max-results', '50', query })
  return vim.tbl_map(function(hit)
    return ('%s:%d'):format(hit.file, hit.line or 1)
  end, vim.json.decode(output).hits)
end

local expected = vim.tbl_map(printed, QUERIES)
t.check('the queries have different hits', expected[1][1] ~= expected[2][1], expected)

--- Whether these rows are the first of the expected places, and at least `MIN_ROWS` are shown.
local function is_start_of(places, rows)
  for number, row in ipairs(rows) do
    if places[number] ~= ('%s:%d'):format(row.file:gsub('^' .. vim.pesc(root), ''), row.line) then
      return false
    end
  end
  return #rows >= math.min(MIN_ROWS, #places)
end

--- Whether a floating window shows a file with the cursor at a line.
local function is_previewed(place)
  local file, number = place:match('^(.*):(%d+)$')
  local lines = vim.fn.readfile(file)
  return vim.iter(vim.api.nvim_list_wins()):any(function(window)
    local text = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
    local is_float = vim.api.nvim_win_get_config(window).relative ~= ''
    return is_float and vim.deep_equal(text, lines) and vim.api.nvim_win_get_cursor(window)[1] == tonumber(number)
  end)
end

--- Whether the current window shows a file with the cursor at the name of the hit.
local function is_open(place)
  local current = ('%s:%d'):format(vim.api.nvim_buf_get_name(0):gsub('^' .. vim.pesc(root), ''), vim.fn.line('.'))
  return current == place and vim.bo.buftype == '' and vim.fn.expand('<cword>'):find('%w') ~= nil
end

--- Runs steps, each of which waits for its condition and then acts. They run from a timer, because
--- mini.pick blocks the caller while it is open.
local function run_steps(name, driver, steps)
  local number = 1
  local timer = assert(vim.uv.new_timer())
  timer:start(
    0,
    STEP_INTERVAL,
    vim.schedule_wrap(function()
      local step = steps[number]
      if step and step.condition() then
        number = number + 1
        if step.act then
          step.act()
        end
      end
    end)
  )
  t.wait(('all steps in %s are done'):format(name), function()
    return number > #steps
  end, function()
    return { missing = steps[number].what, rows = driver.rows(), messages = t.messages }
  end)
  timer:stop()
  timer:close()
end

for name, file in
  vim.spairs({
    ['fzf-lua'] = 'fzf_lua',
    ['mini.pick'] = 'mini_pick',
    snacks = 'snacks',
    telescope = 'telescope',
  })
do
  local driver = dofile(('%s/pickers/%s.lua'):format(here, file))
  -- A plugin may need a later Neovim than Kenning's.
  if folder and vim.fn.has(driver.needs or 'nvim') == 1 then
    for _, plugin in ipairs(driver.plugins) do
      vim.opt.runtimepath:prepend(folder .. '/' .. plugin)
    end
  else
    driver = vim.tbl_extend('force', driver, dofile(('%s/stubs/%s.lua'):format(here, file)) or {})
  end
  if driver.set_up then
    driver.set_up()
  end
  vim.cmd.edit(SOURCE)
  local steps = {
    {
      what = 'the rows of the first query',
      condition = function()
        return is_start_of(expected[1], driver.rows())
      end,
      act = function()
        driver.type(QUERIES[2])
      end,
    },
    {
      what = 'the rows of the second query',
      condition = function()
        return is_start_of(expected[2], driver.rows())
      end,
      act = driver.preview,
    },
    {
      what = 'the preview of the first row',
      condition = function()
        return is_previewed(expected[2][1])
      end,
      act = driver.accept,
    },
    {
      what = 'the file of the first row',
      condition = function()
        return is_open(expected[2][1])
      end,
    },
  }
  vim.schedule(function()
    if driver.search then
      driver.search(QUERIES[1])
    else
      require('kenning').search({ picker = name, query = QUERIES[1] })
    end
  end)
  run_steps(name, driver, steps)
end
