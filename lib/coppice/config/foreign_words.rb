# frozen_string_literal: true

module Coppice
  module Config
    # What to do about words that people bring along from Unicorn and Puma.
    FOREIGN_WORDS = {
      after_fork: "Use after_worker_fork",
      before_exec: "Remove it: nothing is replaced by exec",
      bind: "Use listen, for example: listen \"0.0.0.0:3000\"",
      daemonize: "Remove it: let the process supervisor run the server in the background",
      fork_worker: "Use refork_after, for example: refork_after [50, 100, 1000]",
      on_worker_boot: "Use after_worker_fork",
      pid: "Remove it: let the process supervisor keep track of the process",
      pidfile: "Remove it: let the process supervisor keep track of the process",
      plugin: "Remove it: there are no plugins, only hooks",
      port: "Use listen, for example: listen 3000",
      preload_app: "Remove it: the application is always loaded once, before the workers are forked",
      preload_app!: "Remove it: the application is always loaded once, before the workers are forked",
      stderr_path: "Remove it: redirect standard error where you start the server",
      stdout_path: "Remove it: redirect standard output where you start the server",
      threads: "Remove it: a worker serves one request at a time. Use worker_processes",
      user: "Remove it: start the server as the user it shall run as",
      worker_timeout: "Use timeout, for example: timeout 10",
      workers: "Use worker_processes, for example: worker_processes 4",
      working_directory: "Remove it: start the server in the directory it shall run in"
    }.freeze
  end
end
