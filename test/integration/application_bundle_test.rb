# frozen_string_literal: true

require "test_helper"
require_relative "../support/server"
require_relative "../support/without_bundler"

# An application whose Gemfile asks for other versions of the gems that come with Ruby, started without `bundle exec`.
class ApplicationBundleTest < Coppice::TestCase
  APP = <<~'RUBY'
    require "forwardable"
    require "stringio"
    run ->(_env) { [200, {}, [%w[forwardable stringio].map { |name| Gem.loaded_specs.fetch(name).version }.join(" ")]] }
  RUBY

  # Versions that no Ruby has; without files of their own, so that those of Ruby are what is required.
  DEFAULT_GEMS = { "forwardable" => "99.1", "stringio" => "99.2" }.freeze

  test "the application's versions of default gems are the ones that a mold takes" do
    with_gemfile(path_gems(DEFAULT_GEMS)) do |folder|
      Server.open(app: APP, **bundle(folder)) { |server| assert_equal "99.1 99.2", server.get.body }
    end
  end

  soak_test "the same with one process" do
    with_gemfile(path_gems(DEFAULT_GEMS)) do |folder|
      Server.open(app: APP, config: "worker_processes 0", **bundle(folder)) do |server|
        assert_equal "99.1 99.2", server.get.body
      end
    end
  end

  test "a bundle that cannot be set up is named with what is wrong, and ends the server at once" do
    { "gem 'not-installed-anywhere'" => /not-installed-anywhere/,
      "gem 'rack', '=" => /Gemfile:2/ }.each do |text, problem|
      with_gemfile(text) do |folder|
        ["worker_processes 1", "worker_processes 0"].each do |config|
          Server.open(app: APP, config: config, ready: false, **bundle(folder)) do |server|
            assert_equal 1, server.wait_for_end.exitstatus
            line = server.log.lines.find { |one| one.start_with?("coppice: #{folder}/Gemfile: ") } # made for people

            refute_nil line
            assert_match problem, server.log
          end
        end
      end
    end
  end

  test "a user without a home gets no temporary one, which each process would remove when it exits" do
    app = <<~'RUBY'
      require "bundler"
      Bundler.user_cache
      run ->(_env) { [200, {}, Dir.glob("bundler*", base: ENV.fetch("TMPDIR"))] }
    RUBY
    with_gemfile("Bundler.user_cache") do |folder|
      options = bundle(folder)
      homeless = { "HOME" => "#{folder}/none", "BUNDLE_USER_HOME" => nil, "TMPDIR" => folder }
      ["worker_processes 1", "worker_processes 0"].each do |config|
        Server.open(app: app, config: config, **options, env: options[:env].merge(homeless)) do |server|
          assert_equal "", server.get.body
        end
      end
    end
  end

  private

  # Its folder, removed afterwards.
  def with_gemfile(text)
    with_tmpdir do |folder|
      DEFAULT_GEMS.each { |name, version| write_gem(folder, name, version) }
      File.write("#{folder}/Gemfile", "gem 'rack', '#{Gem.loaded_specs.fetch('rack').version}'\n#{text}\n")
      yield folder
    end
  end

  def write_gem(folder, name, version)
    Dir.mkdir("#{folder}/#{name}")
    File.write("#{folder}/#{name}/#{name}.gemspec", <<~RUBY)
      Gem::Specification.new(#{name.inspect}, #{version.inspect}) do |gem|
        gem.summary = gem.author = "Ruby's own files"
      end
    RUBY
  end

  def path_gems(names) = names.keys.map { |name| "gem #{name.inspect}, path: #{name.inspect}" }.join("\n")

  # Bundler resolves and locks it from the gems that are installed.
  def bundle(folder)
    { env: { **WITHOUT_BUNDLER, "BUNDLE_GEMFILE" => "#{folder}/Gemfile", "BUNDLE_FROZEN" => "false" } }
  end
end
