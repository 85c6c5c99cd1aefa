# A shop in Ruby, which asks a service of quotes. It reads settings.json in its folder.
#
#   GET /orders/N   an order    GET /orders   the first twenty
require "json"
require "net/http"

DIALS = JSON.parse(File.read("settings.json"))
LEDGER = Mutex.new
KEPT = []
LIVE = Array.new(DIALS["live"]) { |n| "lamp #{n}" }
LOG = File.open("shop.log", "a")

def work(rounds)
  sum = 0
  rounds.times { |n| sum = (sum * 31 + n) % 1_000_003 }
  sum
end

def connect
  line = Net::HTTP.new("127.0.0.1", DIALS["quotes_port"])
  line.keep_alive_timeout = 30
  line.start
end

def quote(number)
  line = DIALS["fresh_quotes"] ? connect : (Thread.current[:quotes] ||= connect)
  text = line.get("/quote/#{number}").body
  line.finish if DIALS["fresh_quotes"]
  text
end

def order(number)
  price = DIALS["quotes_port"].positive? ? quote(number) : ""
  LEDGER.synchronize { sleep(DIALS["lock_ms"] / 1000.0) } if DIALS["lock_ms"].positive?
  KEPT << ("x" * DIALS["kept_bytes"]) if DIALS["kept_bytes"].positive?
  GC.start if rand < DIALS["collected"]
  DIALS["log_lines"].times { |n| LOG.puts("order #{number} step #{n} quote #{price}") }
  { id: number, name: "lamp #{number}", quote: price, sum: work(DIALS["work"]) }
end

if DIALS["statistics"].positive?
  Thread.new do
    loop do
      till = Process.clock_gettime(Process::CLOCK_MONOTONIC) + DIALS["statistics"] * 0.1
      work(1000) while Process.clock_gettime(Process::CLOCK_MONOTONIC) < till
      sleep((1 - DIALS["statistics"]) * 0.1)
    end
  end
end

run lambda { |request|
  number = request["PATH_INFO"].delete_prefix("/orders").delete_prefix("/").to_i
  body = number.zero? ? (1..20).map { |n| { id: n, name: "lamp #{n}" } } : order(number)
  [200, { "Content-Type" => "application/json" }, [JSON.generate(body)]]
}
