# frozen_string_literal: true

require "test_helper"
require "open3"

# Which files a process finds at its end that shares memory with others. Each case is a program of its own, in which
# `copy` forks a process that says what it finds.
class NotedObjectsTest < Coppice::TestCase
  BEGINNING = <<~'RUBY'
    require "coppice"
    require "coppice/child/quick_exit"
    GC.disable # it would write to pages
    $stdout.sync = true
    $kept = []

    # On pages that nothing else is put on any more.
    def make(name)
      fill_pages
      $kept << File.open(name, "w")
      fill_pages
    end

    def fill_pages = $kept << Array.new(5_000) { Object.new }
    def note(exits: false) = Coppice::Child::QuickExit.note_objects(exits)
    def found(classes = []) = Coppice::OS.files_and(classes).grep(File).map(&:path).grep_v(/\W/).sort

    def copy(classes: [])
      child = fork do
        yield if block_given?
        puts found(classes).join(" ")
      end
      Process.wait(child)
    end
  RUBY

  test "the copy finds what the original has made, before and between its forks" do
    assert_found ["boot", "between boot"], <<~RUBY
      make "boot"
      note
      copy
      make "between"
      note
      copy
    RUBY
  end

  test "a copy finds what it has made, and its own copies find that too" do
    assert_found ["boot grandchild own", "boot later own"], <<~RUBY
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
    assert_found ["boot middle own"], <<~RUBY
      make "boot"
      note
      read, write = IO.pipe
      middle = fork do
        make "middle"
        note(exits: true)
        fork do
          write.close
          read.read # until the others have closed it, too
          make "own"
          puts found.join(" ")
        end
        exit!
      end
      Process.wait(middle)
      write.close
    RUBY
  end

  test "a copy does not look at what it shares" do
    assert_found [""], <<~RUBY
      note
      make "not noted"
      copy
    RUBY
  end

  test "once a process was forked without a note, it and its copies look at everything" do
    assert_found ["", "late", "late", "late"], <<~RUBY
      note
      make "late"
      copy
      copy
      copy
      puts found
    RUBY
  end

  test "where other classes are looked for than were noted, everything is looked at" do
    assert_found ["late"], <<~RUBY
      note
      make "late"
      copy(classes: [Mutex])
    RUBY
  end

  private

  def assert_found(names, program)
    with_tmpdir do |folder|
      library = File.expand_path("../../lib", __dir__)
      output, status = Open3.capture2e(RbConfig.ruby, "-I", library, "-e", "#{BEGINNING}#{program}", chdir: folder)

      assert_equal [names.sort, 0], [output.lines(chomp: true).sort, status.exitstatus]
    end
  end
end
