import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What makes the garbage collector work: a live set that stays and slowly changes, and garbage of each request.
 *
 * <p>The live set stands for the caches and sessions of a real service: pieces of 4 kB, one of which is
 * replaced at each request, so that old pieces die late and mixed collections find something to do.
 */
final class Memory {
    private static final int PIECE_BYTES = 4096;

    private final AtomicReferenceArray<byte[]> live;
    private final int garbage;

    /** liveBytes: what stays; garbageBytes: what a request allocates and drops. */
    Memory(long liveBytes, long garbageBytes) {
        live = new AtomicReferenceArray<>(Math.max(1, (int) (liveBytes / PIECE_BYTES)));
        garbage = (int) (garbageBytes / PIECE_BYTES);
        for (int i = 0; i < live.length(); i++) {
            live.set(i, new byte[PIECE_BYTES]);
        }
    }

    /** One request's worth. Returns a number that depends on all of it, so that no compiler leaves it out. */
    int touch() {
        int sum = 0;
        for (int i = 0; i < garbage; i++) {
            var piece = new byte[PIECE_BYTES];
            piece[i % PIECE_BYTES] = (byte) i;
            sum += piece[i % PIECE_BYTES];
        }
        live.set(ThreadLocalRandom.current().nextInt(live.length()), new byte[PIECE_BYTES]);
        return sum;
    }
}
