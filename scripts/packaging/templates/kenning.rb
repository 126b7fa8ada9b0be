class Kenning < Formula
  desc "Which code matters for a task, and what a change touches"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/kenning-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@CHECKSUM:aarch64-apple-darwin@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/kenning-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@CHECKSUM:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/kenning-@VERSION@-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "@CHECKSUM:aarch64-unknown-linux-gnu@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/kenning-@VERSION@-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "@CHECKSUM:x86_64-unknown-linux-gnu@"
    end
  end

  def install
    bin.install "kenning"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/kenning.bash" => "kenning"
    zsh_completion.install "completions/_kenning"
    fish_completion.install "completions/kenning.fish"
  end

  test do
    (testpath/"a.py").write "def greet():\n    pass\n"
    assert_match "greet", shell_output("#{bin}/kenning pack greet")
  end
end
