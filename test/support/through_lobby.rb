# frozen_string_literal: true

require_relative "http_harness"

module Coppice
  # A test class once more, with clients that come through a lobby.
  module ThroughLobby
    # without: words in the names of tests of what the lobby does, or what only a descriptor can show.
    def self.of(test_class, without: []) #: (Class, ?without: Array[String]) -> Class
      Minitest::Runnable.runnables.delete(test_class) # its own file runs it
      Class.new(test_class) do
        tests = test_class.public_instance_methods.grep(/\Atest_/)
        left_out = tests.select { |name| without.any? { |words| name.to_s.include?(words) } }
        raise "no such test" if left_out.size < without.size

        left_out.each { |name| undef_method(name) }

        def setup
          HttpHarness.through_lobby = true
          super
        end

        def teardown
          super
        ensure
          HttpHarness.through_lobby = false
          HttpHarness.sessions.each(&:end).clear
        end
      end
    end
  end
end
