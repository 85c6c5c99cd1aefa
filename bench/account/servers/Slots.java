import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A Java server of known truth, a thread for each connection: java Slots CELL. See books.py for the book.
 *
 * Where requests wait in the accept queue there are as many threads as slots instead, and each accepts for
 * itself. Java does not tell when data arrived.
 */
public final class Slots {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int BACKLOG = 1024;
    private static final int ANY = Integer.MAX_VALUE;

    private final Cell cell;
    private final Book book = new Book();
    private final Semaphore slots;
    private final Semaphore pool;
    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<SocketChannel> free = new ConcurrentLinkedQueue<>();
    private final Queue<FileChannel> files = new ConcurrentLinkedQueue<>();
    private final byte[][] answer;
    private final ServerSocketChannel listener;

    private Slots(Cell cell) throws IOException {
        this.cell = cell;
        slots = new Semaphore(cell.slots == 0 ? ANY : cell.slots);
        pool = new Semaphore(cell.pool == 0 ? ANY : cell.pool);
        String head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: "
            + (cell.closes ? "close" : "keep-alive") + "\r\n\r\n";
        answer = cell.parts > 1 ? new byte[][] {bytes(head), bytes("ok")} : new byte[][] {bytes(head + "ok")};
        if (cell.unix.isEmpty()) {
            listener = ServerSocketChannel.open();
            listener.bind(new InetSocketAddress("127.0.0.1", 0), BACKLOG);
        } else {
            listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            listener.bind(UnixDomainSocketAddress.of(cell.unix), BACKLOG);
        }
    }

