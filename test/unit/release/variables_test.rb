# frozen_string_literal: true

require "test_helper"
require "coppice/release/release_variables"

module Coppice
  class ReleaseVariablesTest < TestCase
    NOTHING = "BUNDLER_ENVIRONMENT_PRESERVER_INTENTIONALLY_NIL"

    def variables(environment, from: ["/srv/1"], to: "/srv/2")
      ReleaseVariables.of(environment, from: from, to: to)
    end

    test "without a Gemfile in use the variables stay, and there is none for the other release" do
      assert_equal({ "PATH" => "/bin", "RAILS_ENV" => "production" },
        variables({ "PATH" => "/bin", "RAILS_ENV" => "production" }))
    end

    test "a Gemfile in the directory is that at the same place in the other one" do
      assert_equal "/srv/2/gems/Gemfile", variables({ "BUNDLE_GEMFILE" => "/srv/1/gems/Gemfile" })["BUNDLE_GEMFILE"]
    end

    test "one that is named by the symlink of the directory is as well" do
      moved = variables({ "BUNDLE_GEMFILE" => "/srv/current/Gemfile" }, from: %w[/srv/1 /srv/current])

      assert_equal "/srv/2/Gemfile", moved["BUNDLE_GEMFILE"]
    end

    test "a slash at the end of the directory's name makes no difference" do
      moved = variables({ "BUNDLE_GEMFILE" => "/srv/current/Gemfile" }, from: %w[/srv/1 /srv/current/])

      assert_equal "/srv/2/Gemfile", moved["BUNDLE_GEMFILE"]
    end

    test "those of the first release stay as they are, but its Gemfile is that of the directory without symlinks" do
      environment = { "RUBYOPT" => "-rbundler/setup", "BUNDLER_ORIG_RUBYOPT" => "-w" }
      with_gemfile = environment.merge("BUNDLE_GEMFILE" => "/srv/current/Gemfile")
      names = %w[/srv/1 /srv/current]

      assert_equal environment, ReleaseVariables.moved(environment, from: names, to: "/srv/1")
      assert_equal environment.merge("BUNDLE_GEMFILE" => "/srv/1/Gemfile"),
        ReleaseVariables.moved(with_gemfile, from: names, to: "/srv/1")
    end

    test "the lock file that bundle exec names is that of the first release's directory, and no other release's" do
      environment = { "BUNDLE_LOCKFILE" => "/srv/current/Gemfile.lock", "BUNDLER_ORIG_BUNDLE_LOCKFILE" => NOTHING }
      names = %w[/srv/1 /srv/current]

      assert_equal "/srv/1/Gemfile.lock",
        ReleaseVariables.moved(environment, from: names, to: "/srv/1")["BUNDLE_LOCKFILE"]
      assert_empty variables(environment, from: names)
    end

    test "one that the user names is that at the same place in the other directory" do
      assert_equal({ "BUNDLE_LOCKFILE" => "/srv/2/my.lock" }, variables({ "BUNDLE_LOCKFILE" => "/srv/1/my.lock" }))
    end

    test "one elsewhere stays, also in a directory whose name begins alike" do
      %w[/etc/Gemfile /srv/10/Gemfile].each do |gemfile|
        assert_equal gemfile, variables({ "BUNDLE_GEMFILE" => gemfile })["BUNDLE_GEMFILE"]
      end
    end

    test "what bundle exec has changed is as it was, and what it has added is gone" do
      environment = { "RUBYOPT" => "-rbundler/setup", "BUNDLER_ORIG_RUBYOPT" => NOTHING, "PATH" => "/gems:/bin",
                      "BUNDLER_ORIG_PATH" => "/bin", "BUNDLE_GEMFILE" => "/srv/1/Gemfile",
                      "BUNDLER_ORIG_BUNDLE_GEMFILE" => NOTHING, "HOME" => "/root" }

      assert_equal({ "PATH" => "/bin", "HOME" => "/root", "BUNDLE_GEMFILE" => "/srv/2/Gemfile" },
        variables(environment))
    end
  end
end
