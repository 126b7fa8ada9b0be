# frozen_string_literal: true

# Record which test of minitest 5 executes which source line, as lcov records.
#
# How to use, in the root of the tree:
#
#     RECORDER_OUT=OUT.info ruby -I test -r FOLDER/minitest_recorder.rb \
#       -e 'Dir["./test/**/test_*.rb"].sort.each { |file| require file }'
#
# The project must not start a coverage tool of its own in that run (SimpleCov).
# OUT.info is appended to. It gets one record per passing test and source file
# under lib/:
#
#     TN:test/test_site.rb::name
#     SF:lib/jekyll/site.rb
#     DA:LINE,COUNT        (executed lines only)
#     end_of_record
#
# The name is the text after `should` for tests that shoulda defines, and that of
# the method for all others. Setup and teardown count; loading files does not: the
# files under lib/ are all loaded before the first test.

require "coverage"

Coverage.start(:lines => true)

module MinitestRecorder
  ROOT = "#{Dir.pwd}/"
  LIB = "#{ROOT}lib/"

  @shoulda_tests = {}

  class << self
    # [file, name] of each test defined by shoulda, by [class, method name].
    attr_reader :shoulda_tests

    def load_library
      return if @library_loaded

      @library_loaded = true
      Dir["#{LIB}**/*.rb"].sort.each do |file|
        require file
      rescue LoadError, NameError => e
        $stderr.puts "#{file}: not loaded before the tests: #{e.message}"
      end
    end

    def counts
      Coverage.peek_result
        .select { |file, _| file.start_with?(LIB) }
        .transform_values { |coverage| coverage[:lines] }
    end

    def write(test, before, after)
      File.open(ENV.fetch("RECORDER_OUT"), "a") do |out|
        after.each do |file, counts|
          lines = executed_lines(before.fetch(file, []), counts)
          next if lines.empty?

          out.puts "TN:#{test}", "SF:#{file.delete_prefix(ROOT)}"
          lines.each { |line, count| out.puts "DA:#{line},#{count}" }
          out.puts "end_of_record"
        end
      end
    end

    def name_of(test_class, method)
      file, name = shoulda_tests[[test_class, method.to_s]] ||
        [test_class.instance_method(method).source_location.first, method]
      "#{File.expand_path(file).delete_prefix(ROOT)}::#{name}"
    end

    private

    def executed_lines(before, after)
      after.each_with_index.filter_map do |count, index|
        executed = count.to_i - before[index].to_i
        [index + 1, executed] if executed.positive?
      end
    end
  end

  # Prepended to minitest itself; this is where it runs a single test.
  module Runner
    def run_one_method(test_class, method)
      # A helper module's method that only happens to be named like a test.
      return super unless test_class.instance_method(method).owner.is_a?(Class)

      MinitestRecorder.load_library
      before = MinitestRecorder.counts
      result = super
      after = MinitestRecorder.counts
      name = MinitestRecorder.name_of(test_class, method)
      if result.passed?
        MinitestRecorder.write(name, before, after)
      else
        $stderr.puts "#{name}: #{result.skipped? ? "skipped" : "failed"}"
      end
      result
    end
  end

  # Prepended to shoulda's contexts, to learn the text after `should`.
  module ShouldaContext
    def create_test_from_should_hash(should)
      known = test_unit_class.public_instance_methods(false)
      result = super
      (test_unit_class.public_instance_methods(false) - known).each do |method|
        file = should[:block].source_location.first
        MinitestRecorder.shoulda_tests[[test_unit_class, method.to_s]] = [file, should[:name]]
      end
      result
    end
  end
end

require "minitest"
Minitest.singleton_class.prepend(MinitestRecorder::Runner)

begin
  require "shoulda-context"
  Shoulda::Context::Context.prepend(MinitestRecorder::ShouldaContext)
rescue LoadError
  nil # the project does not use shoulda
end
