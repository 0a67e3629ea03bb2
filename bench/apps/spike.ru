# frozen_string_literal: true

# Routes of 2 ms of CPU time and 8 ms of waiting for a database, which answers nobody while this file is locked. /hang
# waits for HANG_SECONDS, as for a service that does not answer.
CPU_SECONDS = 0.002
WAIT_SECONDS = 0.008
HANG_SECONDS = Float(ENV.fetch("HANG_SECONDS", "30"))

def cpu_clock = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)

run(lambda do |env|
  done = cpu_clock + CPU_SECONDS
  1000.times { |i| i * i } while cpu_clock < done
  File.open(__FILE__) { |database| database.flock(File::LOCK_SH) }
  sleep(env["PATH_INFO"] == "/hang" ? HANG_SECONDS : WAIT_SECONDS)
  [200, { "content-type" => "text/plain" }, ["done\n"]]
end)
