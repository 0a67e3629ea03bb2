# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class RubyVipsPresetTest < PresetTestCase
    # One worker in two processes images. Each has a size of its own: libvips keeps results. The other one asks for the
    # size of a WebP, for whose canvas libvips takes memory.
    APP = <<~'RUBY'
      require "vips"
      WEBP = "UklGRiAAAABXRUJQVlA4TBQAAAAvP8APAAcQEf0PAAnh/3stov+pHw==".unpack1("m")
      def blur = Vips::Image.black(200 + rand(100), 200 + rand(100)).gaussblur(1 + rand).avg
      run(lambda do |env|
        worker = env["coppice.worker"]
        EVERY_WORKER || worker.nr == 1 ? blur : Vips::Image.new_from_buffer(WEBP, "").size
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "the worker that has processed an image is never promoted" do
      assert_survives("EVERY_WORKER = false\n#{APP}")
    end

    test "without the preset a copy hangs" do
      assert_fails_without(:ruby_vips, "EVERY_WORKER = true\n#{APP}", with: HUNG)
    end

    private

    def setup
      super
      skip "libvips is not installed" if Dir["/usr/lib/*/libvips.so.42"].empty?
    end
  end
end
