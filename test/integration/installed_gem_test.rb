# frozen_string_literal: true

# lane: soak -- builds and installs the gem

require "test_helper"
require_relative "../support/installed_gem"

# Coppice as a user without a checkout has it.
class InstalledGemTest < Coppice::TestCase
  APP = <<~'RUBY'
    run(lambda do |_env|
      loaded = $LOADED_FEATURES.find { |path| path.end_with?("/coppice/worker.rb") }
      [200, {}, ["hello from #{loaded}, Bundler: #{defined?(Bundler).inspect}"]]
    end)
  RUBY

  test "the gem is built, installed and serves, without Bundler and in a bundle" do
    with_tmpdir do |folder|
      gem = InstalledGem.new(folder)
      gem.install

      assert_lobby_beside_the_extension gem
      assert_serves gem, [RbConfig.ruby, gem.executable], bundler: nil
      in_a_bundle(gem, folder) do |env|
        assert_serves gem, [RbConfig.ruby, "-S", "bundle", "exec", "coppice"], bundler: "constant", env: env
      end
    end
  end

  private

  # Both are found in lib, whatever the Ruby.
  def assert_lobby_beside_the_extension(gem)
    lib = File.join(gem.home, "gems", gem.specification.full_name, "lib/coppice", RUBY_VERSION[/\A\d+\.\d+/])
    assert_path_exists "#{lib}/coppice_ext.so"
    assert File.executable?("#{lib}/coppice-lobby")
  end

  def assert_serves(gem, command, bundler:, env: {})
    name = gem.specification.full_name

    env = gem.environment.merge(env)
    InstalledGem::Server.open(command: command, app: APP, config: "worker_processes 2", env: env) do |server|
      assert_match %r{/gems/#{name}/lib/coppice/worker\.rb, Bundler: #{bundler.inspect}\z}, server.get.body
      assert_predicate server.stop, :success?
    end
  end

  # Yields the environment of a project with the gem in its Gemfile.
  def in_a_bundle(gem, folder)
    gemfile = "#{folder}/Gemfile"
    File.write(gemfile, "source 'https://rubygems.org'\ngem 'coppice'\n")
    env = { "BUNDLE_GEMFILE" => gemfile, "BUNDLE_USER_HOME" => "#{folder}/bundler" }
    gem.run("bundle", "install", "--local", env: env)
    yield env
  end
end
