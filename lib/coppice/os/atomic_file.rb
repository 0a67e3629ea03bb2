# frozen_string_literal: true

module Coppice
  module OS
    # Replaces a file as a whole: a reader finds the old text or the new one, never a part of it.
    module AtomicFile
      CREATE = File::WRONLY | File::CREAT | File::EXCL
      READ = File::RDONLY | File::NOFOLLOW | File::NONBLOCK

      # The new file has another name first, which no other user can guess: a file or symbolic link of his at that name
      # would be written to. Raises SystemCallError, and then leaves nothing behind.
      #: (String, String) -> void
      def self.replace(path, text)
        temporary = "#{path}.#{Random.urandom(8).unpack1('H*')}"
        File.write(temporary, text, mode: CREATE, perm: 0o644)
        File.rename(temporary, path)
      rescue SystemCallError
        remove(temporary)
        raise
      end

      # For reading. A symbolic link, or what would block its reader, is not what `replace` has put there. Raises
      # SystemCallError.
      #: [T] (String) { (File) -> T } -> T
      def self.open(path, &block) = File.open(path, READ, &block)

      def self.remove(file)
        File.unlink(file)
      rescue SystemCallError
        nil # it could not be made
      end
      private_class_method :remove
    end
  end
end
