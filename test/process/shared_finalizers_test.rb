# frozen_string_literal: true

require "test_helper"
require "open3"
require_relative "../support/locked_memory"

# Which finalizers run when a process ends quickly that has copies, or is one. Each case is a program of its own; what
# it prints is what has run.
class SharedFinalizersTest < Coppice::TestCase
  BEGINNING = <<~'RUBY'
    require "coppice"
    require "coppice/log"
    require "coppice/child/quick_exit"
    $stdout.sync = true
    $kept = []
    LOG = Coppice::Log.new($stderr, role: "test", level: :debug)
    Coppice::Child::QuickExit.watch_end

    # An object with a finalizer, which prints the name.
    def make(name, kind = Object)
      kind.new.tap { |object| ObjectSpace.define_finalizer(object, printing(name)) }
    end

    def printing(name) = ->(_id) { print "#{name} " }

    def end_quickly(**options)
      Coppice::Child::QuickExit.prepare(LOG, **options)
      exit
    end

    # Notes objects, forks, runs the block in the copy, which then ends quickly, and waits for that.
    def copy(**options)
      Coppice::Child::QuickExit.note_objects(false)
      Process.wait(fork do
        yield if block_given?
        end_quickly(**options)
      end)
    end
  RUBY

  def setup
    skip "no page can be locked in memory, so nothing is noted" unless LockedMemory.possible?
  end

  test "a copy runs those of what it has made, and none of what its parent had" do
    assert_ran "own", <<~RUBY
      $kept << make("parent's")
      copy { $kept << make("own") }
      exit!(0)
    RUBY
  end

  test "a process that has copies runs those of what it has made since, and none of what the copies have" do
    assert_ran "later", <<~RUBY
      $kept << make("shared")
      copy
      $kept << make("later")
      end_quickly
    RUBY
  end

  test "where its copies exit as well, it runs those of all that it has made, and none of what it has inherited" do
    assert_ran "later shared", <<~RUBY
      $kept << make("inherited")
      copy(copies_exit: true) do
        $kept << make("shared")
        copy { exit!(0) }
        $kept << make("later")
      end
      exit!(0)
    RUBY
  end

  test "a copy of a copy runs none of what either had" do
    assert_ran "own", <<~RUBY
      $kept << make("first")
      copy do
        $kept << make("second")
        copy { $kept << make("own") }
        exit!(0)
      end
      exit!(0)
    RUBY
  end

  test "garbage that no collection has found yet is finalized by the process that made it" do
    output = output_of(<<~RUBY)
      GC.disable
      1000.times { make("garbage") }
      copy { exit!(0) }
      end_quickly
    RUBY

    assert_operator output.split.size, :>, 900 # the stack may still hold some
  end

  test "where a class sends at the end what a process has gathered, it does in each process" do
    assert_ran "sent sent", <<~RUBY
      Gem.loaded_specs["statsd-instrument"] = Gem::Specification.new("statsd-instrument", "4.0.1")
      module StatsD
        module Instrument
          class Aggregator
          end
        end
      end
      $kept << make("sent", StatsD::Instrument::Aggregator)
      copy
      end_quickly
    RUBY
  end

  test "an object that was frozen later stays as it is" do
    assert_ran "frozen own", <<~RUBY
      $kept << make("frozen").freeze << make("shared")
      copy { $kept << make("own") }
      exit!(0)
    RUBY
  end

  test "a temporary file that both have stays, and one that this process alone has is removed" do
    paths = output_of(<<~RUBY).lines(chomp: true)
      require "tempfile"
      $kept << Tempfile.new("shared")
      copy
      $kept << Tempfile.new("later")
      puts $kept.map(&:path)
      end_quickly
    RUBY

    assert_equal([true, false], paths.map { |path| File.exist?(path) })
  ensure
    File.unlink(paths.first)
  end

  private

  # The order is Ruby's matter.
  def assert_ran(names, program) = assert_equal(names, output_of(program).split.sort.join(" "))

  def output_of(program)
    library = File.expand_path("../../lib", __dir__)
    output, status = Open3.capture2e(RbConfig.ruby, "-I", library, "-e", "#{BEGINNING}#{program}")

    assert_equal 0, status.exitstatus, output
    output
  end
end
