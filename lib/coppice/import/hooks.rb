# frozen_string_literal: true

require "coppice/config/hooks"
require "coppice/import/hook_body"

module Coppice
  module Import
    # Writes the hooks of a file under Coppice's names. The text of a block stays as it is, except for its parameters
    # and for statements that have lost their purpose. Several blocks for one hook become one, because only the last
    # block of a hook is called.
    class Hooks
      #: (Array[[Call, Directive]], Source, Foreign) -> void
      def initialize(calls, source, foreign)
        @source = source
        @foreign = foreign
        @groups = calls.group_by { |_, directive| directive.target }.values
      end

      # The new text of each call; nil for one that is dropped, or whose block has become part of an earlier one.
      #: () -> Hash[Call, String?]
      def texts
        @groups.each_with_object({}) do |calls, texts|
          gone, calls = calls.partition { |call, _| obsolete?(call) }
          gone.each { |call, _| texts[call] = nil }
          joined = calls.size > 1 ? calls.select { |call, _| joinable?(call) } : []
          (calls - joined).each { |call, directive| texts[call] = alone(call, directive) }
          warn_of_several(calls) if calls.size > [joined.size, 1].max
          next if joined.empty?

          joined.drop(1).each do |call, directive|
            texts[call] = nil
            call.joined = true
            call.note = [directive.note, "joined with the block of line #{joined.first.first.line}"].compact.join("; ")
          end
          texts[joined.first.first] = with_todo(joined.map(&:first), together(joined))
        end
      end

      private

      def obsolete?(call)
        return false unless call.block && HookBody.of(call).empty?

        call.note = HookBody::NOTE
      end

      # Blocks within conditions: which of them there are is not known here.
      def warn_of_several(calls)
        calls.each do |call, directive|
          several = "only the last block of #{directive.target} is called"
          call.note = [call.note || directive.note, several].compact.join("; ")
        end
      end

      # In the main part of the file, and a block whose text is there.
      def joinable?(call)
        call.block && @source.statements.any? { |node| node.equal?(call.node) }
      end

      def alone(call, directive)
        return with_todo([call], passed_on(call, directive)) unless call.block

        body = HookBody.of(call)
        warn_of_implicit_parameters(call, directive, body)
        return with_todo([call], together([[call, directive]])) if directive.origins && !body.parameters.empty?

        with_todo([call], "#{directive.target} #{body.with_parameters(parameters_for(directive, body, call))}")
      end

      # A block, or what is called in its place, that is the value of a variable or the like.
      def passed_on(call, directive)
        node = call.passed || (call.arguments.first unless directive.origins)
        return call.as(directive.target) if node.nil? || same_arguments?(directive)

        callable = @source.of(node)
        callable = "(#{callable})" unless callable.match?(/\A[:\w.]+\z/)
        given = origins_of(call, directive)
        given += ["nil"] unless directive.origins # where Unicorn gives the worker
        block_for(directive, "#{callable}.to_proc.call#{"(#{given.join(', ')})" unless given.empty?}")
      end

      def warn_of_implicit_parameters(call, directive, body)
        return if !body.implicit_parameters? || same_arguments?(directive)

        call.note = [directive.note, "the block has other arguments here: name those that it reads"].compact.join("; ")
      end

      # The first block's comments stay where they are, above its call.
      def together(calls)
        texts = calls.map do |call, row|
          body = HookBody.of(call)
          [*setup_of(call, row, body), body.indented].join("\n  ")
        end
        block_for(calls.first.last, texts.join("\n\n  "))
      end

      # The target's call, whose block has the parameters that the text reads.
      def block_for(directive, text)
        names = arguments_of(directive).map { |name| text.match?(/\b#{name}\b/) ? name : "_#{name}" }
        names.pop while names.last&.start_with?("_")
        "#{directive.target} do#{" |#{names.join(', ')}|" unless names.empty?}\n  #{text}\nend"
      end

      # The parameters that Coppice gives, under the names that the block has for them.
      def parameters_for(directive, body, call)
        given = body.parameters
        allowed = arguments_of(directive).size
        return given.first(allowed) unless allowed < given.size && body.reads?(given.last)

        call.note = [directive.note, "the block reads #{given.last}, which is nil here"].compact.join("; ")
        given.first(allowed) + given.drop(allowed).map { |name| "#{name} = nil" }
      end

      def arguments_of(directive) = Config::HOOKS[directive.target.to_sym].arguments.map(&:to_s)

      # Whether Coppice gives what the other server gives: the server and a worker.
      def same_arguments?(directive) = directive.origins.nil? && arguments_of(directive).size > 1

      # What the other server would give to the block, made of what Coppice gives. A key stands for a Hash.
      def origins_of(call, directive)
        origins = directive.origins || arguments_of(directive)
        call.arguments.empty? || directive.origins.nil? ? origins : [*origins, "hook_data[#{call.symbol}]"]
      end

      # Assignments for the parameters that the block reads.
      def setup_of(call, directive, body)
        origins = origins_of(call, directive)
        body.parameters.each_with_index.filter_map do |name, index|
          origin = name.start_with?("*") ? "[#{origins.drop(index).join(', ')}]" : origins.fetch(index, "nil")
          name = name.delete_prefix("*")
          "#{name} = #{origin}" if name != origin && body.reads?(name)
        end
      end

      def with_todo(calls, text)
        foreign = calls.flat_map { |call| @foreign.names_in_hook(statements_of(call)) }.uniq
        return text if foreign.empty?

        calls.first.note = "it uses #{foreign.join(' and ')}, which Coppice does not have: change it by hand"
        "# TODO: Coppice has no #{foreign.join(' and no ')}.\n#{text}"
      end

      def statements_of(call) = call.block ? HookBody.of(call).statements : [call.node]
    end
  end
end
