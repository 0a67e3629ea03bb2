# frozen_string_literal: true

require "tmpdir"

# A file system of its own, in memory, that a test can fill. Mounting it needs privileges.
class SmallDisk
  # Yields the disk, or skips the test.
  def self.open
    Dir.mktmpdir("coppice-disk-") do |folder|
      mounted(folder) { yield new(folder) }
    end
  end

  # As `open`; all temporary folders that are made meanwhile are on the disk.
  def self.open_for_temporary_files
    before = ENV.fetch("TMPDIR", nil)
    self.open do |disk|
      ENV["TMPDIR"] = disk.folder
      yield disk
    ensure
      ENV["TMPDIR"] = before
    end
  end

  def self.mounted(folder)
    unless system("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder, err: File::NULL)
      raise Minitest::Skip, "no file system can be mounted here"
    end

    begin
      yield
    ensure
      system("umount", "-l", folder, exception: true) # a process of the test may still have a file there
    end
  end
  private_class_method :mounted

  attr_reader :folder #: String

  def initialize(folder)
    @folder = folder
  end

  # To the last byte: not even a line of a log fits. Answers the path of the file that does.
  def fill
    path = File.join(@folder, "filler")
    File.open(path, "wb") do |file|
      file.sync = true
      [65_536, 1].each { |bytes| fill_by(file, "x" * bytes) }
    end
    path
  end

  def forbid_writing = system("mount", "-o", "remount,ro", @folder, exception: true)

  def full?
    File.write(File.join(@folder, "more"), "x")
    false
  rescue Errno::ENOSPC
    true
  end

  private

  def fill_by(file, text)
    loop { file.write(text) }
  rescue Errno::ENOSPC
    nil
  end
end
