import java.util.ArrayDeque;
import java.util.Deque;

/** What the servers of the tests do when they are asked: burn CPU, make garbage, hold memory, wait. */
final class Work {
    private static final int CHUNK_BYTES = 4096;
    private static final Deque<byte[]> kept = new ArrayDeque<>();
    private static volatile long sink;

    private Work() {}

    /** Spends `ms` of CPU time in one method, which a profiler must name. */
    static void hotLoop(long ms) {
        long end = System.nanoTime() + ms * 1_000_000L;
        long x = 88172645463325252L;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 1000; i++) {
                x ^= x << 13;
                x ^= x >>> 7;
                x ^= x << 17;
            }
        }
        sink = x;
    }

    /** Allocates `bytes`; the last `keep` bytes of all that was ever allocated stay reachable. */
    static void allocate(long bytes, long keep) {
        synchronized (kept) {
            for (long done = 0; done < bytes; done += CHUNK_BYTES) {
                kept.addLast(new byte[CHUNK_BYTES]);
                while ((long) kept.size() * CHUNK_BYTES > keep) {
                    kept.removeFirst();
                }
            }
        }
    }

    /** One number of a query string, or what stands in for it. */
    static long number(String query, String name, long otherwise) {
        if (query != null) {
            for (String pair : query.split("&")) {
                if (pair.startsWith(name + "=")) {
                    return Long.parseLong(pair.substring(name.length() + 1));
                }
            }
        }
        return otherwise;
    }

    /** Does what a path asks for. Returns whether it knows the path. */
    static boolean serve(String path, String query) throws InterruptedException {
        switch (path) {
            case "/":
                return true;
            case "/burn":
                hotLoop(number(query, "ms", 10));
                return true;
            case "/allocate":
                allocate(number(query, "bytes", 1 << 20), number(query, "keep", 0));
                return true;
            case "/gc":
                System.gc();
                return true;
            case "/sleep":
                Thread.sleep(number(query, "ms", 100));
                return true;
            default:
                return false;
        }
    }
}
