# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class ConcurrentRubyPresetTest < PresetTestCase
    FILE = 'NOTES = File.open(ENV.fetch("NOTES"), "a").tap { |file| file.sync = true }'
    SERVE = <<~'RUBY'
      run(lambda do |env|
        deliver(env["QUERY_STRING"])
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "a pool, a future and a scheduled task work in each process" do
      ["POOL.post { NOTES.puts(token) }", "Concurrent::Promises.future { NOTES.puts(token) }",
       "Concurrent::ScheduledTask.execute(0.01) { NOTES.puts(token) }"].each do |deliver|
        assert_notes <<~RUBY
          require "concurrent"
          #{FILE}
          POOL = Concurrent::FixedThreadPool.new(2)
          def deliver(token) = #{deliver}
          #{SERVE}
        RUBY
      end
    end

    TIMER = <<~RUBY.freeze
      require "concurrent"
      #{FILE}
      QUEUE = Queue.new
      TIMER = -> { Concurrent::TimerTask.execute(execution_interval: 0.02) { NOTES.puts(QUEUE.pop) until QUEUE.empty? } }
      def deliver(token) = QUEUE << token
      #{SERVE}
    RUBY

    test "a timer task that after_worker_fork creates works in each process" do
      assert_notes(TIMER, config: "after_worker_fork { QUEUE.clear; ::TIMER.call }")
    end

    test "a timer task that was created at boot is not started again" do
      with_tmpdir do |folder|
        notes = File.join(folder, "notes").tap { |path| File.write(path, "") }
        env = { "NOTES" => notes }

        refute_delivers("#{TIMER}\nTIMER.call", env: env, last_generation: 0) { File.read(notes) }
      end
    end

    private

    def assert_notes(app, **options)
      with_tmpdir do |folder|
        notes = File.join(folder, "notes").tap { |path| File.write(path, "") }

        assert_delivers(app, env: { "NOTES" => notes }, **options) { File.binread(notes) }
      end
    end
  end
end
