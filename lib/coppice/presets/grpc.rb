# frozen_string_literal: true

# With fork support and grpc_fork_safety the library is stopped before each fork.
used = lambda do
  !defined?(GrpcForkSafety) && ObjectSpace.each_object(GRPC::Core::Channel).any?
end

Coppice::Presets.define(:grpc, gem: "grpc", constant: "GRPC::Core::Channel", versions: "1.57"..., tested: true,
  verdict: :unsafe, calls: { unsafe: used },
  does: "never promotes a worker that has a channel, unless grpc_fork_safety is loaded",
  advice: "make no call while the application boots. To refork workers that make calls: the gem grpc_fork_safety " \
          "before grpc in the Gemfile",
  older: "`Coppice::Info.no_longer_fork_safe!` at the first call",
  why: "Its threads do not exist in a copy, and its locks may stay locked: calls raise an error or hang.",
  source: "src/ruby/ext/grpc/rb_grpc.c; Shopify/grpc_fork_safety")
