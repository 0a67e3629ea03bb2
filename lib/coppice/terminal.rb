# frozen_string_literal: true

module Coppice
  # What an IO can show: whether it is a terminal, of which size, and whether text on it may have colours. Loads no
  # library: the log of every process uses it, also in processes that the application's gems are loaded into later.
  class Terminal
    # The terminal's size: the ioctl TIOCGWINSZ, as Linux numbers it on most processors, and macOS.
    SIZE_REQUEST = RUBY_PLATFORM.include?("linux") ? 0x5413 : 0x40087468
    SIZE_BYTES = 8 # four 16-bit numbers: rows, columns, and both in pixels

    STYLES = { bold: 1, dim: 2, reverse: 7, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 }.freeze

    # Characters that take two columns, roughly as Unicode's East Asian Width has them, and those that take none.
    WIDE = Regexp.union(/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/,
      /[\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/).freeze
    NARROW = /[\p{Mn}\p{Me}\p{Cf}]/.freeze

    # The number of columns that a text takes.
    #: (String) -> Integer
    def self.width(text)
      text.ascii_only? ? text.size : text.size + text.scan(WIDE).size - text.scan(NARROW).size
    end

    #: (IO, ?Hash[String, String]) -> void
    def initialize(io, environment = ENV)
      @io = io
      @environment = environment
    end

    #: () -> bool
    def tty? = @io.respond_to?(:tty?) && @io.tty?

    # Whether text on it is read by people: on a terminal, or where the environment forces colours.
    #: () -> bool
    def for_people? = tty? || forced?

    # As https://no-color.org and https://bixense.com/clicolors have it: NO_COLOR forbids colours; FORCE_COLOR and
    # CLICOLOR_FORCE want them wherever the text goes; otherwise a terminal has them, unless CLICOLOR is 0.
    #: () -> bool
    def colour?
      return @colour if defined?(@colour)

      @colour = @environment.fetch("NO_COLOR", "").empty? &&
                (forced? || (tty? && @environment["CLICOLOR"] != "0" && @environment["TERM"] != "dumb"))
    end

    # The text in this style, where colours are allowed; nil is no style.
    #: (String, Symbol?) -> String
    def paint(text, style) = style && colour? ? "\e[#{STYLES.fetch(style)}m#{text}\e[0m" : text

    # Rows and columns; nil when it is no terminal, or one that does not tell.
    #: () -> [Integer, Integer]?
    def size
      return unless tty?

      answer = "\0" * SIZE_BYTES
      @io.ioctl(SIZE_REQUEST, answer)
      size = answer.unpack("S2")
      size if size.all?(&:positive?)
    rescue SystemCallError
      nil
    end

    # Whether text beyond ASCII can be shown.
    #: () -> bool
    def unicode? = Encoding.find("locale") == Encoding::UTF_8

    private

    def forced?
      %w[FORCE_COLOR CLICOLOR_FORCE].any? { |name| !["", "0", "false"].include?(@environment.fetch(name, "")) }
    end
  end
end
