# frozen_string_literal: true

# lane: soak -- boots releases with bundles of their own, and with another Ruby where there is one

require "test_helper"
require_relative "../support/releases"

# Releases with other gems, and with another Ruby, than the one that the server was started in.
class RollBundlesTest < Coppice::TestCase
  include Releases

  ROOT = File.expand_path("../..", __dir__)

  # A Gemfile with a gem of this version that lies beside it.
  def bundle_with(version)
    specification = "Gem::Specification.new('shipped', '#{version}') { |gem| gem.summary = gem.author = 'of a test' }\n"
    { "Gemfile" => "#{RACK}gem 'shipped', path: 'shipped'\n", "shipped/shipped.gemspec" => specification }
  end

  # The release's configuration requires a gem with a name of its own.
  def use_gem_of(name, directory)
    specification = "Gem::Specification.new('gem_of_#{name}', '1') { |gem| gem.summary = gem.author = 'of a test' }\n"
    add(directory, "Gemfile" => "#{RACK}gem 'gem_of_#{name}', path: 'own'\n", "own/lib/gem_of_#{name}.rb" => "",
                   "own/gem_of_#{name}.gemspec" => specification)
    File.write(File.join(directory, "config/coppice.rb"), "\nrequire 'gem_of_#{name}'", mode: "a")
  end

  # The program of a Ruby of another series for which the extension is compiled; nil without one.
  def other_ruby
    folders = IO.popen("#{ROOT}/.ci/rubies", &:read).split | ENV.fetch("PATH").split(":")
    folders.map { |folder| "#{folder}/ruby" }.select { |ruby| File.executable?(ruby) }.find do |ruby|
      series = version_of(ruby)[/\A\d+\.\d+/]
      !RUBY_VERSION.start_with?(series) && File.exist?("#{ROOT}/lib/coppice/#{series}/coppice_ext.so")
    end
  end

  def version_of(ruby) = IO.popen([{ "RUBYOPT" => nil }, ruby, "--disable=gems", "-e", "print RUBY_VERSION"], &:read)

  def roll_unnoticed(server, *words, release:)
    unnoticed(server) do
      output, status = coppice(server, *words)

      assert_predicate status, :success?, output
      server.wait { served_by?(server, release) }
    end
  end

  test "a roll brings another version of a gem, and a rollback the one before" do
    app = 'run ->(_env) { [200, {}, ["NAME ", Gem.loaded_specs["shipped"]&.version.to_s]] }'
    with_releases(:one, :two, app: app) do |server, directories|
      { one: "1.0", two: "2.0" }.each { |name, version| add(directories[name], bundle_with(version)) }
      restart_with_bundle(server, directories[:one])
      seen = [server.get("/").body]
      roll_unnoticed(server, "roll", directories[:two], release: 2)
      seen << server.get("/").body
      roll_unnoticed(server, "rollback", release: 1)

      assert_equal ["one 1.0", "two 2.0", "one 1.0"], seen << server.get("/").body
    end
  end

  test "a roll to a configuration that needs a gem of its own bundle is given up, with what to do" do
    with_releases(:one, :two) do |server, directories|
      directories.each { |name, directory| use_gem_of(name, directory) }
      restart_with_bundle(server, directories[:one])

      assert_gave_up(*coppice(server, "roll", directories[:two]), %r{-- gem_of_two\. .*bundle of \S+/one/Gemfile})
    end
  end

  test "a roll brings another Ruby, and a rollback the one before" do
    ruby = other_ruby or skip "no other Ruby has the extension: bin/setup makes it for the one on the PATH"
    app = 'run ->(_env) { [200, {}, ["NAME ", RUBY_VERSION]] }'
    with_releases(:one, :two, app: app) do |server, directories|
      directories.each_value { |directory| add(directory, "Gemfile" => RACK) }
      add(directories[:two], ".ruby-version" => "#{version_of(ruby)}\n",
                             "bin/ruby" => "#!/bin/sh\nexec #{ruby} \"$@\"\n")
      File.chmod(0o755, "#{directories[:two]}/bin/ruby")
      restart_with_bundle(server, directories[:one], "PATH" => "#{directories[:two]}/bin:#{ENV.fetch('PATH')}")
      roll_unnoticed(server, "roll", directories[:two], release: 2)

      assert_equal "two #{version_of(ruby)}", server.get("/").body
      roll_unnoticed(server, "rollback", release: 1)

      assert_equal "one #{RUBY_VERSION}", server.get("/").body
    end
  end
end
