# frozen_string_literal: true

# Configures how Coppice serves this shop. All directives are Pitchfork's, so the file works with both servers.
#
# The hook runs in processes that load Rails: the mold and the workers. The other directives are for the monitor, which
# never loads Rails.

worker_processes 4 # WEB_CONCURRENCY takes precedence
listen 8080
timeout 30

# Refork when the warmest worker has served that many requests: soon at first, while each request still loads something
# new, and for the last time when the worker has served nearly all pages of the shop.
refork_after [50, 100, 200, 500, false]

# Active Record handles forks by itself, but the gem sqlite3 only does from 2.1 on, and the shop has an older version. A
# copy that closes the database of another process can damage it. So each process closes the database before it forks.
# Active Record opens it again on the next query. With another database or a newer sqlite3 this line is not needed.
before_fork { |_server| ActiveRecord::Base.connection_handler.clear_all_connections!(:all) }
