# frozen_string_literal: true

require "coppice/tools/import/application_code"
require "coppice/tools/import/hook_body"
require "coppice/tools/import/hook_groups"
require "coppice/tools/import/hook_review"
require "coppice/tools/import/hook_text"

module Coppice
  module Import
    # What becomes of the hooks of a file: each is dropped, written under Coppice's name, or joined with another one
    # where the old server calls both.
    # The report says what their blocks use that Coppice lacks, and so does a comment above them.
    class Hooks
      #: (Array[[Call, Directive]], Source, Module) -> void
      def initialize(calls, source, server)
        @source = source
        @server = server
        @directives = calls.to_h.compare_by_identity
        @writer = HookText.new(source, @directives)
        @application = ApplicationCode.new(source)
      end

      # The new text of each call; nil for one that is dropped, or whose block has become part of an earlier one.
      #: () -> Hash[Call, String?]
      def texts
        @texts = {}.compare_by_identity
        @directives.keys.group_by { |call| @directives[call].target }.each_value { |calls| translate(calls) }
        @texts
      end

      private

      def translate(calls)
        calls = HookGroups.new(calls, @source).to_a.map { |group| last_of(group) } unless @server::CALLS_ALL_BLOCKS
        gone, left = calls.partition { |call| obsolete?(call) }
        gone.each { |call| @texts[call] = nil }
        groups = HookGroups.new(left, @source)
        groups.to_a.each { |group| write(group) }
        groups.rivals.each { |call| remark(call, "only the last block of #{@directives[call].target} is called") }
      end

      def last_of(calls)
        *replaced, last = calls
        replaced.each do |call|
          @texts[call] = nil
          call.note = "#{@server::TITLE} calls only the last block of #{call.name}"
        end
        last
      end

      def obsolete?(call)
        body = HookBody.new(call) if call.block
        return false unless body&.loss

        body.empty? ? call.note = body.loss : remark(call, body.loss)
        body.empty?
      end

      def write(calls)
        first, *others = calls
        text = others.empty? ? @writer.alone(first) : @writer.together(calls)
        @texts[first] = "#{comments(calls)}#{text}"
        others.each do |call|
          @texts[call] = nil
          call.joined = true
          remark(call, "joined with the block of line #{first.line}")
        end
      end

      # What has to be changed by hand, for the file; the report says it as well.
      def comments(calls)
        reviews = calls.map { |call| HookReview.new(call, @directives[call], @server::FOREIGN, @application) }
        calls.zip(reviews) do |call, review|
          review.remarks.each { |text| remark(call, text) }
          call.todo = !review.todos.empty?
        end
        reviews.flat_map(&:todos).uniq.map { |text| @source.todo("#{text}.", calls.first.node) }.join
      end

      def remark(call, text) = call.note = [call.note || @directives[call].note, text].compact.join("; ")
    end
  end
end
