# frozen_string_literal: true

require "coppice/config/types"
require "coppice/tools/import/call"
require "coppice/tools/import/source"

module Coppice
  module Import
    # How many requests Puma served at once, workers × threads, and the range of workers that serves as many here.
    class PumaCapacity
      LEAST = 2
      MOST = Config::Types::WorkerCount::MAXIMUM
      DEFAULT_THREADS = 5 # of Puma, where the file has none
      VARIABLE = "WEB_CONCURRENCY" # replaces the range where it is set, so that only its default counts in the file
      SIMPLE = %i[CALL FCALL LVAR].freeze # as a factor
      private_constant :SIMPLE

      # The call of `workers`.
      #: (Call) -> void
      def initialize(call)
        @call = call
        @source = call.source
        @threads_call = call.another(@source.calls(:threads).first) if @source.calls(:threads).size == 1
      end

      # The text of the range; nil where a condition decides, where Puma had one thread, and where the numbers depend on
      # more than literals and variables of the environment with a default.
      #: () -> String?
      def range
        return if @threads_call.nil? || [@call, @threads_call].any?(&:conditional?) || (threads || 1) == 1

        factors = [workers_factor, threads_factor]
        return if factors.include?(nil)
        return "#{LEAST}..#{count.clamp(LEAST, MOST)}" if factors.all?(Integer)

        "#{LEAST}..(#{factors.join(' * ')}).clamp(#{LEAST}, #{MOST})"
      end

      # What the report says about the range.
      def note #: () -> String
        "#{LEAST} workers at least, and while requests wait up to #{[count, product].compact.join(' = ')}, which is " \
          "what Puma served at once. Provide memory and database connections for as many, and some for a refork"
      end

      # What it says where the number of workers is taken over as it is; nil where Puma had one thread.
      #: () -> String?
      def advice
        return if threads == 1

        "Puma served up to #{product} requests at once, each worker here serves one: for as many write " \
          "#{"that number in " unless count}`worker_processes #{LEAST}..#{count || 'N'}`"
      end

      private

      def workers = (number(@call.value) if @source.calls(:workers).size == 1)

      # The largest number of them is the last argument.
      def threads
        return number(@threads_call.value(-1)) if @threads_call

        DEFAULT_THREADS if @source.calls(:threads).empty?
      end

      def number(value) = Integer(value.to_s, 10, exception: false)
      def count = (workers * threads if workers && threads)
      def product = "#{workers || 'workers'} × #{threads || 'threads'}"

      # A number, or the text of an expression that is one; nil for what may be "auto".
      def workers_factor
        text = @call.definition
        return workers if literal?(@call, 0) || (text.include?(VARIABLE) && text.scan("ENV").size == 1 && workers)
        return if PumaRewrites.integer(@call) != @call.text

        SIMPLE.include?(@call.arguments.first.type) ? @call.text : "(#{@call.text})"
      end

      # The call of `threads` goes, and with it the variables of the file that only it reads.
      def threads_factor
        return threads if literal?(@threads_call, -1)
        return if @threads_call.defined(-1).walk.any? { |node| Source::READS.include?(node.type) }

        text = @threads_call.definition(-1)
        PumaRewrites::NUMBER.match?(text) ? text : "Integer(#{text})"
      end

      def literal?(call, index) = Call::LITERALS.include?(call.defined(index).type)
    end
  end
end
