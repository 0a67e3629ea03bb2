# frozen_string_literal: true

require "etc"
require "coppice/os/cgroup"

module Coppice
  module OS
    # The number of processors that this process may use: limited by those that it may run on, and by the CPU quotas of
    # its cgroup and of those around it. Sources: sched_setaffinity(2), which Etc looks at; the kernel's cgroup-v2 and
    # sched-bwc documents.
    class Processors
      # In version 2 one file has quota and period; in version 1 the period has a file beside that of the quota.
      QUOTA_V2 = "cpu.max"
      QUOTA_V1 = "cpu.cfs_quota_us"
      PERIOD_V1 = "cpu.cfs_period_us"

      #: (?cgroup: OS::Cgroup, ?online: Integer) -> void
      def initialize(cgroup: Cgroup.new("cpu"), online: Etc.nprocessors)
        @online = online
        @quotas = cgroup.files(QUOTA_V2, QUOTA_V1)
      end

      # A Rational for a quota, which may be a fraction of a processor.
      #: () -> (Integer | Rational)
      def count = [@online, *@quotas.filter_map { |file| allowed(file) }].min

      private

      # "max", or -1 in version 1, means that there is no quota.
      def allowed(file)
        version2 = File.basename(file) == QUOTA_V2
        texts = version2 ? File.read(file).split : [File.read(file), File.read(sibling(file))]
        quota, period = texts.map { |text| Integer(text, 10, exception: false) }
        Rational(quota, period) if quota&.positive? && period&.positive?
      rescue SystemCallError # the cgroup was removed meanwhile, or a sandbox hides the file
        nil
      end

      def sibling(file) = File.join(File.dirname(file), PERIOD_V1)
    end
  end
end
