# frozen_string_literal: true

require "test_helper"
require "open3"
require_relative "../support/c_library"

# What has happened by the time that a process has ended quickly. Each case is a program of its own.
class QuickExitTest < Coppice::TestCase
  LIBRARY = File.expand_path("../../lib", __dir__)
  BEGINNING = <<~RUBY
    require "coppice"
    require "coppice/log"
    require "coppice/child/quick_exit"
    LOG = Coppice::Log.new($stderr, role: "test", level: :debug)
    $stdout.sync = true
    Coppice::Child::QuickExit.watch_end
  RUBY

  # The object of a C extension: to free it calls a function of the C library.
  SAYS_WHEN_IT_IS_FREED = <<~RUBY.freeze
    require "#{CLibrary::PATH}"
    $kept = CLibrary.when_freed("puts", "freed")
  RUBY

  test "no object is freed" do
    outputs = [end_of(SAYS_WHEN_IT_IS_FREED), quick_end_of(SAYS_WHEN_IT_IS_FREED)].map(&:first)

    assert_equal ["freed\n", ""], outputs
  end

  test "handlers, threads and finalizers run before it, in Ruby's order" do
    output, = quick_end_of(<<~RUBY)
      at_exit { print "handler " }
      ObjectSpace.define_finalizer($kept = Object.new, ->(_) { print "finalizer" })
      begun = Thread::Queue.new
      Thread.new do
        begun << true
        Thread.stop
      ensure
        print "thread "
      end
      begun.pop
    RUBY

    assert_equal "handler thread finalizer", output
  end

  test "a finalizer that another one defines runs" do
    output, = quick_end_of(<<~RUBY)
      define = lambda { |&block| ObjectSpace.define_finalizer(Object.new, ->(_) { block.call }) }
      define.call { define.call { print "the finalizer's" } }
    RUBY

    assert_equal "the finalizer's", output
  end

  test "a collection while the process ends cuts nothing short" do
    output, = quick_end_of(<<~RUBY)
      at_exit { 2.times { GC.start } }
      begun = Thread::Queue.new
      Thread.new do
        begun << true
        Thread.stop
      ensure
        3.times { GC.start }
        print "thread"
      end
      begun.pop
    RUBY

    assert_equal "thread", output
  end

  test "a temporary file is removed" do
    path, = quick_end_of('require "tempfile"; print(($kept = Tempfile.new).path)')

    refute_empty path
    refute_path_exists path
  end

  test "what files hold back is written" do
    with_tmpdir do |folder|
      quick_end_of(<<~RUBY)
        $kept = %w[one two].each { |name| File.open(File.join(#{folder.inspect}, name), "w").write(name) }
      RUBY

      assert_equal(%w[one two], %w[one two].map { |name| File.read(File.join(folder, name)) })
    end
  end

  test "an IO object that cannot be flushed does not matter" do
    _, warnings, status = quick_end_of(<<~RUBY)
      unread, writer = IO.pipe
      unread.close
      writer.sync = false
      $kept = [File.open(File::NULL).tap(&:close), File.open(File::NULL), File.open("/dev/full", "w"), writer]
      $kept.last(2).each { |io| io.write("x") }
    RUBY

    assert_equal ["", 0], [warnings, status.exitstatus]
  end

  test "what the application's own class raises is logged" do
    _, warnings, status = quick_end_of(<<~RUBY)
      class Upload < File
        Late = Class.new(IndexError) { def message = raise("broken") }
        def self.name = raise("broken")
        def flush = raise(Late)
      end
      $kept = Upload.open(File::NULL)
    RUBY

    assert_match(/level=debug .*msg="file not flushed" error=Upload::Late$/, warnings)
    assert_equal 0, status.exitstatus
  end

  test "a database is told of the end of a connection, after all handlers" do
    output, warnings, = quick_end_of(<<~RUBY)
      Gem.loaded_specs["pg"] = Gem::Specification.new("pg", "1.7")
      module PG
        class Connection < Thread::Queue # an object of C, as connections are
          def finish = print("goodbye ")
        end
      end
      $kept = [PG::Connection.new, PG::Connection.new.tap { |lost| def lost.finish = raise("lost") }, PG::Connection.new]
      at_exit { print "handler " }
    RUBY

    assert_equal "handler goodbye goodbye ", output
    assert_match(/level=debug .*msg="connection not closed" of=PG::Connection error=RuntimeError$/, warnings)
  end

  test "with a library whose handlers of atexit(3) hang in a copy, none of them runs, and all else has happened" do
    with_tmpdir do |folder|
      output, _, status = quick_end_of(<<~RUBY)
        require "#{CLibrary::PATH}"
        Gem.loaded_specs["onnxruntime"] = Gem::Specification.new("onnxruntime", "0.11.8")
        module OnnxRuntime
        end
        at_exit { print "handler"; exit(3) }
        $kept = File.open(File.join(#{folder.inspect}, "file"), "w").tap { |file| file.write("written") }
        CLibrary.call("puts", "printed") # the C library writes it when the process exits
      RUBY

      assert_equal ["handler", "written", 3], [output, File.read(File.join(folder, "file")), status.exitstatus]
    end
  end

  test "the exit status is that of the last handler which has called exit" do
    assert_equal 3, quick_end_of("at_exit { exit(3) }").last.exitstatus
  end

  test "a process that a signal interrupts while it exits ends by that signal" do
    status = quick_end_of('at_exit { raise SignalException, "TERM" }').last

    assert_equal Signal.list.fetch("TERM"), status.termsig
  end

  private

  # Output, warnings and status of a program.
  def end_of(program) = Open3.capture3(RbConfig.ruby, "-I", LIBRARY, "-e", "#{BEGINNING}#{program}")

  def quick_end_of(program) = end_of("#{program}\nCoppice::Child::QuickExit.prepare(LOG)\nexit")
end
