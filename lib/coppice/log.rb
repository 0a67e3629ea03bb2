# frozen_string_literal: true

require "coppice/log/entry"
require "coppice/log/output"

module Coppice
  # The log of one process, with its role, slot and generation in each line:
  #
  #   log.info("worker ready", requests: 3)
  #   # 2026-11-21T13:03:50.123Z level=info role=worker nr=3 gen=2 pid=123 msg="worker ready" requests=3
  #
  # It does not own the IO that it writes to. Logging never raises when that IO fails. It loads neither RubyGems nor any
  # gem, so that the monitor can use it.
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
    # process; `level` is the lowest that is written.
    #: (IO | Output | Adapter, role: Symbol | String, ?format: Symbol, ?nr: Integer?, ?generation: Integer?,
    #    ?level: Symbol) -> void
    def initialize(destination, role:, format: :text, nr: nil, generation: nil, level: :info)
      @destination = destination.respond_to?(:emit) ? destination : Output.new(destination, format: format)
      @context = { role: role, nr: nr, gen: generation }.compact.freeze
      @level = level
      @threshold = LEVELS.fetch(level)
    end

    attr_reader :level #: Symbol

    # A log to the same destination for another process. What is not given stays as it is.
    #: (?role: Symbol | String, ?nr: Integer?, ?generation: Integer?) -> Log
    def with(role: @context[:role], nr: @context[:nr], generation: @context[:gen])
      Log.new(@destination, role: role, nr: nr, generation: generation, level: @level)
    end

    # Each method writes one entry: a message, or a block that answers it, with fields. Fields that are nil are left
    # out. An exception in place of the message is written with its class and backtrace.
    LEVELS.each do |name, severity|
      define_method(name) do |message = nil, **fields, &block| #: (?untyped, **untyped) ?{ () -> untyped } -> nil
        next if severity < @threshold

        message = block.call if message.nil? && block
        message.is_a?(Exception) ? emit(name, message.class.name, fields, message) : emit(name, message, fields)
      end

      define_method(:"#{name}?") { severity >= @threshold } #: () -> bool
    end

    # Writes message, class, reason, backtrace and causes of an error, as one entry of level error.
    def exception(message, error, **fields) #: (String, Exception, **untyped) -> nil
      emit(:error, message, fields, error)
    end

    private

    def emit(level, message, fields, error = nil)
      context = @context.merge(pid: Process.pid) # not kept: a log outlives forks
      entry = Entry.new(time: Time.now.utc, level: level, context: context, message: message, fields: fields.compact,
                        error: error)
      @destination.emit(entry)
      nil
    end
  end
end
