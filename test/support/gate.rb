# frozen_string_literal: true

require_relative "bounded_wait"

# A lock that processes of the server pass one after the other, unless a test holds it: how a test has them hang in
# native code at a certain place, for as long as it wants and not by the clock.
class Gate
  # What the application or a hook calls to pass. It waits in flock(2), where no other thread can help it on.
  #: (String) -> String
  def self.code(name) = "File.open(#{name.inspect}, File::RDWR | File::CREAT) { |gate| gate.flock(File::LOCK_SH) }"

  #: (String) -> void
  def initialize(path)
    @path = path
  end

  # Nobody passes while the block runs.
  #: [T] () { () -> T } -> T
  def closed
    File.open(@path, File::RDWR | File::CREAT) do |file|
      BoundedWait.wait(BoundedWait::SECONDS, "a process does not leave #{@path}") do
        file.flock(File::LOCK_EX | File::LOCK_NB)
      end
      yield
    end
  end
end
