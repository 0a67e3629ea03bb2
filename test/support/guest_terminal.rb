# frozen_string_literal: true

require "io/console"
require "pty"

# A client of a guest on a real terminal, with a session of its own, as a user has it: for tests to include beside
# GuestCommands.
module GuestTerminal
  CURSOR_QUERY = "\e[6n"
  PATIENCE = 60 # seconds; a machine that runs other tests beside is slow
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

  # Reads until the terminal shows what matches, and forgets what was shown until then.
  def expect(pattern, timeout = PATIENCE)
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + timeout
    until @shown.slice!(/\A.*?#{pattern.is_a?(Regexp) ? pattern.source : Regexp.escape(pattern)}/m)
      raise "no #{pattern.inspect} in #{@shown.inspect}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline

      show(@screen.read_nonblock(4096)) if readable?
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
    show(@screen.readpartial(4096)) while IO.select([@screen], nil, nil, PATIENCE)
    raise "has not ended: #{@shown.inspect}"
  rescue Errno::EIO
    [@screen, @keys].each(&:close)
    @ended = Process.wait2(@pid).last
    @pid = nil
    @ended
  end
end
