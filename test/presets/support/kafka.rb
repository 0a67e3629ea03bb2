# frozen_string_literal: true

require "open3"
require "support/bounded_wait"

module Coppice
  # A broker of Kafka in a process of its own, and what it was sent.
  class Kafka
    PROGRAM = File.expand_path("kafka_broker.rb", __dir__)

    attr_reader :address

    # Yields one that answers, and stops it afterwards.
    #
    #   library      what is required for Rdkafka
    #   environment  for Bundler
    def self.open(library, environment)
      kafka = new
      kafka.start(environment.merge("KAFKA_LIBRARY" => library))
      yield kafka
    ensure
      kafka&.stop
    end

    def initialize
      @text = +""
      @lock = Mutex.new
    end

    def start(environment)
      @input, @output, @process = Open3.popen2(environment, "bundle", "exec", "ruby", PROGRAM)
      @address = BoundedWait.value_of(Thread.new { @output.gets })&.chomp or raise "the broker has not started"
      @reader = Thread.new { @output.each_line { |line| keep(line) } }
    end

    # The payloads of all messages so far, a line each.
    def text = @lock.synchronize { @text.dup }

    def stop
      return unless @process

      @input.close
      BoundedWait.value_of(@process)
      BoundedWait.value_of(@reader) if @reader
      @output.close
    end

    private

    def keep(line) = @lock.synchronize { @text << line }
  end
end
