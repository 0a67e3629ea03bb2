# frozen_string_literal: true

module Coppice
  module OS
    # Where the kernel keeps the books of one of our cgroup's resources, such as memory: files whose names differ between
    # version 2 and 1. Sources: cgroups(7); the kernel's cgroup-v2 and cgroup-v1 documents.
    class Cgroup
      MEMBERSHIP = "/proc/self/cgroup"
      ROOT = "/sys/fs/cgroup"

      # controller: the name of the resource, which version 1 has a hierarchy of its own for.
      #: (String, ?membership: String, ?root: String) -> void
      def initialize(controller, membership: MEMBERSHIP, root: ROOT)
        @controller = controller
        @folders = File.readable?(membership) ? File.readlines(membership, chomp: true).flat_map { |line| folders(line, root) } : []
      end

      # Those of these names that are there, our own first, then those of the cgroups around it: a limit holds for all below.
      #: (*String) -> Array[String]
      def files(*names)
        @folders.product(names).map { |folder, name| "#{folder}/#{name}" }.select { |file| File.readable?(file) }
      end

      private

      # In a container the path that is told may not be there, and what is there is the container's own.
      def folders(line, root)
        _, controllers, path = line.split(":", 3)
        case controllers.split(",")
        when [] then inwards(path).map { |folder| "#{root}#{folder}" }
        when ->(names) { names.include?(@controller) } then inwards(path).map { |folder| "#{root}/#{@controller}#{folder}" }
        else []
        end
      end

      # "/a/b" gives "/a/b", "/a" and "".
      def inwards(path)
        names = path.split("/").reject(&:empty?)
        names.size.downto(0).map { |depth| names.first(depth).map { |name| "/#{name}" }.join }
      end
    end
  end
end
