# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/fork_safety/thread_census"

module Coppice
  module ForkSafety
    class ThreadCensusTest < TestCase
      def setup
        @started = []
      end

      def teardown
        @started.each { |thread| thread.kill.join }
      end

      # A thread that waits until the end of the test.
      def start(name = nil)
        thread = Thread.new { Thread.stop }
        thread.name = name if name
        eventually { thread.stop? }
        @started << thread
        thread
      end

      # One that seems to be started by this file.
      def start_in(file)
        thread = eval("Thread.new { Thread.stop }", binding, file, 1)
        eventually { thread.stop? }
        @started << thread
      end

      def entries = ThreadCensus.entries_of(@started)

      test "a thread is known by its name and by the place where it was started" do
        start("price poller (2 s)")
        line = method(:start).source_location.last + 1

        assert_equal ["price poller (2 s)", "#{__FILE__}:#{line}"], entries.first.to_a.take(2)
      end

      test "a thread that its library keeps to itself is found by its place, as the remedy says" do
        start_in("/gems/profiler-1.0/lib/store.rb")
        place = Finding.short_place(entries.first.place)

        assert_equal @started, Thread.list.select { |thread| thread.inspect.include?(place) }
        assert_includes Finding::KINDS.fetch(:missing_thread).remedy, "Thread.list"
      end

      # As in the C locale, when the application is in a folder with such a name.
      test "names and places in any encoding, and malformed ones, are known" do
        names = ["ü", "ü".b, "\xFC"]
        names.each { |name| start_in("/shop #{name}/poller.rb").last.name = name }
        start_in("/ü/poller.rb".dup.force_encoding("US-ASCII"))
        two = ["ü", "/shop ü/poller.rb:1"]

        assert_equal [two, two, ["\uFFFD", "/shop \uFFFD/poller.rb:1"], [nil, "/ü/poller.rb:1"]],
          entries.map { |entry| [entry.name, entry.place] }
      end

      test "a thread without a name is known by its place" do
        start

        assert_equal entries.first.place, entries.first.key
      end

      test "threads that are marked do not count" do
        start.thread_variable_set(:fork_safe, true)

        assert_empty entries
      end

      # Ruby does not tell the id of a thread until it runs, which may take long on a busy machine.
      test "a named thread that has not begun to run is no native thread" do
        thread = start("a poller with a long name")
        waiting = Struct.new(:name, :native_thread_id).new(thread.name, nil)
        others = Thread.list - [thread]
        names = ->(threads) { ThreadCensus.native_entries(threads).map(&:name) }

        assert_includes names.call(others), "a poller with a"
        refute_includes names.call([*others, waiting]), "a poller with a"
      end

      test "threads of gems whose presets say that they start again do not count, those of others do" do
        notes = "/gems/3.4.0/gems/concurrent-ruby-edge-notes-1.3.8/lib/concurrent.rb"
        start_in("/gems/3.4.0/gems/concurrent-ruby-1.3.8/lib/concurrent.rb")
        start_in("/gems/3.4.0/bundler/gems/opentelemetry-logs-sdk-0a1b2c3d4e5f/lib/opentelemetry.rb")
        start_in("/gems/3.4.0/gems/dalli-5.3.2/lib/dalli.rb")
        start_in(notes)
        activated = %i[concurrent_ruby dalli opentelemetry_sdk].map { |name| Presets[name] }
        places = Presets.stub(:activated, activated) { entries.map(&:place) }

        assert_equal ["/gems/3.4.0/gems/dalli-5.3.2/lib/dalli.rb:1", "#{notes}:1"], places
        assert_equal 4, Presets.stub(:activated, []) { entries.size }
      end

      test "the server's own threads do not count" do
        start_in(File.expand_path("../../../lib/coppice/worker/soft_timeout.rb", __dir__))

        assert_empty entries
      end

      test "Ruby has no native threads of its own that would be found, not even of threads that have ended" do
        20.times.map { Thread.new { Thread.pass } }.each(&:join)
        start

        assert_empty ThreadCensus.take.natives
      end

      # The native thread of an ended one cannot be taken over at once. Nothing waits here: Ruby keeps it for 3 s only.
      test "threads that the program has named and that have ended are no native threads" do
        names = ["mailer", "rechnungsprüfung", "a-thread-nameü"] # the last one is cut in the middle of a character
        names.map { |name| Thread.new { Thread.current.name = name } }.each(&:join)

        assert(100.times.any? { ThreadCensus.take.natives.empty? })
      end

      test "a thread that has ended is no longer alive" do
        census = ThreadCensus.take
        ended = ThreadCensus::Entry.new("ended", nil, 2**22)
        running = ThreadCensus::Entry.new("running", nil, Process.pid)
        census.threads.replace([ended, running])

        assert_equal [[running], 0], [census.still_alive.threads, census.still_alive.ractors]
      end
    end
  end
end
