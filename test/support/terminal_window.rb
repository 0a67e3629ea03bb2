# frozen_string_literal: true

require "io/console"
require "pty"
require_relative "bounded_wait"

# A program on a terminal of its own, with the screen as it would be seen: enough of a terminal for what writes whole
# lines to places.
class TerminalWindow
  SEQUENCE = /\e\[\??([\d;]*)([A-Za-z])|\r|\n|[^\e\r\n]+/m.freeze

  # What may go on with the next bytes: an escape sequence, a character of several bytes.
  INCOMPLETE = /(?:\e(?:\[[?\d;]*)?|[\xC0-\xDF]|[\xE0-\xEF][\x80-\xBF]?|[\xF0-\xF7][\x80-\xBF]{0,2})\z/n.freeze

  MARK = 9999 # a mode that no program sets

  # Yields it; the program has ended afterwards.
  def self.open(*command, **options)
    window = new(*command, **options)
    yield window
  ensure
    window&.close
  end

  attr_reader :pid, :lines, :status
  attr_reader :settings_before # the program
  attr_reader :modes # of the terminal that are on, such as 1049: the alternate screen
  attr_reader :left_behind # what was written outside of the alternate screen, and stays

  def initialize(*command, rows: 24, columns: 80, environment: {}, inherit: {})
    @leader, @follower = PTY.open
    resize_to(rows, columns)
    @modes = [7, 25] # automatic wrap, cursor
    @rest = "".b
    @left_behind = +""
    clear
    @settings_before = settings
    variables = { "TERM" => "xterm", "LANG" => "C.UTF-8", "NO_COLOR" => nil, "FORCE_COLOR" => nil, "RUBYOPT" => nil,
                  "CLICOLOR_FORCE" => nil, "CLICOLOR" => nil, "LC_ALL" => nil }
    @pid = Process.spawn(variables.merge(environment), *command, %i[in out err] => @follower, pgroup: true, **inherit)
  end

  def type(keys) = @leader.write(keys)

  def resize(rows, columns)
    resize_to(rows, columns)
    Process.kill(:WINCH, @pid) # the kernel tells the foreground group only, and the terminal controls no session
  end

  def signal(name) = Process.kill(name, @pid)

  # As `stty -g` prints them: all settings of the terminal.
  def settings = IO.popen(["stty", "-g"], in: @follower, &:read)

  def alternate? = modes.include?(1049)

  # The other side of the line is gone, as when a window is closed.
  def hang_up = [@leader, @follower].each(&:close)

  # Reads on until the block answers something truthy; fails once the program has ended and all is read.
  # timeout: seconds of waiting.
  def wait(timeout = BoundedWait::SECONDS)
    BoundedWait.wait(timeout, -> { "on this screen:\n#{lines.join("\n")}\n" }, interval: 0) do
      seen = yield
      next seen if seen

      over = ended?
      over ? read_to_the_end : read(0.05)
      next unless over

      yield or raise "ended with #{status.inspect} on this screen:\n#{lines.join("\n")}"
    end
  end

  def shows?(text) = lines.any? { |line| text === line || (text.is_a?(String) && line.include?(text)) }

  def wait_for(text) = wait { shows?(text) }

  # The exit status. All that the program has written is on the screen by then.
  def wait_for_end
    wait { ended? }
    read_to_the_end
    status
  end

  def ended?
    @status ||= Process.wait2(@pid, Process::WNOHANG)&.last
    !@status.nil?
  end

  def close
    Process.kill(:KILL, @pid) unless ended?
    BoundedWait.wait(BoundedWait::SECONDS, "the program has not ended") { ended? }
    [@leader, @follower].reject(&:closed?).each(&:close)
  end

  private

  def resize_to(rows, columns)
    @rows = rows
    @leader.winsize = [rows, columns]
  end

  def clear
    @lines = Array.new(@rows) { +"" }
    @row = @column = 0
  end

  def read(timeout)
    return IO.select(nil, nil, nil, timeout) if @leader.closed?

    while IO.select([@leader], nil, nil, timeout)
      show(@leader.read_nonblock(65_536))
      timeout = 0
    end
  rescue Errno::EIO # nobody has the other side open
    nil
  end

  # The kernel passes on what an ended program has written a while later, but in its order: a mark comes behind it.
  def read_to_the_end
    return if @leader.closed?

    @follower.write("\e[?#{MARK}h")
    BoundedWait.wait(BoundedWait::SECONDS, "the mark has not come back", interval: 0) do
      read(0.05)
      modes.delete(MARK)
    end
  end

  def show(bytes)
    text = @rest << bytes
    @rest = text.slice!(INCOMPLETE) || "".b
    text.force_encoding(Encoding::UTF_8).scrub("?").scan(SEQUENCE) { follow(Regexp.last_match) }
  end

  def follow(piece)
    case piece[0]
    when "\r" then @column = 0
    when "\n" then @row += 1
    when /\A\e/ then control(piece[1], piece[2])
    else write(piece[0])
    end
  end

  def control(argument, name)
    case name
    when "H" then @row, @column = argument.split(";").map { |number| number.to_i - 1 }
    when "J" then clear
    when "K" then @lines[@row] = (@lines[@row] || +"")[0, @column]
    when "h" then @modes |= [argument.to_i]
    when "l" then @modes -= [argument.to_i]
    end
  end

  def write(text)
    @left_behind << text unless alternate?
    line = (@lines[@row] ||= +"").ljust(@column)
    @lines[@row] = line[0, @column] + text + line[(@column + text.size)..].to_s
    @column += text.size
  end
end
