# frozen_string_literal: true

require "etc"

# Whether the kernel lets this process, and those that it starts, lock a page in memory: see
# ext/coppice/os/fork_witness.c.
module LockedMemory
  CAP_IPC_LOCK = 14 # linux/capability.h

  def self.possible?
    Process.getrlimit(:MEMLOCK).first >= Etc.sysconf(Etc::SC_PAGESIZE) || capable?
  end

  def self.capable?
    File.read("/proc/self/status")[/^CapEff:\s*(\h+)/, 1].hex[CAP_IPC_LOCK] == 1
  rescue Errno::ENOENT
    false
  end
  private_class_method :capable?
end
