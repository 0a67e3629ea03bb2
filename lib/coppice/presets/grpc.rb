# frozen_string_literal: true

require "coppice/fork_safety/native_threads"

# Its timer, which starts with the first channel or credentials, and stays once they are garbage. With grpc_fork_safety
# the library is stopped before each fork.
used = -> { Coppice::ForkSafety::NativeThreads.any?("grpc_global_tim") }

Coppice::Presets.define(:grpc, gem: "grpc", constant: "GRPC::Core::Channel", versions: "1.57"..., tested: true,
  verdict: :unsafe, used: used, calls: { unsafe: -> { !defined?(GrpcForkSafety) && used.call } },
  does: "never promotes a worker that has had a channel or credentials, unless grpc_fork_safety is loaded",
  advice: "make no call while the application boots, and no stub in a thread. To refork workers that make calls, " \
          "put the gem grpc_fork_safety before grpc in the Gemfile",
  older: "`Coppice::Info.no_longer_fork_safe!` at the first call",
  why: "Its threads do not survive a fork, and its locks may stay locked: calls raise an error or hang, even of a " \
       "new stub.",
  source: "src/ruby/ext/grpc/rb_grpc.c; Shopify/grpc_fork_safety")
