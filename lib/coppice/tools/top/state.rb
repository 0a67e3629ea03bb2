# frozen_string_literal: true

require "coppice/tools/top/columns"

module Coppice
  module Top
    # What the user looks at: which worker is selected, how the table is sorted, what is asked. Keys change it.
    class State
      # A question that is answered with y or with any other key, and the words for the monitor.
      Question = Struct.new(:text, :order)

      attr_reader :mode      #: Symbol -- :table, :worker or :help
      attr_reader :sort      #: Symbol -- a column
      attr_reader :backwards #: bool
      attr_reader :question  #: Question?
      attr_reader :backtrace #: Array[String]? -- of the worker in detail
      attr_accessor :message #: String? -- what the last order led to
      attr_accessor :scroll  #: Integer -- lines of the text in detail that are above the screen

      def initialize
        @mode = :table
        @sort = :slot
        @backwards = false
        @offset = 0
        @scroll = 0
      end

      # The worker that is selected, of those in the order of the table: the same process; when that has exited, the one
      # in its slot; else the one that has its place.
      #: (Array[Hash[Symbol, untyped]]) -> Hash[Symbol, untyped]?
      def selected(workers)
        found = workers.find { |worker| worker[:pid] == @pid } || workers.find { |worker| worker[:slot] == @slot }
        select(found || workers[[@index || 0, workers.size - 1].min], workers) unless workers.empty?
      end

      # The first of the workers to show when so many fit: the selected one is among them.
      #: (Array[Hash[Symbol, untyped]], Integer) -> Integer
      def offset(workers, visible)
        selected(workers)
        index = @index || 0
        @offset = @offset.clamp([index - visible + 1, 0].max, [index, 0].max)
        @offset = @offset.clamp(0, [workers.size - visible, 0].max)
      end

      # Takes in a key, with the workers in the order of the table. Returns :quit, the words of an order to the monitor,
      # or nil.
      #: (String | Symbol, Array[Hash[Symbol, untyped]], ?page: Integer) -> (Symbol | Array[String])?
      def press(key, workers, page: 10)
        return :quit if key == :interrupt
        return answer(key) if @question

        @message = nil
        return leave_help if @mode == :help
        return in_detail(key, workers, page) if @mode == :worker

        in_table(key, workers, page)
      end

      # What the monitor has answered to `backtrace` for this slot. An answer that comes late, when another worker is
      # shown, is not for this view.
      #: (String, Array[String]) -> void
      def show_backtrace(slot, lines)
        @backtrace = lines if slot == @asked
      end

      private

      def select(worker, workers)
        @index = workers.index(worker)
        @pid, @slot = worker.values_at(:pid, :slot)
        worker
      end

      def in_table(key, workers, page)
        case key
        when "q", :escape then return :quit
        when "k", :up then move(-1, workers)
        when "j", :down then move(+1, workers)
        when :page_up then move(-page, workers)
        when :page_down then move(+page, workers)
        when "g", :home then move(-workers.size, workers)
        when "G", :end then move(+workers.size, workers)
        when "<", :left then sort_by(-1)
        when ">", :right then sort_by(+1)
        when "o" then @backwards = !@backwards
        when :enter then return show_worker(workers)
        else return common(key, workers)
        end
        nil
      end

      def in_detail(key, workers, page)
        case key
        when "q", :escape, :enter, :left then @mode = :table
        when "k", :up then @scroll -= 1
        when "j", :down then @scroll += 1
        when :page_up then @scroll -= page
        when :page_down then @scroll += page
        when "g", :home then @scroll = 0
        when "b" then return ask_backtrace(workers)
        else return common(key, workers)
        end
        @scroll = 0 if @scroll.negative?
        nil
      end

      def common(key, workers)
        case key
        when "?", "h" then @mode, @before = :help, @mode
        when "r" then @question = Question.new("Refork now?", ["refork"])
        when "x" then ask_recycle(workers)
        end
        nil
      end

      # Any key does.
      def leave_help
        @mode = @before
        nil
      end

      def answer(key)
        order = @question.order
        @question = nil
        order if %w[y Y].include?(key)
      end

      def ask_recycle(workers)
        worker = selected(workers) or return
        slot = worker[:slot]
        @question = Question.new("Replace worker #{slot} by a fresh fork?", ["recycle", slot.to_s])
      end

      def show_worker(workers)
        return unless selected(workers)

        @mode = :worker
        ask_backtrace(workers)
      end

      def ask_backtrace(workers)
        worker = selected(workers) or return
        @backtrace = nil
        @scroll = 0
        @asked = worker[:slot].to_s
        ["backtrace", @asked]
      end

      def move(by, workers)
        return if workers.empty?

        selected(workers)
        select(workers[(@index + by).clamp(0, workers.size - 1)], workers)
      end

      def sort_by(step)
        names = COLUMNS.map(&:name)
        @sort = names[(names.index(@sort) + step) % names.size]
        @backwards = false
      end
    end
  end
end
