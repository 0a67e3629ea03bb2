# frozen_string_literal: true

# When it is loaded, the gem image_processing makes an image of 88 bytes, for which libvips starts no thread. The method
# came with 2.2, and its answer is negative from 2 GiB on: it takes the number for an int.
used = -> { !Vips.respond_to?(:tracked_mem_highwater) || (Vips.tracked_mem_highwater & 0xffff_ffff) > 1024 }

# Without libvips the gem raises a LoadError, which Rails rescues, and leaves an empty module Vips.
Coppice::Presets.define(:ruby_vips, gem: "ruby-vips", constant: "Vips::Image", versions: "2.2"..."3", tested: true,
  verdict: :unsafe, used: used, calls: { unsafe: used },
  does: "never promotes a worker that has processed an image",
  advice: "process no image while the application boots. If every worker processes images, reforks stop: do it in " \
          "jobs, or in a `service`",
  older: "`Coppice::Info.no_longer_fork_safe!` at the first image",
  why: "The threads of libvips do not exist in a copy, but count as running: it hangs at its first image.",
  source: "libvips/iofuncs/threadset.c of libvips/libvips; lib/vips.rb")
