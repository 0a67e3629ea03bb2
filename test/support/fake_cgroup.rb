# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require "coppice/os/cgroup"

# Files as the kernel has them under /sys/fs/cgroup, for a test case to write.
module FakeCgroup
  def setup
    super
    @root = Dir.mktmpdir("coppice-cgroup-")
  end

  def teardown
    FileUtils.remove_entry(@root)
    super
  end

  #: (String, String) -> void
  def write(path, text)
    file = File.join(@root, path)
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, text)
  end

  # The cgroup of a process with these lines in /proc/self/cgroup.
  #: (String, ?String) -> Coppice::OS::Cgroup
  def cgroup(membership, controller = "memory")
    write("membership", membership)
    Coppice::OS::Cgroup.new(controller, membership: File.join(@root, "membership"), root: @root)
  end
end
