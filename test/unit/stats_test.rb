# frozen_string_literal: true

require "json"
require "test_helper"
require "support/stats_test_case"

module Coppice
  # What a reader of the board answers.
  class StatsTest < StatsTestCase
    TOTALS = %i[requests responses refused dropped_headers timeouts hijacked bytes_received bytes_sent busy_seconds
                gc_seconds gc_runs cpu_seconds].freeze

    def cpu_seconds = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)

    test "an empty board has the whole shape" do
      hash = to_h

      assert_equal %i[version time server lobby memory totals histograms slots services processes releases exits
                      recent_exits reforks promotions ledger fork_audit], hash.keys
      assert_equal TOTALS, hash[:totals].keys
      assert_equal %i[pid state uptime started_at generation workers workers_least workers_most
                      workers_ready workers_busy utilization requests_waiting monitor_beat_age ruby directory
                      listeners unsafe_routes], hash[:server].keys
      assert_equal %i[pss private rss saved measured_age total available], hash[:memory].keys
      assert_equal %i[application_seconds queue_seconds first_request_seconds], hash[:histograms].keys
      assert_equal [[], [], [], nil, nil], hash.values_at(:slots, :processes, :promotions, :ledger, :lobby)
      others = hash[:reforks].reject { |entry| entry[:refork] }
      assert_equal %w[boot warmed_up roll], others.map { |entry| entry[:reason] }.uniq
    end

    test "what the lobby counts is there as soon as there is a lobby" do
      @board.row(0).assign(role: :lobby, nr: nil, generation: 0)
      @board.row(0).pid = Process.pid
      @board.rows_count = 1
      @board.lobby.idle = 3
      @board.lobby.shed_queue_timeout = 2
      @board.lobby.refused_414 = 1
      lobby = to_h[:lobby]

      assert_equal 3, lobby[:idle]
      assert_equal [["414", "request", 1], ["503", "queue_timeout", 2]],
        lobby[:refused].map(&:values).select { |_, _, count| count.positive? }.sort
    end

    test "a lobby's loop that has not moved says for how long" do
      row = @board.row(0)
      row.assign(role: :lobby, nr: nil, generation: 0)
      row.pid = Process.pid
      @board.rows_count = 1

      assert_nil to_h[:lobby][:beat_age]
      row.seen_ms = OS::Clock.now_ms - 8000

      assert_operator to_h[:lobby][:beat_age], :>=, 8
    end

    test "the lobby's errors are the requests that it has answered with 5xx, but for what only clients can mend" do
      Stats::Lobby::REFUSALS.each_key { |name| @board.lobby.public_send(:"#{name}=", 1) }
      lobby = Stats::Lobby.new(@board.lobby)

      assert_equal [18, 10], [lobby.refusals, lobby.errors]
    end

    test "each count of the lobby is shown" do
      shown = Stats::Lobby::PLAIN + Stats::Lobby::REFUSALS.keys + [:held_route, :full, :paused, :bytes_in, :bytes_out]

      assert_equal Board::LOBBY_COLUMNS.map(&:name).sort, shown.sort
    end

    test "requests that wait in the lobby count among those that wait" do
      @board.introduce(listeners: "")
      @board.lobby.accepted = 1
      @board.lobby.waiting = 4
      queues = [{ name: "a", queue: 2, backlog: 8 }]

      assert_equal 6, @stats.send(:waiting, queues, Stats::Lobby.new(@board.lobby))
    end

    test "it is ready for JSON" do
      worker(0).request = "GET /\xFF".b
      @board.row(0).started_ms = 1
      @board.introduce(listeners: "")

      assert_equal "GET /\uFFFD", JSON.parse(JSON.generate(to_h))["processes"][0]["request"]
      JSON.generate(@stats.history)
    end

    test "what the fork audit has found: all of it as a number, the newest causes by name" do
      assert_equal({ findings: 0, refused: 0, recent: [] }, to_h[:fork_audit])
      @board.audit_findings = 5
      @board.refused_commits = 2
      kind = ForkSafety::Finding::KINDS.keys.index(:missing_thread)
      [1, 2].each do |sequence|
        values = { time_ms: sequence * 1500, kind: kind, generation: sequence, owner: "poller \xFF#{sequence}".b }
        @board.finding_record(sequence).fill(sequence, values)
      end
      @board.findings_count = 2
      audit = to_h[:fork_audit]

      assert_equal [5, 2, [2, 1]], [audit[:findings], audit[:refused], audit[:recent].map { |one| one[:generation] }]
      assert_equal({ time: 3.0, kind: :missing_thread, message: "a thread does not exist after the fork",
                     owner: "poller \uFFFD2", generation: 2 }, audit[:recent].first)
    end

    test "what a server is, it says itself" do
      @board.introduce(listeners: "128 1,2 127.0.0.1:80\n5 3 /a path\n")
      server = to_h[:server]

      assert_equal [Process.pid, "booting", RUBY_DESCRIPTION, Dir.pwd],
        server.values_at(:pid, :state, :ruby, :directory)
      assert_equal [["127.0.0.1:80", nil, 128], ["/a path", nil, 5]], server[:listeners].map(&:values)
      assert_in_delta 0, server[:uptime], 60
    end

    test "histograms have one count more than bounds" do
      Histogram.add(@board.cells, worker(0).place_of(:application_us).first, 100_000)
      histogram = to_h[:histograms][:application_seconds]

      assert_equal [histogram[:le].size + 1, 1, 0.1], [histogram[:counts].size, histogram[:count], histogram[:sum]]
      assert_in_delta 0.1, histogram[:p50], 0.025
      assert_nil to_h[:histograms][:queue_seconds][:p99]
    end

    test "totals are those of the dead and the living, of each slot" do
      worker(0).count(:bytes_sent, 5)
      gone = worker(0, index: 3)
      gone.count(:bytes_sent, 10)
      @board.fold(gone)
      worker(2).count(:bytes_sent, 100)

      assert_equal [15, 0, 100], (to_h[:slots].map { |slot| slot[:bytes_sent] })
      assert_equal [0, 1, 2], (to_h[:slots].map { |slot| slot[:slot] })
      assert_equal 115, to_h[:totals][:bytes_sent]
    end

    test "CPU time comes from /proc, and is kept when a process is gone" do
      row = worker(0)
      least = cpu_seconds - 0.1 # the kernel rounds
      before = to_h[:totals][:cpu_seconds]

      assert_operator before, :>, 0
      assert_includes least..(cpu_seconds + 0.1), before
      row.cpu_us = 10**9

      assert_equal [1000.0, 1000.0], [to_h[:totals][:cpu_seconds], to_h[:processes][0][:cpu_seconds]]
      @board.fold(row)

      assert_equal 1000.0, to_h[:totals][:cpu_seconds]
    end

    test "CPU time of a lobby's lost loop stands still, that of the living one is added" do
      row = worker(0)
      row.assign(role: :lobby, nr: nil, generation: 0)
      row.cpu_us = 10**9
      @board.pass_on(row, Process.pid)
      least = cpu_seconds - 0.1 # the kernel rounds
      hash = to_h

      assert_includes least..(cpu_seconds + 0.1), hash[:processes][0][:cpu_seconds]
      assert_in_delta 1000 + hash[:processes][0][:cpu_seconds], hash[:totals][:cpu_seconds], 1e-6
    end

    test "a process that is reaped while the rest is read is as it was before" do
      row = worker(0)
      @board.define_singleton_method(:listeners) { super().tap { fold(row) } }
      hash = to_h

      assert_equal ["worker", 0, Process.pid, "idle"], hash[:processes][0].values_at(:role, :slot, :pid, :state)
      assert_equal 1, hash[:server][:workers_ready]
    end

    test "a row that is free in the middle of a fold that does not end is no process" do
      worker(0)
      @board.define_singleton_method(:rows) { super().each(&:clear) }

      assert_empty to_h[:processes]
    end

    test "a process that a signal has stopped is told apart" do
      child = fork { sleep }
      Process.kill(:STOP, child)
      Process.wait(child, Process::WUNTRACED)
      row = worker(0)
      row.ready = 1
      row.pid = child

      assert_equal "stopped", to_h[:processes][0][:state]
    ensure
      Process.kill(:KILL, child)
      Process.wait(child)
    end

    test "a process's state follows from its row" do
      row = worker(0)
      states = [[:ready, 0], [:ready, 1], [:started_ms, 1], [:leaving, 1]].map do |column, value|
        row.public_send(:"#{column}=", value)
        to_h[:processes][0][:state]
      end

      assert_equal %w[starting idle busy leaving], states
    end

    test "a process that measures itself for the first time while it is read has no sizes yet" do
      row = worker(0)
      row.define_singleton_method(:measured_ms) { super().tap { self.measured_ms = 1 } }
      entry = Stats::Processes::Entry.new(row, OS::Clock.now_ms)

      assert_equal [nil], entry.to_h.values_at(:rss, :pss, :private, :private_at_start, :measured_age).uniq
    end

    test "the memory that there is is that of the server's cgroup, whichever process asks" do
      @board.monitor_pid = 4711
      with_tmpdir do |folder|
        File.write("#{folder}/memory.max", "2097152\n")
        File.write("#{folder}/memory.current", "1048576\n")
        cgroups = { [4711, "memory"] => Struct.new(:limit) { def files(*) = [limit] }.new("#{folder}/memory.max") }
        memory = OS::Cgroup.stub(:of_process, ->(*words) { cgroups.fetch(words) }) { Stats.new(@board).to_h[:memory] }

        assert_equal [2_097_152, 1_048_576], memory.values_at(:total, :available)
      end
    end

    test "memory is the sum of what processes have measured" do
      [0, 1].each do |nr|
        row = worker(nr)
        row.rss_kib, row.pss_kib, row.private_kib = 100, 60, 30
        row.measured_ms = OS::Clock.now_ms - (nr * 1000)
      end
      worker(2)
      memory = to_h[:memory]

      assert_equal [120, 60, 200, 80], memory.values_at(:pss, :private, :rss, :saved).map { |bytes| bytes / 1024 }
      assert_operator memory[:measured_age], :>=, 1
      assert_equal [nil, nil], to_h[:processes][2].values_at(:rss, :measured_age)
    end

    test "a board that is mapped to read only can be read" do
      worker(0)
      reader = Board.attach(@board.fileno, read_only: true)

      assert_equal 1, Stats.new(reader).to_h[:processes].size
      reader.close
    end

    test "outside of a server there is nothing to tell" do
      assert_equal({}, Coppice.stats)
    end
  end
end