    public static void main(String[] words) throws IOException {
        Cell cell = new Cell(words[0]);
        Slots server = new Slots(cell);
        for (int n = 0; n < (cell.queue.equals("accept") ? cell.slots : 1); n++) {
            start(server::accept);
        }
        int port = server.listener.getLocalAddress() instanceof InetSocketAddress at ? at.getPort() : 0;
        System.out.println("{\"port\": " + port + "}");
        while (System.in.read() >= 0) {
            // Until standard input closes.
        }
        System.out.println(server.book.toJson());
        System.exit(0);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(null, work, "slot", 256 << 10);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel connection = listener.accept();
                if (cell.queue.equals("accept")) {
                    serve(connection);
                } else {
                    start(() -> serve(connection));
                }
            }
        } catch (IOException closed) {
            // The listener ends with the process.
        }
    }

    /** Answer the requests of a connection until its client leaves. */
    private void serve(SocketChannel connection) {
        try (connection; Selector selector = Selector.open();
                FileInputStream schedstat = new FileInputStream("/proc/thread-self/schedstat")) {
            if (cell.unix.isEmpty()) {
                connection.setOption(StandardSocketOptions.TCP_NODELAY, cell.parts == 1);
            }
            boolean waits = cell.queue.equals("kernel");
            connection.configureBlocking(!waits);
            if (waits) {
                connection.register(selector, SelectionKey.OP_READ);
            }
            while (answerNext(connection, selector, schedstat) && !cell.closes) {
                // The next request.
            }
        } catch (IOException | InterruptedException gone) {
            // The client has left.
        }
    }

    /** Read a request and answer it; false where there is none. */
    private boolean answerNext(SocketChannel connection, Selector selector, FileInputStream schedstat)
            throws IOException, InterruptedException {
        boolean inKernel = cell.queue.equals("kernel");
        boolean inProcess = cell.queue.equals("process");
        if (inKernel) {
            selector.select();
            selector.selectedKeys().clear();
            slots.acquire();
        }
        try {
            if (!read(connection)) {
                return false;
            }
            Book.Spent spent = new Book.Spent();
            long read = System.nanoTime();
            long delayed = delay(schedstat);
            if (inProcess) {
                slots.acquire();
            }
            try {
                spent.slot = System.nanoTime() - read;
                work(spent, schedstat);
                for (byte[] part : answer) {
                    write(connection, part);
                }
            } finally {
                if (inProcess) {
                    slots.release();
                }
            }
            spent.hand = System.nanoTime() - read;
            spent.delay += delay(schedstat) - delayed;
            book.add(spent);
            return true;
        } finally {
            if (inKernel) {
                slots.release();
            }
        }
    }

    private static boolean read(SocketChannel connection) throws IOException {
        StringBuilder text = new StringBuilder();
        ByteBuffer buffer = ByteBuffer.allocate(8192);
        while (text.indexOf("\r\n\r\n") < 0) {
            buffer.clear();
            if (connection.read(buffer) < 0) {
                return false;
            }
            text.append(new String(buffer.array(), 0, buffer.position(), StandardCharsets.ISO_8859_1));
        }
        return true;
    }

    private static void write(SocketChannel connection, byte[] part) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(part);
        while (buffer.hasRemaining()) {
            connection.write(buffer);
        }
    }

    private void work(Book.Spent spent, FileInputStream schedstat) throws IOException, InterruptedException {
        if (cell.sleepMs > 0) {
            Thread.sleep((long) cell.sleepMs, (int) (cell.sleepMs % 1 * 1e6));
        }
        if (cell.cpuMs > 0) {
            burn(spent);
        }
        if (cell.lockMs > 0) {
            long began = System.nanoTime();
            lock.lock();
            try {
                Thread.sleep((long) cell.lockMs);
            } finally {
                lock.unlock();
            }
            spent.lock = System.nanoTime() - began;
        }
        if (cell.calls) {
            long began = System.nanoTime();
            pool.acquire();
            try {
                spent.pool = System.nanoTime() - began;
                long delayed = delay(schedstat);
                call(spent);
                spent.delay -= delay(schedstat) - delayed;
            } finally {
                pool.release();
            }
        }
        if (cell.diskKb > 0) {
            sync(spent, schedstat);
        }
    }

    private void burn(Book.Spent spent) {
        long began = THREADS.getCurrentThreadCpuTime();
        long end = began + (long) (cell.cpuMs * 1e6);
        long now = began;
        while (now < end) {
            now = THREADS.getCurrentThreadCpuTime();
        }
        spent.cpu = now - began;
    }

    /** Ask the dependency over a connection that is free, or a new one. */
    private void call(Book.Spent spent) throws IOException {
        SocketChannel connection = free.poll();
        if (connection == null) {
            connection = SocketChannel.open(new InetSocketAddress("127.0.0.1", cell.dependencyPort));
            connection.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        long began = System.nanoTime();
        write(connection, bytes("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
        StringBuilder text = new StringBuilder();
        ByteBuffer buffer = ByteBuffer.allocate(4096);
        while (!text.toString().endsWith("ok")) {
            buffer.clear();
            if (connection.read(buffer) < 0) {
                throw new IOException("the dependency has gone");
            }
            text.append(new String(buffer.array(), 0, buffer.position(), StandardCharsets.ISO_8859_1));
        }
        spent.call = System.nanoTime() - began;
        free.add(connection);
    }

    /** Write data over a file and sync it; what the sync waits for is the disk. */
    private void sync(Book.Spent spent, FileInputStream schedstat) throws IOException {
        FileChannel file = files.poll();
        if (file == null) {
            Path path = Path.of(cell.file + "." + System.nanoTime());
            file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        }
        file.write(ByteBuffer.allocate(cell.diskKb << 10), 0);
        long began = System.nanoTime();
        long busy = THREADS.getCurrentThreadCpuTime();
        long delayed = delay(schedstat);
        file.force(true);
        busy = THREADS.getCurrentThreadCpuTime() - busy;
        delayed = delay(schedstat) - delayed;
        spent.disk = Math.max(0, System.nanoTime() - began - busy - delayed);
        files.add(file);
    }

    /** How long this thread has waited for a core so far. */
    private static long delay(FileInputStream schedstat) throws IOException {
        schedstat.getChannel().position(0);
        byte[] text = new byte[80];
        int length = schedstat.read(text);
        return Long.parseLong(new String(text, 0, length, StandardCharsets.ISO_8859_1).split(" ")[1]);
    }
}
