import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The book of the Java server, as one line of JSON; see books.py. */
final class Book {
    private static final long BUCKET_NS = 250_000_000L;

    private final com.sun.management.OperatingSystemMXBean system =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final SortedMap<Long, Spent> buckets = new TreeMap<>();

    /** What requests have spent, in nanoseconds. */
    static final class Spent {
        long requests = 1;
        long hand;
        long slot;
        long pool;
        long lock;
        long cpu;
        long delay;
        long call;
        long disk;
        long processCpu;

        private void add(Spent other) {
            requests += other.requests;
            hand += other.hand;
            slot += other.slot;
            pool += other.pool;
            lock += other.lock;
            cpu += other.cpu;
            delay += other.delay;
            call += other.call;
            disk += other.disk;
        }

        private String toJson(long number) {
            return String.format(Locale.ROOT, "{\"number\": %d, \"requests\": %d, \"accept_queue\": 0, \"unread\": 0,"
                + " \"hand\": %d, \"slot\": %d, \"pool\": %d, \"lock\": %d, \"cpu\": %d, \"delay\": %d,"
                + " \"call\": %d, \"disk\": %d, \"process_cpu\": %d}",
                number, requests, hand, slot, pool, lock, cpu, delay, call, disk, processCpu);
        }
    }

    /** Enter a request that has ended now. */
    synchronized void add(Spent spent) {
        long number = System.nanoTime() / BUCKET_NS;
        Spent bucket = buckets.get(number);
        if (bucket == null) {
            bucket = new Spent();
            bucket.requests = 0;
            buckets.put(number, bucket);
        }
        bucket.add(spent);
        bucket.processCpu = system.getProcessCpuTime();
    }

    synchronized String toJson() {
        String rows = buckets.entrySet().stream().map(bucket -> bucket.getValue().toJson(bucket.getKey()))
            .collect(Collectors.joining(", "));
        return "{\"has_arrivals\": false, \"bucket_ns\": " + BUCKET_NS + ", \"buckets\": [" + rows + "]}";
    }
}
