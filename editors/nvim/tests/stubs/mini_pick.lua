-- A stand-in for mini.pick: the parts of its documented interface that the plugin uses
-- (`:help MiniPick-source`). Like the real plugin, it blocks while it is open, and calls `match`
-- again when items are set, unless `do_match` is false.
local windows = require('stubs.windows')

local TIMEOUT, INTERVAL = 60000, 20 -- milliseconds

local active, tick = nil, 0

local pick = {}

function pick.is_picker_active()
  return active ~= nil
end

function pick.get_querytick()
  return tick
end

function pick.get_picker_items()
  return active and active.items
end

function pick.set_picker_query(query)
  tick = tick + 1
  active.source.match({}, {}, query)
end

function pick.set_picker_items(items, options)
  if active and options.querytick == tick then
    active.items = items
    assert(options.do_match == false)
  end
end

function pick.start(options)
  active = { source = options.source, items = options.source.items }
  pick.set_picker_query({})
  local chosen
  vim.wait(TIMEOUT, function()
    local key = vim.fn.getcharstr(0)
    local item = active.items[1]
    if key == '\t' then
      windows.preview(item.path, item.lnum)
    elseif key == '\r' then
      chosen = item
    end
    return chosen ~= nil
  end, INTERVAL)
  active = nil
  windows.open(chosen.path, chosen.lnum, chosen.col - 1)
end

package.preload['mini.pick'] = function()
  return {
    setup = function()
      _G.MiniPick = pick
    end,
  }
end
