# frozen_string_literal: true

require "open3"
require "tmpdir"

module Coppice
  # The only compiler with libFuzzer.
  module Clang
    OPTIONS = %w[
      -std=gnu11 -D_GNU_SOURCE -DCOPPICE_LINUX -g -O1 -Wall -Wextra -Werror
      -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
    ].freeze
    INSTALL = "apt-get install -y --no-install-recommends clang libclang-rt-14-dev"
    LOCK = "-o DPkg::Lock::Timeout=300" # seconds that another program may hold the lock of the packages
    EMPTY_TARGET = "int LLVMFuzzerTestOneInput(const char *data, unsigned long size) { return !data && size; }"
    private_constant :EMPTY_TARGET, :LOCK

    # Whether it is here, if need be after an attempt to install it.
    def self.ready? #: () -> bool
      works? || (may_install? && install && works?)
    end

    def self.compile(program, sources, folder:) #: (String, Array[String], folder: String) -> void
      command = ["clang", *OPTIONS, "-Iext/coppice", "-Iext/coppice/lobby", "-Itest/lobby", "-o", program, *sources]
      system(*command, chdir: folder) or abort "bin/fuzz: #{program} cannot be built"
    end

    def self.works?
      Dir.mktmpdir do |folder|
        command = ["clang", *OPTIONS, "-Wno-missing-prototypes", "-x", "c", "-", "-o", File.join(folder, "program")]
        Open3.capture2e(*command, stdin_data: EMPTY_TARGET).last.success?
      end
    rescue Errno::ENOENT
      false
    end
    private_class_method :works?

    def self.may_install?
      Process.uid.zero? && system("apt-get --version", %i[out err] => File::NULL)
    end
    private_class_method :may_install?

    def self.install
      warn "bin/fuzz: installing clang"
      command = "apt-get update -qq; #{INSTALL} -qq #{LOCK}" # the lists that are there may do
      system({ "DEBIAN_FRONTEND" => "noninteractive" }, command, in: File::NULL, out: File::NULL)
    end
    private_class_method :install
  end
end
