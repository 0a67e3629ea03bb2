# frozen_string_literal: true

# How Coppice serves this shop. The directives are Pitchfork's, so the file works with either.
#
# The hooks run where Rails is loaded, in the mold and in the workers; the rest is for the monitor, which never loads it.

worker_processes 4 # or WEB_CONCURRENCY, which wins
listen 8080
timeout 30

# Regrow all workers from the warmest one when it has served so many requests: soon at first, while each request still
# finds something new to load, then a last time when it has seen nearly all of the shop.
refork_after [50, 100, 200, 500, false]

# Active Record looks after forks by itself, but the gem sqlite3 only from 2.1 on, and the shop has an older one: a copy that
# closes the database of another process can damage it. So whoever is about to be forked closes it, in every role; Active
# Record opens it again when it is asked for. With another database, or a newer sqlite3, this line is not needed.
before_fork { |_server| ActiveRecord::Base.connection_handler.clear_all_connections!(:all) }
