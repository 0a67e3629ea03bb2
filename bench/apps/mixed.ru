# frozen_string_literal: true

# /quick takes 10 ms of CPU time. /wait sleeps for a second, as for an answer of another server; Puma is told so.
CPU_SECONDS = 0.01

def cpu_clock = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)

run(lambda do |env|
  if env["PATH_INFO"] == "/quick"
    done = cpu_clock + CPU_SECONDS
    1000.times { |i| i * i } while cpu_clock < done
  elsif env["PATH_INFO"] == "/wait"
    env["puma.mark_as_io_bound"]&.call
    sleep 1
  end
  [200, { "content-type" => "text/plain" }, ["done\n"]]
end)
