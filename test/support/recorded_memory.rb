# frozen_string_literal: true

require "coppice/memory/smaps"

# What the kernel said of a worker: one on Debian's Ruby 3.1, one on Ruby 3.4 with YJIT, both of bench/apps/constants.ru
# on a kernel that keeps no names of anonymous mappings. Fields of smaps that nobody reads are left out.
module RecordedMemory
  FOLDER = File.expand_path("../unit/memory/recorded", __dir__)
  NAMES = %w[ruby-3.1 ruby-3.4-yjit].freeze

  # name: one of NAMES; file: smaps or smaps_rollup.
  def self.text(name, file) = File.read(File.join(FOLDER, "#{name}.#{file}"))

  def self.mappings(name) = Coppice::Memory::Smaps.parse(text(name, "smaps"))
end
