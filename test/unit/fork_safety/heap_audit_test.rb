# frozen_string_literal: true

require "monitor"
require "objspace"
require "open3"
require "test_helper"
require "coppice"
require "coppice/fork_safety/heap_audit"

module Coppice
  module ForkSafety
    class HeapAuditTest < TestCase
      # The findings beyond those that there were before the block, which is called inside of this one.
      def found
        before = HeapAudit.new.findings
        yield
        rest = HeapAudit.new.findings
        before.each { |finding| rest.delete_at(rest.index(finding) || rest.size) }
        rest
      end

      # While another thread holds this lock.
      def holding(lock)
        held = Queue.new
        thread = Thread.new do
          lock.synchronize do
            held << true
            Thread.stop
          end
        end
        BoundedWait.pop(held)
        yield
      ensure
        thread.kill.join
      end

      def found_while_held(lock)
        found = []
        holding(lock) { found = HeapAudit.new.findings }
        found
      end

      test "a mutex and a monitor that another thread holds are found" do
        { "Thread::Mutex" => Mutex.new, "Monitor" => ::Monitor.new }.each do |name, lock|
          findings = found_while_held(lock)

          assert_includes findings.map { |finding| [finding.kind, finding.owner] }, [:locked, name]
        end
      end

      test "the thread that holds a lock is named where allocations are traced" do
        [Mutex, ::Monitor].each do |type|
          findings = ObjectSpace.trace_object_allocations { found_while_held(type.new) }
          lock = findings.find { |finding| finding.kind == :locked }

          place = /test\/unit\/fork_safety\/heap_audit_test\.rb:\d+/
          assert_match(/\Aprobably held by the thread #{place} \(in #{place}\)\z/, lock.detail)
        end
      end

      test "a lock that this thread holds, or nobody, is not found" do
        own = Mutex.new
        free = Mutex.new
        findings = own.synchronize { found { free.lock.unlock } }

        assert_empty findings
      end

      test "a Random is found with its place when allocations are traced" do
        generator = nil
        findings = ObjectSpace.trace_object_allocations { found { generator = Random.new(1) } }

        assert_equal [:copied_random], findings.map(&:kind)
        assert_match(/\ARandom test\/unit.*_test\.rb:\d+\z/, findings.first.owner)
        refute_nil generator
      end

      test "a queue with contents is found, and an empty one is not" do
        queues = []
        findings = ObjectSpace.trace_object_allocations { found { queues.replace([Queue.new, Queue.new << :event]) } }

        assert_equal [[:copied_queue, "number of objects in it: 1"]], findings.map { |one| [one.kind, one.detail] }
      end

      test "when allocations are traced, what Ruby's own library and Coppice have made is left out" do
        made = []
        findings = ObjectSpace.trace_object_allocations do
          found do
            HeapAudit::OTHERS.each { |folder| made << eval("Random.new(1)", nil, "#{folder}/any.rb", 1) }
            made << eval("Random.new(1)", nil, "#{HeapAudit::OTHERS.last}/gems/any-1.0/any.rb", 1)
          end
        end

        assert_equal ["Random any-1.0/any.rb:1"], findings.map(&:owner)
      end

      test "a place may have any name" do
        made = nil
        findings = ObjectSpace.trace_object_allocations do
          found { made = eval("Random.new(1)", nil, "#{Dir.pwd}/caf\u00E9.rb", 1) }
        end

        assert_equal ["Random caf\u00E9.rb:1"], findings.map(&:owner)
        refute_nil made
      end

      test "so may the folder that Coppice is in" do
        with_tmpdir do |folder|
          library = "#{folder}/caf\u00E9/coppice"
          FileUtils.mkdir_p(%w[fork_safety log].map { |name| "#{library}/#{name}" })
          [HeapAudit, Finding, LockHolders, Log::Text].each do |used|
            file = Object.const_source_location(used.name).first
            FileUtils.cp(file, "#{library}/#{file[%r{coppice/(\w+/\w+\.rb)\z}, 1]}")
          end
          File.write(program = "#{folder}/caf\u00E9/program.rb", <<~'RUBY')
            require "objspace"
            ObjectSpace.trace_object_allocations_start
            require "coppice/fork_safety/heap_audit"
            KEPT = Random.new(1)
            puts Coppice::ForkSafety::HeapAudit.new.findings.map { |finding| File.basename(finding.owner) }
          RUBY
          output, = Open3.capture2e(RbConfig.ruby, "-I#{folder}/caf\u00E9", program)

          assert_equal "program.rb:4\n", output
        end
      end

      # Why a Random is worth a finding, and the generators of Ruby itself are not.
      test "copies draw the same numbers from a Random, and others from Ruby's own generator" do
        generator = Random.new(1)
        drawn = Array.new(2) { in_copy { [generator.rand(1 << 64), rand(1 << 64), Random.rand(1 << 64)] } }

        assert_equal drawn[0][0], drawn[1][0]
        refute_equal drawn[0][1], drawn[1][1]
        refute_equal drawn[0][2], drawn[1][2]
      end

      # Why locks are looked for before the fork.
      test "in a copy nothing shows that another thread held a lock" do
        lock = Mutex.new
        holding(lock) do
          assert_equal [0], in_copy { [lock.locked? ? 1 : 0] }
        end
      end

      def in_copy
        IO.popen("-") do |copy|
          next copy.read.split.map(&:to_i) if copy

          print yield.join(" ")
          $stdout.flush
          exit!
        end
      end
    end
  end
end
