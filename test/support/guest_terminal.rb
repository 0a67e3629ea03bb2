# frozen_string_literal: true

require "io/console"
require "pty"
require_relative "bounded_wait"

# A client of a guest on a real terminal, with a session of its own, as a user has it: for tests to include beside
# GuestCommands.
module GuestTerminal
  CURSOR_QUERY = "\e[6n"
  SEQUENCES = /\e\[[?\d;]*[A-Za-z]|\e[=>]/.freeze
  UNFINISHED = /\e(?:\[[?\d;]*)?\z/n.freeze # it goes on with the next bytes

  def setup
    super
    @shown = +""
    @rest = "".b
  end

  def teardown
    [@screen, @keys].compact.reject(&:closed?).each(&:close)
    end_client(@pid) if @pid
    super
  end

  # The command becomes the first process on a terminal, which has its size by then.
  def on_terminal(server, *command, chdir: server.folder, env: {})
    env = { "RUBYOPT" => nil, "RACK_ENV" => nil, "TERM" => "xterm", "HOME" => server.folder, "PS1" => "shell> ",
            "NO_COLOR" => "1", "IRB_USE_AUTOCOMPLETE" => "false", **env }
    sized = 'stty rows 24 columns 100 && exec "$@"'
    @screen, @keys, @pid = PTY.spawn(env, "sh", "-c", sized, "sh", *command, chdir: chdir)
  end

  def type(text) = @keys.write(text)

  # Reads until the terminal shows what matches, and forgets what was shown until then. timeout: seconds of waiting.
  def expect(pattern, timeout = BoundedWait::SECONDS)
    wanted = /\A.*?#{pattern.is_a?(Regexp) ? pattern.source : Regexp.escape(pattern)}/m
    BoundedWait.wait(timeout, -> { "no #{pattern.inspect} in #{@shown.inspect}" }, interval: 0) do
      @shown.slice!(wanted) || (show(@screen.read_nonblock(4096)) && nil if readable?)
    end
  end

  # Line editors ask where the cursor is, as they must of any terminal.
  def show(bytes)
    text = @rest << bytes
    @rest = text.slice!(UNFINISHED) || "".b
    text = text.force_encoding("UTF-8").scrub
    text.scan(CURSOR_QUERY) { type("\e[1;2R") }
    @shown << text.gsub(SEQUENCES, "")
  end

  def readable? = IO.select([@screen], nil, nil, 0.05)

  def status
    loop do
      BoundedWait.readable(@screen, BoundedWait::SECONDS, -> { "has not ended: #{@shown.inspect}" })
      show(@screen.readpartial(4096))
    end
  rescue Errno::EIO
    [@screen, @keys].each(&:close)
    @ended = BoundedWait.status_of(@pid)
    @pid = nil
    @ended
  end
end
