# frozen_string_literal: true

require "test_helper"
require "coppice/control/guest_request"
require "coppice/guest/environment"

module Coppice
  class Guest
    class EnvironmentTest < TestCase
      # The server's variables after a client has set its own.
      def taken(at_boot, now, clients)
        variables = now.dup
        request = Control::GuestRequest.new(environment: clients, directory: Dir.pwd, umask: File.umask)
        Environment.new(at_boot, variables: variables).take(request)
        variables
      end

      test "the client's variables replace those of the server's start" do
        assert_equal({ "A" => "2", "B" => "3" }, taken({ "A" => "1", "C" => "1" }, { "A" => "1", "C" => "1" },
          { "A" => "2", "B" => "3" }))
      end

      test "what the application has set while it booted stays, unless the client has set it" do
        at_boot = { "CHANGED" => "1" }
        now = { "CHANGED" => "2", "ADDED" => "3" }

        assert_equal now, taken(at_boot, now, {})
        assert_equal({ "CHANGED" => "2", "ADDED" => "4" }, taken(at_boot, now, { "ADDED" => "4" }))
      end

      test "COPPICE_RUN is not passed on, neither the server's nor the caller's" do
        assert_equal({}, taken({}, { "COPPICE_RUN" => "1" }, { "COPPICE_RUN" => "1" }))
        assert_equal({}, taken({ "COPPICE_RUN" => "1" }, { "COPPICE_RUN" => "1" }, {}))
      end

      test "names that Ruby, Bundler and the allocator have read stay the server's" do
        names = %w[BUNDLE_GEMFILE BUNDLER_VERSION GEM_HOME RUBYOPT RUBYLIB RUBY_GC_HEAP_GROWTH_FACTOR LD_PRELOAD
                   MALLOC_CONF]
        servers = names.to_h { |name| [name, "server"] }

        assert_equal servers, taken(servers, servers, names.to_h { |name| [name, "client"] })
        assert_equal servers, taken(servers, servers, {})
        assert_equal({}, taken({}, {}, names.to_h { |name| [name, "client"] }))
      end

      test "RAILS_ENV and RACK_ENV each stand for the other one" do
        assert_equal({ "RACK_ENV" => "staging" }, taken({}, { "RACK_ENV" => "staging" }, { "RAILS_ENV" => "staging" }))
        assert_equal({ "RACK_ENV" => "staging" }, taken({}, { "RACK_ENV" => "staging" }, { "RAILS_ENV" => "" }))
        error = assert_raises(Error) { taken({}, { "RACK_ENV" => "staging" }, { "RAILS_ENV" => "test" }) }

        assert_match(/\Athis server runs in staging: RAILS_ENV=test needs/, error.message)
      end
    end
  end
end
