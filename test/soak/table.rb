# frozen_string_literal: true

module Coppice
  # What is run by hand, and not by .ci/run, because it takes long, waits for real time or for luck, or needs programs
  # that few machines have.
  #
  #   words     the command, from the project's root; a name in test/soak for a program of its own
  #   minutes   about how long it takes on two cores
  #   seconds   how long it runs unless told otherwise, the last word of the command; nil for what ends when it is done
  #   ruby      :newest or :oldest of those at hand
  #   packages  of Debian, without which it skips tests
  Soak = Struct.new(:name, :shows, :minutes, :words, :seconds, :ruby, :packages, keyword_init: true) do
    # wanted: seconds for a run that has any.
    #: (?String?) -> Array[String]
    def command(wanted = nil) = seconds ? [*program, (wanted || seconds).to_s] : program

    private

    def program
      return words unless words.one? && File.exist?("test/soak/#{words.first}.rb")

      ["bundle", "exec", "ruby", "-Ilib", "-Itest", "test/soak/#{words.first}.rb"]
    end
  end

  class Soak
    PROGRAMS = %w[nginx haproxy chromium prometheus socat zsh].freeze
    SERVERS = %w[postgresql mariadb-server redis-server memcached rabbitmq-server libvips42].freeze
    UNPRIVILEGED = %w[setpriv --bounding-set=-all --inh-caps=-all].freeze
    GUARDED_BY_PRIVILEGES = %w[test/unit/listeners test/integration/stopping_test.rb test/integration/takeover_test.rb
                               test/integration/lingering_close_test.rb test/integration/sockets_test.rb].freeze

    TABLE = [
      ["tests", "browsers, proxies, real deadlines, generated applications: the lane `soak`", 15,
       %w[bin/test --lane soak], { packages: PROGRAMS }],
      ["other_programs", "example alerts and shell completion with the programs that read them", 1,
       %w[bin/test test/unit/observer/examples_test.rb test/unit/cli/completion_test.rb],
       { packages: %w[prometheus zsh] }],
      ["tests_oldest", "the same with the oldest Ruby", 12, %w[bin/test --lane soak],
       { ruby: :oldest, packages: PROGRAMS }],
      ["alone", "each unit test in a process of its own: what the library forgets to require", 5,
       %w[bin/test --alone test/unit]],
      ["daily_tests_oldest", "the other tests with the oldest Ruby", 4, %w[bin/test], { ruby: :oldest }],
      ["lobby_tests", "the HTTP tests at a Unix socket of the lobby", 2, %w[.ci/lobby]],
      ["unprivileged", "listeners and stops of a server that is not root", 1,
       [*UNPRIVILEGED, "bin/test", *GUARDED_BY_PRIVILEGES], { ruby: :oldest }],
      ["rack_2_2", "Rack 2.2", 1, %w[.ci/rack 2.2], { ruby: :oldest }],
      ["rack_3_0", "Rack 3.0", 1, %w[.ci/rack 3.0], { ruby: :oldest }],
      ["rack_3_1", "Rack 3.1", 1, %w[.ci/rack 3.1], { ruby: :oldest }],
      ["differential", "how other servers read the same requests", 2, %w[bin/differential]],
      ["presets", "presets with the real libraries, databases and brokers", 8, %w[bin/presets],
       { packages: SERVERS }],
      ["manifests", "the example manifests with the schemas that Kubernetes publishes", 1, %w[bin/manifests]],
      ["newcomer", "a new application of the newest Rails, step by step", 5, %w[bin/newcomer 8.1.4],
       { packages: %w[chromium] }],
      ["newcomer_8_0", "the same with Rails 8.0", 5, %w[bin/newcomer 8.0.5], { packages: %w[chromium] }],
      ["newcomer_7_2", "the same with Rails 7.2", 5, %w[bin/newcomer 7.2.3], { packages: %w[chromium] }],
      ["newcomer_oldest", "the same with the oldest Rails and Ruby", 6, %w[bin/newcomer 7.1.6],
       { ruby: :oldest, packages: %w[chromium] }],
      ["breaks", "each of a list of defects makes its part of .ci/run fail", 6, %w[ruby test/breaks/play.rb]],
      ["breaks_in_ci", "two of them, with all of .ci/run", 20, %w[ruby test/breaks/play.rb ci]],
      ["histories", "six thousand random histories of the monitor's decisions", 4,
       %w[env HISTORIES=6000 bin/test test/unit/monitor/history_test.rb]],
      ["sanitizers", "the C code under AddressSanitizer and UndefinedBehaviorSanitizer", 2, %w[bin/sanitize],
       { ruby: :oldest }],
      ["sanitized_threads", "the same where threads serve, in one process", 1,
       %w[bin/sanitize test/integration/single_process_test.rb], { ruby: :oldest }],
      ["portable", "the one process of systems that are not Linux", 1, %w[bin/portable], { ruby: :oldest }],
      *%w[parser chunked proxy forwarded ring lobby].map do |target|
        ["fuzz_#{target}", "inputs that a fuzzer thinks of", 5, ["bin/fuzz", target], { seconds: 300, ruby: :oldest }]
      end,
      ["chaos", "the server while its processes are killed, stopped and starved", 15, %w[bin/chaos], { seconds: 900 }],
      ["chaos_oldest", "the same with the oldest Ruby", 15, %w[bin/chaos], { seconds: 900, ruby: :oldest }],
      ["prometheus", "Prometheus scrapes each second, through reforks, kills and a restart", 10, %w[prometheus],
       { seconds: 600, packages: %w[prometheus] }],
      ["worker_kills", "a worker is killed each second: no request may fail", 10, %w[worker_kills], { seconds: 600 }],
      ["lobby_kills", "the lobby is killed each second: no idle connection may be lost", 5, %w[lobby_kills],
       { seconds: 300 }],
      ["reforks_with_connections", "50 reforks with 5,000 idle connections: none may be lost", 5,
       %w[reforks_with_connections], { seconds: 300 }],
      ["connections", "a million connections: no process may grow", 10, %w[connections], { seconds: 600 }],
      ["attacks", "six attacks beside well-behaved clients", 4, %w[attacks], { seconds: 216 }],
      ["rolls", "100 rolls and 20 rollbacks under load: no request may fail", 20, %w[rolls], { seconds: 1200 }]
    ].to_h do |name, shows, minutes, words, more|
      row = { name: name, shows: shows, minutes: minutes, words: words, ruby: :newest, packages: [], **more.to_h }
      [name, new(**row).freeze]
    end.freeze
  end
end
