# frozen_string_literal: true

require "test_helper"
require "open3"
require_relative "../support/c_library"
require_relative "../support/locked_memory"

# Which files a process finds at its end that shares memory with others. Each case is a program of its own, in which
# `copy` forks a process that says what it finds.
class NotedObjectsTest < Coppice::TestCase
  BEGINNING = <<~'RUBY'
    require "coppice"
    require "coppice/child/quick_exit"
    require "coppice/fork_safety/stray_copy"
    GC.disable # it would write to pages
    $stdout.sync = true
    $kept = []

    # On pages that nothing else is put on any more.
    def make(name)
      fill_pages
      $kept << File.open(name, "w")
      fill_pages
    end

    def fill_pages = $kept << Array.new(20_000) { Object.new }
    def note(exits: false) = !Coppice::Child::QuickExit.note_objects(exits).nil?
    def found(classes = []) = Coppice::OS.files_and(classes).grep(File).map(&:path).grep_v(/\W/).sort
    def say(classes = []) = puts(found(classes).join(" "))

    # No limit holds root. The files of presets may be in a folder that root alone may enter.
    def give_up_rights
      Coppice::Presets.activated
      Process::Sys.setuid(65534) if Process.uid.zero?
    end

    # Runs the block in a copy that then exits, and waits for that.
    def in_middle_process
      Process.wait(fork do
        yield
        exit!
      end)
    end

    def copy(classes: [])
      child = fork do
        yield if block_given?
        say(classes)
      end
      Process.wait(child)
    end
  RUBY

  # Sizes of Ruby's heap, which would make pages that the files do not fill.
  USUAL_HEAP = ENV.keys.grep(/\ARUBY_GC_/).to_h { |name| [name, nil] }

  test "the copy finds what the original has made, before and between its forks" do
    assert_said ["boot", "between boot"], <<~RUBY
      make "boot"
      note
      copy
      make "between"
      note
      copy
    RUBY
  end

  test "a copy finds what it has made, and its own copies find that too" do
    assert_said ["boot grandchild own", "boot later own"], <<~RUBY
      make "boot"
      note
      copy do
        make "own"
        note
        copy { make "grandchild" }
        make "later"
      end
    RUBY
  end

  test "the copy of a process that exits after the fork finds what both have made" do
    assert_said ["boot middle own"], <<~RUBY
      make "boot"
      note
      read, write = IO.pipe
      in_middle_process do
        make "middle"
        note(exits: true)
        fork do
          write.close
          read.read # until the others have closed it, too
          make "own"
          say
        end
      end
      write.close
    RUBY
  end

  test "a copy does not look at what it shares" do
    needs_notes
    assert_said ["", ""], <<~RUBY
      note
      copy
      note
      make "late"
      copy
    RUBY
  end

  test "where other classes are looked for than were noted, everything is looked at" do
    assert_said ["late"], <<~RUBY
      note
      make "late"
      copy(classes: [Mutex])
    RUBY
  end

  test "everything is looked at by the copy of a fork without a note, and by the original while that copy lives" do
    needs_notes
    assert_said ["", "copy late", "late", "late", "true"], <<~RUBY
      note
      copy
      make "late"
      read, write = IO.pipe
      unknown = fork do
        write.close
        make "copy"
        say
        $stdout.close
        read.read
      end
      read.close
      say
      note
      copy
      write.close
      Process.wait(unknown)
      puts Coppice::OS.noted?([])
    RUBY
  end

  test "everything is looked at as well while a copy without a note lives that has made noted forks" do
    assert_said ["late"], <<~RUBY
      note
      copy { exit! }
      make "late"
      read, write = IO.pipe
      from_unknown, ready = IO.pipe
      unknown = fork do
        write.close
        note
        Process.wait(fork { exit! })
        ready.puts
        read.read
        exit!
      end
      from_unknown.gets
      say
      write.close
      Process.wait(unknown)
    RUBY
  end

  test "what a middle process has made is found while another copy of that process lives" do
    assert_said ["middle"], <<~RUBY
      note
      read, write = IO.pipe
      in_middle_process do
        make "middle"
        fork { write.close; read.read; exit! }
        note(exits: true)
        fork do
          say
          write.close
        end
      end
      write.close
    RUBY
  end

  test "a program that was started is no copy" do
    needs_notes
    assert_said %w[true true], <<~RUBY
      note
      Process.wait(fork { system("true"); puts Coppice::OS.noted?([]) })
      system("true")
      puts Coppice::OS.noted?([])
    RUBY
  end

  test "what a wrapper of Process._fork has made is found" do
    assert_said ["wrapper"], <<~RUBY
      Process.singleton_class.prepend(Module.new { def _fork = make("wrapper").then { super } })
      Coppice::OS::SiblingFork.preparing(-> { note }) { copy }
    RUBY
  end

  test "objects on free places of shared pages are found" do
    assert_said ["0"], <<~RUBY
      objects = Array.new(20_000) { Object.new }
      $kept = objects.each_slice(200).flat_map { |some| some.take(198) }
      objects = nil
      GC.enable
      GC.start
      GC.disable
      note
      Process.wait(fork do
        files = Array.new(200) { File.open(File::NULL, "w") }
        puts (files - Coppice::OS.files_and([])).size
      end)
    RUBY
  end

  test "where no page can be locked, the first fork alone is noted" do
    assert_said ["true", "false in a copy", "late", "false", "late"], <<~RUBY
      Process.setrlimit(:MEMLOCK, 0)
      make "late"
      give_up_rights
      puts note
      Process.wait(fork do
        puts "\#{note} in a copy"
        say
      end)
      puts note
      copy
    RUBY
  end

  test "where other pages use up what may be locked, later forks are noted as well" do
    assert_said %w[0 true true], <<~RUBY
      require "etc"
      require "#{CLibrary::PATH}"
      Process.setrlimit(:MEMLOCK, Etc.sysconf(Etc::SC_PAGESIZE))
      give_up_rights
      puts CLibrary.call("mlock", CLibrary.call("malloc", 1), 1)
      puts note
      Process.wait(fork { exit! })
      puts note
    RUBY
  end

  # A tree of processes, each of which forks with and without a note, while others live.
  RANDOM_LIFE = <<~'RUBY'
    GC.enable
    def change(random)
      case random.rand(6)
      when 0 then $kept << Array.new(random.rand(8000)) { Object.new }
      when 1 then $kept = $kept.sample($kept.size / 2 + 1, random: random)
      when 2 then GC.start(full_mark: random.rand(2).zero?, immediate_sweep: random.rand(2).zero?)
      else random.rand(1..5).times { $files << File.open(File::NULL, "w") }
      end
    end

    def live(random, depth)
      children = 6.times.filter_map do
        random.rand(1..4).times { change(random) }
        next unless depth < 3 && random.rand(3).zero?

        note unless random.rand(4).zero?
        seed = random.rand(1 << 30)
        fork { live(Random.new(seed), depth + 1) }
      end
      missed = $files - Coppice::OS.files_and([])
      puts "#{missed.size} of #{$files.size} missed at depth #{depth}" unless missed.empty?
      children.each { |child| Process.wait(child) }
    end

    $files = []
    live(Random.new(Integer(ARGV.first)), 0)
  RUBY

  test "nothing is missed in a random tree of processes" do
    seed = Random.new_seed % (1 << 30)

    assert_said [], RANDOM_LIFE, seed.to_s
  end

  private

  # Elsewhere everything is looked at.
  def needs_notes
    skip "no page can be locked in memory" unless LockedMemory.possible?
  end

  def assert_said(lines, program, *arguments)
    with_tmpdir do |folder|
      library = File.expand_path("../../lib", __dir__)
      command = [RbConfig.ruby, "-I", library, "-e", "#{BEGINNING}#{program}", *arguments]
      output, status = Open3.capture2e(USUAL_HEAP, *command, chdir: folder)

      assert_equal [lines.sort, 0], [output.lines(chomp: true).sort, status.exitstatus], arguments.join
    end
  end
end
