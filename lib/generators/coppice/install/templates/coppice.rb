# frozen_string_literal: true

# The configuration of Coppice. `coppice help NAME` explains an option or a hook, `coppice check --show` prints every
# setting and where it comes from.

# Each worker serves one request at a time. :auto is from 1.5 to 8 for each processor, as requests wait. The
# environment variable WEB_CONCURRENCY replaces it.
worker_processes :auto

# In development only this machine reaches it. The environment variable PORT replaces it.
listen 3000

# After it the client gets a 503 response and the worker is replaced. Workers are cold until a refork.
timeout 20, cold: 60

# At the start a worker requests these pages from itself, and the others are its copies, so that they are warm.
# warm_up_requests "/up"

# Start new workers from the warmest one when the memory that this saves is worth its cost. First let `coppice doctor`
# look for what does not survive a fork.
# refork_after :auto
