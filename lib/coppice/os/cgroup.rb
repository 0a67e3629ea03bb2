# frozen_string_literal: true

module Coppice
  module OS
    # The files of a process's cgroup for one resource, such as memory. Their names differ between versions 1 and 2.
    # Sources: cgroups(7); the kernel's cgroup-v2 and cgroup-v1 documents.
    class Cgroup
      MEMBERSHIP = "/proc/self/cgroup"
      ROOT = "/sys/fs/cgroup"

      # The cgroup of another process; of this one where /proc does not tell, as for a process that has exited.
      #: (Integer, String, ?proc: String, ?root: String) -> Cgroup
      def self.of_process(pid, controller, proc: "/proc", root: ROOT)
        membership = "#{proc}/#{pid}/cgroup"
        membership = "#{proc}/self/cgroup" unless File.readable?(membership)
        new(controller, membership: membership, root: root)
      end

      # controller: the name of the resource. Version 1 has a hierarchy of its own for each.
      #: (String, ?membership: String, ?root: String) -> void
      def initialize(controller, membership: MEMBERSHIP, root: ROOT)
        @controller = controller
        @folders = lines(membership).flat_map { |line| folders(line, root) }
      end

      # The existing files with these names: first those of the cgroup itself, then those of the cgroups around it,
      # whose limits hold for it as well.
      #: (*String) -> Array[String]
      def files(*names)
        @folders.product(names).map { |folder, name| "#{folder}/#{name}" }.select { |file| File.readable?(file) }
      end

      private

      def lines(membership)
        File.readlines(membership, chomp: true)
      rescue SystemCallError # there is no /proc, or the process has just exited
        []
      end

      # In a container the path may not exist; then the root is the container's own cgroup.
      def folders(line, root)
        _, controllers, path = line.split(":", 3)
        case controllers.split(",")
        when [] then ancestors(path).map { |folder| "#{root}#{folder}" }
        when ->(names) { names.include?(@controller) }
          ancestors(path).map { |folder| "#{root}/#{@controller}#{folder}" }
        else []
        end
      end

      # "/a/b" gives "/a/b", "/a" and "".
      def ancestors(path)
        names = path.split("/").reject(&:empty?)
        names.size.downto(0).map { |depth| names.first(depth).map { |name| "/#{name}" }.join }
      end
    end
  end
end
