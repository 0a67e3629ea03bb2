# frozen_string_literal: true

require "json"
require "test_helper"
require_relative "../../../bench/lib/command_line"

class BenchCommandLineTest < Coppice::TestCase
  test "workers of coppice are numbers or ranges" do
    assert_equal %w[16 2..16], chosen("--coppice-workers", "16,2..16")[:coppice_workers]
    assert_raises(OptionParser::InvalidArgument) { chosen("--coppice-workers", "16,2-16") }
  end

  test "an application is one of the project's, or a folder" do
    assert_equal "shop", chosen("--app", "shop")[:app]
    assert_raises(OptionParser::InvalidArgument) { chosen("--app", "blog") }
  end

  test "a prepared folder says how to run its application" do
    in_folder("name" => "blog", "rackup" => "config.ru", "gemfile" => "Gemfile.bench", "paths" => %w[/a /b/{n}],
      "headers" => ["Cookie: a=1"], "environment" => { "SECRET" => "x" }) do |folder|
      chosen = chosen("--app", folder, "--yjit")
      app = Bench::LazyApps.of(Bench::Options.new(**chosen))

      assert_equal ["blog", "#{folder}/config.ru", "#{folder}/Gemfile.bench"], [app.name, app.rackup, app.gemfile]
      assert_equal({ path: "/a,/b/{n}", modulus: 100, header: ["Cookie: a=1"] }, app.load)
      assert_equal({ "RUBY_YJIT_ENABLE" => "1", "SECRET" => "x" }, chosen[:plan][:environment])
    end
  end

  test "a folder that was not prepared is refused" do
    in_folder(nil) do |folder|
      error = assert_raises(Bench::Failure) { chosen("--app", folder) }

      assert_includes error.message, "has no coppice-bench.json"
    end
  end

  test "what an application needs is named if nothing answers there" do
    port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
    in_folder("name" => "blog", "needs" => { "Redis" => "127.0.0.1:#{port}" }) do |folder|
      error = assert_raises(Bench::Failure) { chosen("--app", folder) }

      assert_includes error.message, "blog needs Redis at 127.0.0.1:#{port}"
    end
  end

  private

  def chosen(*arguments)
    line = Bench::CommandLine.new(banner: "")
    line.parse(arguments)
    line.chosen
  end

  def in_folder(facts)
    Dir.mktmpdir do |folder|
      File.write(File.join(folder, "coppice-bench.json"), JSON.generate(facts)) if facts
      yield folder
    end
  end
end
