# Evaluates a Homebrew formula without Homebrew, and prints the address and checksum for each
# platform: formula.rb FORMULA
class Formula
  class << self
    attr_reader :found

    def desc(_text); end
    def homepage(_text); end
    def license(_expression); end
    def test; end

    def version(number = nil)
      @version = number if number
      @version
    end

    def on_macos
      @system = "darwin"
      yield
    end

    def on_linux
      @system = "linux"
      yield
    end

    def on_arm
      @processor = "arm64"
      yield
    end

    def on_intel
      @processor = "x64"
      yield
    end

    def url(text)
      @url = text
    end

    def sha256(text)
      (@found ||= []) << [@system, @processor, @url, text].join(" ")
    end
  end
end

load ARGV[0]
puts Kenning.found
