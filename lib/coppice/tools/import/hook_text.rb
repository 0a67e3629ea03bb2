# frozen_string_literal: true

require "coppice/tools/import/hook_body"
require "coppice/tools/import/indentation"

module Coppice
  module Import
    # Writes hooks under Coppice's names. The text of a block stays as it is, except for its parameters and for
    # statements that have lost their purpose.
    class HookText
      # The worker that Unicorn passes to before_fork. Which one it will be is not known to the process that forks it.
      NEXT_WORKER = "Struct.new(:nr).new(0)"
      private_constant :NEXT_WORKER

      #: (Source, Hash[Call, Directive]) -> void
      def initialize(source, directives)
        @source = source
        @directives = directives
      end

      #: (Call) -> String
      def alone(call)
        directive = @directives[call]
        return passed_on(call, directive) unless call.block

        body = HookBody.new(call)
        return together([call]) if directive.origins && !body.parameters.empty?

        "#{directive.target} #{body.with_parameters(parameters_for(call, body))}"
      end

      # One block of several. The first one's comments stay where they are, above its call.
      #: (Array[Call]) -> String
      def together(calls)
        texts = calls.map do |call|
          body = HookBody.new(call)
          text = [*setup_of(call, body), body.code].join("\n")
          body.next? && call != calls.last ? called_at_once(text) : text
        end
        block_for(calls.first, texts.join("\n\n"))
      end

      private

      # For a text with `next`, which ends its own block and not what follows.
      def called_at_once(text) = "proc do\n#{Indentation.set(text, "  ")}\nend.call"

      # A block, or what is called in its place, that is the value of a variable or the like.
      def passed_on(call, directive)
        node = call.passed || (call.arguments.first unless directive.origins)
        return call.as(directive.target) if node.nil? || directive.same_arguments?

        callable = @source.of(node)
        callable = "(#{callable})" unless callable.match?(/\A[:\w.]+\z/)
        given = origins_of(call)
        block_for(call, "#{callable}.to_proc.call#{"(#{given.join(', ')})" unless given.empty?}")
      end

      # The target's call, whose block has the parameters that the text reads.
      def block_for(call, text)
        directive = @directives[call]
        names = directive.arguments.map { |name| text.match?(/\b#{name}\b/) ? name : "_#{name}" }
        names.pop while names.last&.start_with?("_")
        margin = @source.margin(call.node)
        "#{directive.target} do#{" |#{names.join(', ')}|" unless names.empty?}\n" \
          "#{Indentation.set(text, "#{margin}  ")}\n#{margin}end"
      end

      # The parameters that Coppice gives, under the names that the block has for them, and Unicorn's worker.
      def parameters_for(call, body)
        given = body.parameters
        allowed = @directives[call].arguments.size
        return given.first(allowed) unless allowed < given.size && body.reads?(given.last)

        given.first(allowed) + given.drop(allowed).map { |name| assignment(name, [NEXT_WORKER]) }
      end

      # What the other server would give to the block, made of what Coppice gives. A key stands for a Hash.
      def origins_of(call)
        directive = @directives[call]
        return directive.arguments + (directive.same_arguments? ? [] : [NEXT_WORKER]) unless directive.origins

        call.arguments.empty? ? directive.origins : [*directive.origins, "hook_data[#{call.symbol}]"]
      end

      # Assignments for the parameters that the block reads.
      def setup_of(call, body)
        origins = origins_of(call)
        body.parameters.each_with_index.filter_map do |name, index|
          assignment(name, origins.drop(index)) if name != origins[index] && body.reads?(name)
        end
      end

      def assignment(name, origins)
        return "#{name.delete_prefix("*")} = [#{origins.join(', ')}]" if name.start_with?("*")

        "#{name} = #{origins.first || "nil"}"
      end
    end
  end
end
