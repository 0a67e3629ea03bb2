# frozen_string_literal: true

module Coppice
  # For tests of a service that is replaced after each of many reforks while it has jobs: none may be cut.
  module RenewedService
    REFORKS = 10
    JOBS = 12 # before each of them: more than run at once

    # In the place of what a job of the application does.
    SLOW = <<~'RUBY'
      def perform(token)
        note = ->(what) { File.write(ENV.fetch("NOTES"), "#{what} #{token}\n", mode: "a") }
        note.call("began")
        sleep 0.5
        note.call("ended")
      end
    RUBY

    private

    # The block answers the notes. config: with the option survives_reforks, which is taken out.
    def assert_renewed(app, config:, env:, &notes)
      app = PresetTestCase::LOAD_AT_BOOT + app.sub(/^ *def perform\(token\).*$/, SLOW)
      config = PresetTestCase::CONFIG + config.sub(/, survives_reforks: true/, "")
      PresetTestCase::PresetServer.open(app: app, config: config, env: environment.merge(env)) do |server|
        tokens = (1..REFORKS).flat_map { |generation| enqueue(server, generation).tap { renew(server, generation) } }
        eventually(PresetTestCase::LONG, "not all jobs have ended") { (tokens - times(notes, "ended").keys).empty? }

        once = tokens.to_h { |token| [token, 1] }
        assert_equal [once, once], [times(notes, "began"), times(notes, "ended")].map { |found| once.merge(found) }
      end
    end

    def enqueue(server, generation)
      Array.new(JOBS) { |job| "t#{generation}x#{job}".tap { |token| server.get("/?#{token}") } }
    end

    # Until the service of this generation is there.
    def renew(server, generation)
      server.signal(:USR2)
      server.wait(PresetTestCase::LONG, "generation #{generation}") do
        server.settled?(generation) && server.rows(:service).any? { |row| row.ready? && row.generation == generation }
      end
    end

    # How often each job has done it.
    def times(notes, what) = notes.call.scan(/^#{what} (\S+)$/).flatten.tally
  end
end
