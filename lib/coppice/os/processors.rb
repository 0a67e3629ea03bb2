# frozen_string_literal: true

require "etc"
require "coppice/os/cgroup"

module Coppice
  module OS
    # How many processors this process may use: those that it may run on, and the time that the quota of its cgroup, or of
    # one around it, leaves it on them. Sources: sched_setaffinity(2), which Etc looks at; the kernel's cgroup-v2 and
    # sched-bwc documents.
    class Processors
      # In version 2 one file has both; in version 1 the period lies beside the quota.
      QUOTA_V2 = "cpu.max"
      QUOTA_V1 = "cpu.cfs_quota_us"
      PERIOD_V1 = "cpu.cfs_period_us"

      #: (?cgroup: OS::Cgroup, ?online: Integer) -> void
      def initialize(cgroup: Cgroup.new("cpu"), online: Etc.nprocessors)
        @online = online
        @quotas = cgroup.files(QUOTA_V2, QUOTA_V1)
      end

      # A quota may be a fraction of one, or of several.
      #: () -> (Integer | Rational)
      def count = [@online, *@quotas.filter_map { |file| allowed(file) }].min

      private

      # "max", or -1 in version 1, means that there is no quota.
      def allowed(file)
        quota, period = File.basename(file) == QUOTA_V2 ? File.read(file).split : [file, sibling(file)].map { |path| File.read(path) }
        quota, period = [quota, period].map { |text| Integer(text.to_s, 10, exception: false) }
        Rational(quota, period) if quota&.positive? && period&.positive?
      rescue SystemCallError # the cgroup was removed under us, or a sandbox hides the file
        nil
      end

      def sibling(file) = File.join(File.dirname(file), PERIOD_V1)
    end
  end
end
