# frozen_string_literal: true

require "coppice/log/text"

module Coppice
  module ForkSafety
    # Something that does not survive a fork. kind: one of KINDS. owner: what it is and where it comes from, as text;
    # the same cause has the same owner in each generation. detail: what differs, such as a descriptor.
    Finding = Struct.new(:kind, :owner, :detail) do
      # A copy whose texts are short enough for a message.
      #: (Integer) -> Finding
      def cut(length) = self.class.new(kind, owner.to_s[0, length], detail&.slice(0, length))
    end

    # The kinds of findings: what the log says, and what to do. docs/fork_safety.md explains each of them.
    class Finding
      Kind = Struct.new(:message, :remedy)
      DOCUMENTATION = "docs/fork_safety.md#the-fork-audit"

      KINDS = {
        shared_connection: Kind.new("processes share a connection",
          "close it in before_fork or after_mold_fork and connect again when it is next used; " \
          "Coppice::Info.keep_io exempts an IO that is shared on purpose"),
        shared_pipe: Kind.new("processes share a pipe that another program writes to",
          "start the program in after_worker_fork; Coppice::Info.keep_io exempts an IO that is shared on purpose"),
        missing_thread: Kind.new("a thread does not exist after the fork",
          "start it in after_worker_fork; if its library starts it again by itself: " \
          "thread.thread_variable_set(:fork_safe, true). Find the thread with `Thread.list`: its `inspect` contains " \
          "this place"),
        native_thread: Kind.new("a native thread exists before the fork: its locks may stay locked after it",
          "call Coppice::Info.no_longer_fork_safe! when the library is first used"),
        locked: Kind.new("another thread holds a lock at the fork: the copy unlocks it in the middle of its work",
          "stop the thread in before_fork and start it again in after_fork_in_parent and after_worker_fork. You need " \
          "to do nothing if copies make anew what the lock protects, such as the connection of a thread that waits " \
          "for messages"),
        copied_random: Kind.new("a Random object is copied: all copies draw the same numbers",
          "make it in after_worker_fork, or use Random.rand or SecureRandom"),
        copied_queue: Kind.new("a queue is copied with its contents: each copy may work through them again",
          "empty it in before_fork, or clear the copy in after_mold_fork"),
        file_per_process: Kind.new("each process opens a file with its pid in the name: every refork adds files",
          "use the number of the worker (`worker.nr` in after_worker_fork) in place of the pid, or delete the file " \
          "in before_worker_exit"),
        kept_file: Kind.new("later generations go on with a file that has an earlier worker's pid in its name",
          "keep no temporary file over requests, or open it without a name: Tempfile.create(anonymous: true), before " \
          "Ruby 3.4 File.unlink right after Tempfile.create. Do not delete it in before_worker_exit: others use it")
      }.each_value(&:freeze).freeze

      GEM = %r{/(?:gems|bundler/gems)/([^/]+)-(?:\d[^/]*|\h{7,})/}.freeze

      # The name of the gem that a file belongs to; nil for none.
      #: (String) -> String?
      def self.gem_of(place) = place[GEM, 1]

      # A file and line without the folder of the gems, or relative to the application's folder.
      #: (String) -> String
      def self.short_place(place)
        place = Log::Text.valid(place)
        place[%r{/gems/([^/]+-\d[^/]*/.+)\z}, 1] || place.delete_prefix(Log::Text.valid("#{Dir.pwd}/"))
      rescue SystemCallError # the folder was deleted
        place
      end
    end
  end
end
