# frozen_string_literal: true

require "fiddle"

# A thread that Ruby knows nothing of, like those of native libraries. It lives as long as its process. Applications of
# tests load this file as well.
module NativeThread
  # name: at most 15 bytes, as the kernel keeps them.
  def self.start(name)
    before = Dir.children("/proc/self/task")
    create = Fiddle::Function.new(Fiddle::Handle::DEFAULT["pthread_create"], [Fiddle::TYPE_VOIDP] * 4, Fiddle::TYPE_INT)
    create.call(Fiddle::Pointer.malloc(64), nil, Fiddle::Handle::DEFAULT["pause"], nil)
    File.write("/proc/self/task/#{(Dir.children('/proc/self/task') - before).first}/comm", name)
  end
end
