# frozen_string_literal: true

require "test_helper"
require "coppice/tools/memory/table"
require_relative "../../../support/measured_family"

module Coppice
  module Memory
    class ServerMemoryTest < TestCase
      test "the monitor comes first, then the mold, then the workers by their slots" do
        assert_equal ["monitor", "mold (gen 2)", "worker[0] (gen 2)", "worker[1] (gen 2)"],
          MeasuredFamily.server.processes.map(&:name)
      end

      test "totals, and the memory that sharing saves" do
        total = MeasuredFamily.server.to_h[:total]
        assert_equal({ pss_kib: 279_040, rss_kib: 409_600, uss_kib: 148_480, swap_kib: 0, saved_kib: 130_560 }, total)
      end

      test "the Hash has all figures of each process, and its kinds" do
        worker = MeasuredFamily.server.to_h[:processes].last
        assert_equal({ pid: 13, role: :worker, nr: 1, name: nil, generation: 2, requests: 7, rss_kib: 102_400,
                       pss_kib: 66_560, uss_kib: 30_720,
                       shared_kib: 71_680, swap_kib: 0, growth_kib: 20_480 }, worker.reject { |key, _| key == :kinds })
        assert_equal MappingKinds::NAMES.keys, worker[:kinds].keys
        assert_equal({ rss_kib: 102_400, pss_kib: 66_560, uss_kib: 30_720, shared_kib: 71_680 },
          worker[:kinds][:gc_heap])
      end

      test "the table is in MiB, without kinds that no process has" do
        assert_equal <<~TEXT.chomp, Table.new(MeasuredFamily.server).to_s
          process            pid  requests    RSS    PSS    USS  shared  growth
          monitor             10            100.0  100.0  100.0     0.0
          mold (gen 2)        11            100.0   52.5    5.0    95.0
          worker[0] (gen 2)   12         0  100.0   55.0   10.0    90.0
          worker[1] (gen 2)   13         7  100.0   65.0   30.0    70.0   +20.0
          total                             400.0  272.5  145.0   255.0

          272.5 MiB in all; sharing saves 127.5 MiB of 400.0
          172.5 MiB of them in molds, workers, services and guests, as `coppice status` counts

          private of resident MiB, by kind:
          process                   GC heap
          monitor            100.0 of 100.0
          mold (gen 2)         5.0 of 100.0
          worker[0] (gen 2)   10.0 of 100.0
          worker[1] (gen 2)   30.0 of 100.0
        TEXT
      end

      test "a kind that another allocator hides has no numbers" do
        smaps = ["10000000-10010000 rw-p 0 00:00 0 ", "18000000-18010000 rw-p 0 00:00 0 [heap]",
                 "20000000-20010000 r-xp 0 08:01 9 /libjemalloc.so"]
                .map { |header| "#{header}\nRss: 64 kB\nPrivate_Dirty: 64 kB\n" }.join
        hidden = Smaps.stub(:of, Smaps.parse(smaps)) { ProcessMemory.of(pid: Process.pid, role: :worker, nr: 2) }
        kinds = hidden.to_h[:kinds]

        assert_equal [nil, nil, 128], [kinds[:gc_heap], kinds[:malloc], kinds[:other][:rss_kib]]
        assert_equal 0, kinds[:jit][:rss_kib]
        text = Table.new(ServerMemory.new([*MeasuredFamily.server.processes, hidden])).to_s

        assert_match(/^worker\[2\] +- +- +0\.1 of 0\.1 +0\.1 of 0\.1$/, text)
        assert_match(/\n\n- is not known: .*\z/, text)
      end

      test "a process can measure itself" do
        own = ProcessMemory.of(pid: Process.pid, role: :worker, private_at_start: 1)
        assert_equal own.sizes.private - 1, own.growth
        assert_operator own.kinds[:libraries].rss, :>, 0
      end

      test "a process that has exited is left out" do
        assert_nil ProcessMemory.of(pid: MISSING_PID, role: :worker)
      end

      test "docs/memory.md names each role, in the order of the list" do
        sentence = File.read(File.expand_path("../../../../docs/memory.md", __dir__))[/`role` is (.*?);/, 1]
        assert_equal ServerMemory::ORDER.map(&:to_s), sentence.scan(/\w+(?=`)/)
      end

      test "the only process of a server without a monitor counts once" do
        board = Board.create
        board.monitor_pid = Process.pid
        assert_equal ["monitor"], ServerMemory.of(board).processes.map(&:name)

        board.row(0).tap { |row| row.assign(role: :worker, nr: 0, generation: 0) }.pid = Process.pid
        board.rows_count = 1
        assert_equal ["worker[0] (gen 0)"], ServerMemory.of(board).processes.map(&:name)
      ensure
        board&.close
      end

      # Above the largest that the kernel gives.
      MISSING_PID = 4_194_305
    end
  end
end
