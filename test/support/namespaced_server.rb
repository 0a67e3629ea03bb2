# frozen_string_literal: true

require "open3"
require_relative "server"

# A real server whose monitor is the first process of a PID namespace of its own, as in a container without an init.
# Each process has two ids: those of inside are on the board; those of outside are what we can signal and look at.
class NamespacedServer < Server
  UNSHARE = ["unshare", *("--map-root-user" unless Process.uid.zero?),
             "--pid", "--fork", "--mount-proc", "--kill-child"].freeze

  # Why there can be none here; nil where there can.
  #: () -> String?
  def self.obstacle
    output, status = Open3.capture2e(*UNSHARE, "true")
    "no PID namespace: #{output.strip}" unless status.success?
  rescue Errno::ENOENT
    "no PID namespace: there is no unshare(1)"
  end

  # From outside. Our own child is unshare, which waits for the monitor and ends as it did.
  #: () -> Integer
  def monitor_pid = (@monitor_pid ||= children(pid).first) || pid

  # Every child of the monitor, from outside, by its id inside.
  #: () -> Hash[Integer, Integer]
  def children_by_inner_pid = children(monitor_pid).to_h { |child| [inner_pid(child), child] }

  # What the process is called inside; nil when it is gone.
  #: (Integer) -> Integer?
  def inner_pid(of)
    File.read("/proc/#{of}/status")[/^NSpid:.*?(\d+)$/, 1].to_i
  rescue Errno::ENOENT, Errno::ESRCH
    nil
  end

  private

  def command = [*UNSHARE, *super]
end
