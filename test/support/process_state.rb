# frozen_string_literal: true

# Whether processes sleep: for tests of whom the kernel wakes.
module ProcessState
  # Not while it runs, is about to, or is stopped.
  #: (Integer) -> bool
  def asleep?(pid) = File.read("/proc/#{pid}/status")[/^State:\s+(\w)/, 1] == "S"
end
