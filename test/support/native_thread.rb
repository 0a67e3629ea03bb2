# frozen_string_literal: true

require_relative "c_library"

# A thread that Ruby knows nothing of, like those of native libraries. It lives as long as its process. Applications of
# tests load this file as well.
module NativeThread
  # name: at most 15 bytes, as the kernel keeps them.
  def self.start(name)
    before = Dir.children("/proc/self/task")
    CLibrary.call("pthread_create", "\0" * 64, nil, CLibrary.address("pause"), nil)
    File.write("/proc/self/task/#{(Dir.children('/proc/self/task') - before).first}/comm", name)
  end
end
