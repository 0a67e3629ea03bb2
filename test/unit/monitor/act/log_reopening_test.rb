# frozen_string_literal: true

require "test_helper"
require "stringio"
require "coppice/log"
require "coppice/monitor/act/log_reopening"

module Coppice
  class Monitor
    # What the loop tells the children. What becomes of the files is in test/process/log_reopening_test.rb.
    class LogReopeningTest < TestCase
      # In the place of the inbox, and of the thread that writes the log: each does at once what it is given.
      class AtOnce
        def hand_back = yield

        def post
          yield
          true
        end
      end

      # In the place of Log::Reopening: one file was opened.
      Files = Struct.new(:file) do
        def call
          yield({ standard_output: file }, {})
          []
        end
      end

      # A child whose channel answers, or raises an error.
      Child = Struct.new(:name, :answer, :lobby?) do
        def gone? = false
        def channel = self
        def to_log = { child: name }

        def send(_message, descriptors:)
          @received = descriptors
          answer.is_a?(Exception) ? raise(answer) : answer
        end

        attr_reader :received
      end

      # Yields what became of it and the log. inbox: in the place of the monitor's.
      def reopen(children, inbox: AtOnce.new, **options)
        log = StringIO.new
        reader, writer = IO.pipe
        reader.close
        Log::Reopening.stub(:new, -> { Files.new(writer) }) do
          reopening = LogReopening.new(inbox, AtOnce.new, log: Log.new(log, role: :monitor), **options)
          yield reopening.begin(-> { children.dup }), log.string
        end
        assert_predicate writer, :closed?
      end

      test "children that get the message are counted" do
        children = [:sent, :full, :closed].map { |answer| Child.new("child", answer, false) }
        reopen(children) { |outcome,| assert_equal 1, outcome.children }
      end

      test "a child that was requested before the loop tells the others is told as well" do
        children = []
        inbox = AtOnce.new
        inbox.define_singleton_method(:hand_back) do |&work|
          children << Child.new("late", :sent, false)
          work.call
        end
        reopen(children, inbox: inbox) { |outcome,| assert_equal 1, outcome.children }
      end

      test "where the kernel refuses to pass descriptors to one, the others are told, and the log names it" do
        [Errno::ETOOMANYREFS.new, Errno::ENOBUFS.new].each do |error|
          children = [Child.new("refused", error, false), Child.new("told", :sent, false)]
          reopen(children) do |outcome, log|
            assert_equal 1, outcome.children
            assert_match(/level=error .*child=refused .*#{error.message}/, log)
          end
          assert children.last.received
        end
      end

      test "an access log that is a named pipe without a reader stops nobody, and is an error" do
        with_tmpdir do |folder|
          File.mkfifo("#{folder}/pipe")
          reopening = LogReopening.new(AtOnce.new, AtOnce.new, log: nil, access_log: [:text, "#{folder}/pipe"])
          error = assert_raises(Error) { reopening.begin(-> { [] }).lines }

          assert_match(%r{could not open it: .*/pipe}, error.message)
        end
      end

      test "a lobby that cannot be told does not keep the others from it" do
        children = [Child.new("lobby", Errno::ETOOMANYREFS.new, true), Child.new("told", :sent, false)]
        reopen(children, access_log: [:text, nil]) do |outcome, log|
          assert_equal 1, outcome.children
          assert_match(/child=lobby/, log)
        end
      end
    end
  end
end
