# frozen_string_literal: true

require "coppice/log/adapter"
require "coppice/log/entry"
require "coppice/log/output"

module Coppice
  # The log of one process, with its role, slot and generation in each line:
  #
  #   log.info("worker ready", requests: 3)
  #   # 2026-11-21T13:03:50.123Z level=info role=worker nr=3 gen=2 pid=123 msg="worker ready" requests=3
  #
  # It does not own the IO that it writes to. Logging never raises when that IO fails, or a value cannot be written as
  # text. It loads neither RubyGems nor any gem, so that the monitor can use it.
  class Log
    LEVELS = { debug: 0, info: 1, warn: 2, error: 3, fatal: 4 }.freeze

    # The log that the configuration asks for: to the user's logger, which has a level of its own, or to standard error.
    # A block may wrap that destination.
    #: (Config::Settings, **untyped) ?{ (Output | Adapter) -> untyped } -> Log
    def self.for(settings, **speaker)
      own = settings.logger
      destination = own ? Adapter.new(own) : Output.new($stderr, format: settings.log_format)
      new(block_given? ? yield(destination) : destination, level: own ? :debug : settings.log_level, **speaker)
    end

    # `destination` is an IO, or an Adapter around the user's own logger. `role`, `nr` and `generation` are those of the
    # process, `name` is that of a service; `level` is the lowest that is written, unless the board says another.
    #: (IO | Output | Adapter, role: Symbol | String, ?format: Symbol, ?nr: Integer?, ?name: String?,
    #    ?generation: Integer?, ?level: Symbol, ?board: Board?) -> void
    def initialize(destination, role:, format: :text, nr: nil, name: nil, generation: nil, level: :info, board: nil)
      @destination = destination.respond_to?(:emit) ? destination : Output.new(destination, format: format)
      @context = { role: role, nr: nr, name: name, gen: generation }.compact.freeze
      @configured = LEVELS.fetch(level)
      @board = board
    end

    # The lowest level that is written.
    #: () -> Symbol
    def level = LEVELS.key(threshold)

    # From now on the level that the board has, if it has one, counts more than the configured one. So `coppice
    # log-level` reaches all processes at once, busy ones too, and those that are forked later. Returns the log.
    #: (Board) -> Log
    def follow(board)
      @board = board
      self
    end

    # What a board has in the place of a level.
    #: (Symbol) -> Integer
    def self.number(level) = LEVELS.fetch(level) + 1

    # A log to the same destination for another process. What is not given stays as it is.
    #: (?role: Symbol | String, ?nr: Integer?, ?name: String?, ?generation: Integer?) -> Log
    def with(role: @context[:role], nr: @context[:nr], name: @context[:name], generation: @context[:gen])
      Log.new(@destination, role: role, nr: nr, name: name, generation: generation,
              level: LEVELS.key(@configured), board: @board)
    end

    # Each method writes one entry: a message, or a block that returns it, with fields. Fields that are nil are left
    # out. An exception in place of the message is written with its class and backtrace.
    LEVELS.each do |name, severity|
      define_method(name) do |message = nil, **fields, &block| #: (?untyped, **untyped) ?{ () -> untyped } -> nil
        next if severity < threshold

        message = block.call if message.nil? && block
        message.is_a?(Exception) ? emit(name, message.class.name, fields, message) : emit(name, message, fields)
      end

      define_method(:"#{name}?") { severity >= threshold } #: () -> bool
    end

    # Writes message, class, reason, backtrace and causes of an error, as one entry of level error.
    def exception(message, error, **fields) #: (String, Exception, **untyped) -> nil
      emit(:error, message, fields, error)
    end

    private

    def threshold
      number = @board ? @board.log_level : 0
      number.zero? ? @configured : number - 1
    end

    def emit(level, message, fields, error = nil)
      context = @context.merge(pid: Process.pid) # not kept: a log outlives forks
      entry = Entry.new(time: Time.now.utc, level: level, context: context, message: message, fields: fields.compact,
                        error: error)
      @destination.emit(entry)
      nil
    end
  end
end
