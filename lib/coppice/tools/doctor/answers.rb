# frozen_string_literal: true

module Coppice
  module Doctor
    # Compares the statuses with which the workers of different generations have answered the same paths.
    class Answers
      AFTER_EXITS = "a handler of at_exit or a finalizer takes away what other processes use, when the first of them " \
                    "exits: docs/memory.md, Finalizers and at_exit handlers"

      # before: statuses of the first worker before it forked. after: generation => statuses after the first fork, also
      # those of the first worker, which goes on serving. last: those of a later worker after all others have exited.
      # error: the exception behind a response that changed.
      Answer = Struct.new(:path, :before, :after, :last, :error, :place, keyword_init: true) do
        # The statuses that the worker did not answer before it forked.
        #: () -> Array[Integer]
        def changed = [*after.values.flatten, *last].uniq - before

        # Whether it was not the forks that have changed them.
        #: () -> bool
        def changed_by_exits? = !changed.empty? && (after.values.flatten - before).empty?

        #: () -> Symbol?
        def severity
          return :care if failed_before?
          return if changed.empty?

          changed.any? { |status| failed?(status) } ? :danger : :care
        end

        # For people: how the statuses differ.
        #: () -> String
        def changes
          first = "#{before.uniq.map { |status| text(status) }.join(', ')} before the first fork"
          later = after.select { |_, statuses| statuses.intersect?(changed) }
          generations = later.map { |generation, statuses| "#{texts(statuses)} in generation #{generation}" }
          exits = ["#{texts(last)} once other processes have exited"] if last.intersect?(changed)
          [first, *generations, *exits].join("; ")
        end

        #: () -> String?
        def remedy = (AFTER_EXITS if changed_by_exits?)

        # What the path did not show; nil if it was answered with success.
        #: () -> String?
        def remark
          other = before.find { |status| !success?(status) }
          "what #{path} does when it is successful: it was answered with #{text(other)}#{hint(other)}" if other
        end

        #: () -> bool
        def failed_before? = before.any? { |status| failed?(status) }

        #: () -> bool
        def succeeded_before? = before.any? { |status| success?(status) }

        private

        def success?(status) = (200..299).cover?(status)
        def failed?(status) = status.zero? || status >= 500
        # As Rails answers for a host that is not in `config.hosts`.
        def hint(status) = ("; --host names the host, if the application accepts only its own" if status == 403)
        def text(status) = status.zero? ? "no response" : status.to_s
        def texts(statuses) = statuses.uniq.map { |status| text(status) }.join(", ")
      end

      # answers, last: as Chain#answers and Chain#last_answers. errors: the events of failed requests.
      #: (Hash[String, Hash[Integer, Array[Integer]]], Array[Hash[Symbol, untyped]],
      #    ?last: Hash[String, Array[Integer]]) -> void
      def initialize(answers, errors, last: {})
        @answers = answers
        @last = last
        @errors = errors
      end

      #: () -> Array[Answer]
      def all
        @answers.map do |path, generations|
          before = generations.fetch(0, []).first(Chain::ROUNDS)
          after = { 0 => generations.fetch(0, []).drop(Chain::ROUNDS), **generations.reject { |key, _| key.zero? } }
          error = error_of(path)
          Answer.new(path: path, before: before, after: after.reject { |_, statuses| statuses.empty? },
            last: @last.fetch(path, []), error: error && error[:error], place: error && error[:place])
        end
      end

      private

      # The first that a framework or the application named.
      def error_of(path)
        bare = path[/\A[^?]*/]
        @errors.find { |event| event[:path] == bare && event[:error] }
      end
    end
  end
end
