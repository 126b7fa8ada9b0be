-- A stand-in for snacks.picker: the parts of its documented interface that the plugin uses (a finder
-- that is an asynchronous function, in a live picker).
local windows = require('stubs.windows')

local open ---@type table? the picker that is open

local Picker = {}
Picker.__index = Picker

function Picker:items()
  return self.found
end

function Picker:find()
  if self.task then
    self.task.aborted = true
  end
  local task, found = {}, {}
  self.task = task
  local run
  local context = {
    filter = { search = self.filter.search },
    async = {
      suspend = function()
        coroutine.yield()
      end,
      resume = function()
        if not task.aborted then
          assert(coroutine.resume(run))
        end
      end,
    },
  }
  run = coroutine.create(function()
    self.opts.finder(self.opts, context)(function(item)
      table.insert(found, item)
    end)
    self.found = found
    windows.preview(found[1].file, found[1].pos[1])
  end)
  context.async:resume()
end

function Picker:action(name)
  assert(name == 'confirm')
  local item = self.found[1]
  open = nil
  self.opts.on_close(self)
  windows.open(item.file, item.pos[1], item.pos[2])
end

package.preload.snacks = function()
  return {
    picker = {
      get = function()
        return { open }
      end,
      pick = function(options)
        assert(options.live and options.preview == 'file' and options.format)
        open = setmetatable({ opts = options, filter = { search = options.search }, found = {} }, Picker)
        open.input = {
          set = function(_, _, search)
            open.filter.search = search
          end,
        }
        open:find()
      end,
    },
  }
end
