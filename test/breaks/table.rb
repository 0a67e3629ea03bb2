# frozen_string_literal: true

module Coppice
  # A defect that is put into a copy of the project to see that .ci/run would find it.
  #
  #   was, becomes  a text of the file that stands there once, and what takes its place
  #   words         the part of .ci/run that must fail
  Break = Struct.new(:name, :file, :was, :becomes, :words, keyword_init: true) do
    # Raises RuntimeError when the file has changed: then the break must be written anew.
    #: (String) -> void
    def apply(root)
      path = File.join(root, file)
      text = File.read(path)
      raise "#{name}: #{file} does not have this text once: #{was}" unless text.scan(was).size == 1

      File.write(path, text.sub(was) { becomes })
    end
  end

  class Break
    # Few files, so that RuboCop is quick.
    LINT = %w[bin/lint lib/coppice/version.rb].freeze

    TABLE = [
      { name: "a descriptor stays open in the copies of a worker", file: "lib/coppice/worker.rb",
        was: "      ForkSafety::ClientSockets.close_copies\n", becomes: "",
        words: %w[bin/test test/integration/hijack_test.rb] },
      { name: "clients in the queue of a worker that exits are lost", file: "lib/coppice/worker/client_loop.rb",
        was: "(serve_any || await_lobby)", becomes: "false",
        words: %w[bin/test test/integration/stopping_test.rb] },
      { name: "a request with two lengths is accepted", file: "ext/coppice/http/framing.c",
        was: " || (parser->seen & SEEN_CONTENT_LENGTH)", becomes: "",
        words: %w[bin/test test/unit/http_parser_test.rb test/integration/conformance_test.rb] },
      { name: "a hook is not called", file: "lib/coppice/worker.rb",
        was: "      @life.call_hook(:ready, self)\n", becomes: "", words: %w[bin/test test/integration/hooks_test.rb] },
      { name: "a lost worker is not replaced", file: "lib/coppice/monitor/workers/capacity.rb",
        was: "surplus(roster) + missing(roster, now)", becomes: "surplus(roster)",
        words: %w[bin/test test/unit/monitor/workers/capacity_test.rb] },
      { name: "a deadline is ignored", file: "lib/coppice/monitor/decide/watchdog.rb",
        was: "request_deadline && now >= request_deadline", becomes: "false",
        words: %w[bin/test test/unit/monitor/decide/watchdog_test.rb] },
      { name: "a process is killed for a pause of the machine", file: "lib/coppice/monitor/kernel/missed_time.rb",
        was: "[*roster.handles, roster.stop].each", becomes: "[roster.stop].each",
        words: %w[bin/test test/unit/monitor/decide/watchdog_test.rb] },
      { name: "a mold is committed without a trial", file: "lib/coppice/monitor/molds/promotion.rb",
        was: "advance_trial(roster, roster.trial, now) : start_trial(roster)",
        becomes: "advance_trial(roster, roster.trial, now) : [commit(candidate)]",
        words: %w[bin/test test/unit/monitor/molds/promotion_test.rb] },
      { name: "a stop waits for nobody who is connecting", file: "lib/coppice/monitor/decide/shutdown.rb",
        was: "        return [] if Refusal.waiting?(roster, now)\n\n", becomes: "",
        words: %w[bin/test test/unit/monitor/decide/shutdown_test.rb] },
      { name: "an application that is a subreaper keeps what it forks", file: "lib/coppice/os/sibling_fork.rb",
        was: "        OS.subreaper = false\n", becomes: "",
        words: %w[bin/test test/process/sibling_subreaper_test.rb] },
      { name: "a request that changes something is repeated", file: "ext/coppice/lobby/worker/seats.c",
        was: "request->idempotent && ", becomes: "",
        words: %w[bin/test test/unit/lobby/workers_test.rb test/unit/lobby/seat_test.rb] },
      { name: "a guest's exit status is lost", file: "lib/coppice/guest/exit.rb",
        was: "exit!(error.status)", becomes: "exit!(0)", words: %w[bin/test test/integration/guests_test.rb] },
      { name: "a metric has no type", file: "lib/coppice/observer/exposition.rb",
        was: "          lines << head(metric)\n", becomes: "", words: %w[bin/test test/unit/observer] },
      { name: "a page of the docs is stale", file: "docs/configuration.md",
        was: "`coppice check` checks the file", becomes: "`coppice check` looks at the file", words: LINT },
      { name: "the compiler warns", file: "ext/coppice/lobby/loop/sandbox.c",
        was: "enum { MAX_INSTRUCTIONS = 512 };", becomes: "enum { MAX_INSTRUCTIONS = 512 };\nstatic int unused;",
        words: LINT },
      { name: "a file leaves a process behind", file: "test/unit/version_order_test.rb",
        was: "require \"test_helper\"\n",
        becomes: "require \"test_helper\"\nspawn(\"tail -f /dev/null\", pgroup: true)\n",
        words: %w[bin/test test/unit/version_order_test.rb] }
    ].map { |row| new(**row).freeze }.freeze
  end
end
