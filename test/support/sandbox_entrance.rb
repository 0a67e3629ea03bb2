# frozen_string_literal: true

# A program: gives up some system calls, whose numbers are the first argument, and becomes the program of the others.
require_relative "c_library"

# Classic BPF for seccomp(2): code, jump if true, jump if false, operand.
load_number = [0x20, 0, 0, 0]
refuse = [0x06, 0, 0, 0x00050001] # SECCOMP_RET_ERRNO with EPERM
allow = [0x06, 0, 0, 0x7fff0000]
checks = ARGV.shift.split(",").flat_map { |number| [[0x15, 0, 1, Integer(number, 10)], refuse] }
filter = [load_number, *checks, allow].map { |instruction| instruction.pack("SCCL") }

program = [filter.size].pack("S").ljust(8, "\0") + [filter.join].pack("P") # padded as struct sock_fprog is
no_new_privileges, set_seccomp, filter_mode = 38, 22, 2
calls = [[no_new_privileges, 1, nil, 0, 0], [set_seccomp, filter_mode, program, 0, 0]]
abort "the kernel has no seccomp" unless calls.all? { |call| CLibrary.call("prctl", *call).zero? }
exec(*ARGV)
